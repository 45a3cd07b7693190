"""A chosen part of the results as a file: looked up, written aside, kept; then it is an artifact like any other."""

from postroad.flows.run_results.asks import ExportAsk
from postroad.flows.run_results.ports import KeptExport, ResultsNeeds
from postroad.flows.run_results.reading import results_of
from postroad.kernel.authz import Action, Principal, Resource
from postroad.kernel.uow import Reading
from postroad.modules import runs
from postroad.modules.runs import Run
from postroad.recipients import write_items


def export_results(principal: Principal, ask: ExportAsk, needs: ResultsNeeds) -> KeptExport:
    """The chosen items as a CSV that no spreadsheet takes for formulas. Blocks; a crash leaves nothing but scratch.

    Raises ResourceNotFound, AccessDenied, ArtifactNotReady before the end, QuotaExceeded, StorageFull.
    """
    run = needs.database.read(principal, lambda reading: _find(reading, ask))
    with needs.files.scratch() as folder:
        target = folder / "items.csv"
        with needs.files.opened(run.workspace_id, results_of(run)) as results:
            write_items(results, target, ask.wanted.chosen)
        return needs.files.keep_export(principal, run, target, _name(run, ask))


def _find(reading: Reading, ask: ExportAsk) -> Run:
    reading.authorize(Action.ARTIFACTS_WRITE, Resource(ask.workspace_id, "run", ask.run_id))
    return runs.get_run(reading, ask.workspace_id, ask.run_id)


def _name(run: Run, ask: ExportAsk) -> str:
    chosen = "-".join(sorted(outcome.value.lower() for outcome in ask.wanted.outcomes)) or "all"
    return f"{run.job_name}-{chosen}.csv"
