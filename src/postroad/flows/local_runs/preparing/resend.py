"""A linked new send to some recipients of an ended one.

Everything comes from the source's folder: the frozen message, account and policies, and the part of its snapshot. So a
re-send says what the first send said, to whom it said it, whatever became of the job file since.
"""

from contextlib import closing
from dataclasses import replace

from postroad.engine import split_into_shards
from postroad.flows.local_runs.ending.receipt import check_results
from postroad.flows.local_runs.keeping.folder import SendFolder, make_folder
from postroad.flows.local_runs.keeping.frozen_audience import open_snapshot
from postroad.flows.local_runs.keeping.origins import Origins
from postroad.flows.local_runs.keeping.plan import AudienceRecord, SourceSend
from postroad.flows.local_runs.keeping.subset import SubsetSource, write_subset
from postroad.flows.local_runs.orders import ResendOrder, ResumeOrder
from postroad.flows.local_runs.ports import Surroundings
from postroad.flows.local_runs.preparing.checking import allow_endpoints, check_workers
from postroad.flows.local_runs.preparing.prepare import present
from postroad.flows.local_runs.resuming import changed_policies, check_versions
from postroad.flows.local_runs.views import AudienceFacts, PreparedSend
from postroad.spi.secret_references import references_in
from postroad.vocabulary.errors import InvalidInput, SendConflict
from postroad.vocabulary.outcomes import Outcome

MAY_BE_SENT_AGAIN = frozenset({Outcome.FAILED, Outcome.UNSENT, Outcome.UNKNOWN})


def resend(order: ResendOrder, surroundings: Surroundings) -> PreparedSend:
    """Prepares it; `start_send` sends it. UNKNOWN items carry the idempotency key of the source's item.

    Raises SendConflict where the source has not ended or its audience or results were changed since, InvalidInput where
    nobody came to these outcomes.
    """
    check_workers(order.workers)
    source = SendFolder(order.source)
    plan = source.read_plan()
    _check(source, order)
    open_snapshot(source, plan)
    check_results(source)
    policies = changed_policies(source, plan, ResumeOrder(order.source, order.overrides))
    check_versions(plan, surroundings.provider_loader(plan.provider_id).descriptor)
    for name in references_in([plan.account.value(), plan.message.value()]):
        surroundings.secrets.resolve(name)
    allow_endpoints(plan.endpoints, surroundings.gate)
    folder = make_folder(order.out, f"{plan.name}-again", surroundings.clock)
    try:
        folder.write_job(plan.name, source.read_job())
        with closing(Origins.open(source.origins, plan)) as origins:
            ended = SubsetSource(str(source.path), source.snapshot, source.results, origins)
            snapshot, runs = write_subset(ended, order.only, folder)
    except BaseException:
        folder.remove()
        raise
    outcomes = tuple(sorted(order.only))
    link = SourceSend(plan.run_id, str(source.path), outcomes, runs)
    facts = AudienceFacts(snapshot.count, snapshot.count, 0, 0, snapshot.sha256, snapshot.columns)
    again = replace(
        plan,
        run_id=surroundings.new_id(),
        audience=AudienceRecord(snapshot.sha256, snapshot.count, snapshot.count, 0, 0),
        policies=policies,
        shards=split_into_shards(snapshot.count, order.workers),
        source=link,
        frozen_at_ms=0,
    )
    return present(again, snapshot, folder, facts, surroundings, again=order.again)


def _check(source: SendFolder, order: ResendOrder) -> None:
    wrong = sorted(outcome.value.lower() for outcome in order.only - MAY_BE_SENT_AGAIN)
    if wrong or not order.only:
        said = ", ".join(wrong) or "nothing"
        raise InvalidInput(f"only {said}: failed, unsent and unknown can be sent again", field="only")
    if not source.receipt.is_file() or not source.results.is_file():
        raise SendConflict(
            f"{source.path} has not ended yet; go on with: postroad send --resume {source.path}", field="source"
        )
