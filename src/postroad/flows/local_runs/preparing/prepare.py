"""Reads a job, imports its audience and checks all that can be checked without sending.

The order is from cheap to dear: the job file, the provider's schemas, the secrets by name, the addresses, the message
compiled; only then the folder is made and the audience imported. What is wrong is said before anything is on disk.
"""

from pathlib import Path

import postroad
from postroad.engine import split_into_shards
from postroad.engine.pacing import effective_rates
from postroad.flows.local_runs.keeping.folder import SendFolder, make_folder
from postroad.flows.local_runs.keeping.index import SendIndex
from postroad.flows.local_runs.keeping.plan import AudienceRecord, SendPlan
from postroad.flows.local_runs.orders import SendOrder
from postroad.flows.local_runs.ports import Surroundings
from postroad.flows.local_runs.preparing.audience import facts_of, import_for, keep_copy
from postroad.flows.local_runs.preparing.checking import Checked, check_job, check_workers
from postroad.flows.local_runs.views import AudienceFacts, PreparedSend
from postroad.jobfile import describe_rate
from postroad.recipients import Snapshot


def prepare_send(order: SendOrder, surroundings: Surroundings, *, errors_file: Path | None = None) -> PreparedSend:
    """Makes the folder with `job.json` and the snapshot. `errors_file` gets a copy of the rows that were left out.

    Raises ConfigInvalid, AudienceInvalid, SecretMissing, TemplateInvalid, ProviderUnknown, EgressDenied. Rejected rows
    raise unless the job says `skipInvalid`. After a refusal the folder is gone, unless `out` names it and nothing else
    holds the rejected rows.
    """
    check_workers(order.workers)
    checked = check_job(order, surroundings)
    folder = make_folder(order.out, checked.job.name, surroundings.clock)
    own = folder.import_errors if order.out is not None else None
    try:
        folder.write_job(checked.job.name, checked.job.raw)
        report = import_for(checked, folder.path, surroundings, errors_file or own)
    except BaseException:
        keep_copy(folder.import_errors, errors_file)
        if errors_file is not None or own is None or not own.is_file():
            folder.remove()
        raise
    kept = keep_copy(folder.import_errors, errors_file) or report.errors_path
    facts = facts_of(report, kept)
    plan = _plan(checked, facts, report.snapshot, order.workers, surroundings)
    return present(plan, report.snapshot, folder, facts, surroundings, again=order.again)


def discard(prepared: PreparedSend) -> None:
    """Removes the folder of a send that was not confirmed. A frozen send is left alone."""
    folder = SendFolder(prepared.folder)
    if folder.is_ours and not folder.is_frozen:
        folder.remove()


def present(
    plan: SendPlan,
    snapshot: Snapshot,
    folder: SendFolder,
    facts: AudienceFacts,
    surroundings: Surroundings,
    *,
    again: bool,
) -> PreparedSend:
    descriptor = surroundings.provider_loader(plan.provider_id).descriptor
    given = plan.policies.rates
    rates = effective_rates(given, descriptor.limits, descriptor.default_rate)
    return PreparedSend(
        folder=folder.path,
        name=plan.name,
        run_id=plan.run_id,
        provider_id=plan.provider_id,
        provider_version=plan.provider_version,
        audience=facts,
        endpoints=plan.endpoints,
        hash=plan.hash,
        rates={key: describe_rate(rate) for key, rate in rates.items()},
        default_rate_used=not given and descriptor.default_rate is not None,
        concurrency=min(plan.policies.concurrency_target, descriptor.max_concurrency),
        workers=len(plan.shards),
        warnings=facts.warnings,
        same_as=SendIndex(surroundings.home).find_same(plan.hash),
        source_run_id=plan.source.run_id if plan.source else "",
        again=again,
        plan=plan,
        snapshot=snapshot,
    )


def _plan(
    checked: Checked, facts: AudienceFacts, snapshot: Snapshot, workers: int, surroundings: Surroundings
) -> SendPlan:
    descriptor = checked.factory.descriptor
    return SendPlan(
        run_id=surroundings.new_id(),
        name=checked.job.name,
        provider_id=descriptor.provider_id,
        provider_version=descriptor.version,
        engine_version=postroad.__version__,
        audience=AudienceRecord(snapshot.sha256, facts.rows, facts.accepted, facts.duplicates, facts.rejected),
        account=checked.account,
        message=checked.message,
        policies=checked.job.policies,
        endpoints=checked.endpoints,
        base=checked.job.base,
        shards=split_into_shards(snapshot.count, workers),
    )
