"""Reads a job, imports its audience and checks all that can be checked without sending.

The order is from cheap to dear: the job file, the provider's schemas, the secrets by name, the addresses, the message
compiled; only then the folder is made and the audience imported. What is wrong is said before anything is on disk.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import postroad
from postroad.engine.pacing import effective_rates
from postroad.flows.local_runs.jobfile import Job, JobInvalid, describe_rate, read_job
from postroad.flows.local_runs.keeping.folder import SendFolder, make_folder
from postroad.flows.local_runs.keeping.index import SendIndex
from postroad.flows.local_runs.keeping.plan import AudienceRecord, SendPlan, split_into_shards
from postroad.flows.local_runs.orders import SendOrder
from postroad.flows.local_runs.ports import EndpointGate, Surroundings
from postroad.flows.local_runs.views import AudienceFacts, PreparedSend
from postroad.recipients import (
    AudienceInput,
    FileInput,
    ImportReport,
    ImportRequest,
    QueryInput,
    Snapshot,
    SyntheticInput,
    import_audience,
)
from postroad.spi import ConfigDocument, Problem, ProviderFactory
from postroad.vocabulary.errors import AudienceInvalid, InvalidInput

MAX_WORKERS = 64


@dataclass(frozen=True, slots=True)
class Checked:
    """A job whose configuration its provider accepts."""

    job: Job
    factory: ProviderFactory
    account: ConfigDocument
    message: ConfigDocument
    endpoints: tuple[str, ...]


def prepare_send(order: SendOrder, surroundings: Surroundings) -> PreparedSend:
    """Makes the folder with `job.json` and the snapshot.

    Raises ConfigInvalid, AudienceInvalid, SecretMissing, TemplateInvalid, ProviderUnknown, EgressDenied. Rejected rows
    raise unless the job says `skipInvalid`. After a refusal the folder is gone, except where it explains rejected rows.
    """
    if not 1 <= order.workers <= MAX_WORKERS:
        raise InvalidInput(f"{order.workers} workers: give a number from 1 to {MAX_WORKERS}", field="workers")
    checked = check_job(order, surroundings)
    folder = make_folder(order.out, checked.job.name, surroundings.clock)
    try:
        folder.write_job(checked.job.name, checked.job.raw)
        report = _import(checked, folder, surroundings)
    except BaseException:
        if not folder.import_errors.is_file():
            folder.remove()
        raise
    facts = _facts(report)
    plan = _plan(checked, facts, report.snapshot, order.workers, surroundings)
    return present(plan, report.snapshot, folder, facts, surroundings, again=order.again)


def discard(prepared: PreparedSend) -> None:
    """Removes the folder of a send that was not confirmed. A frozen send is left alone."""
    folder = SendFolder(prepared.folder)
    if folder.is_ours and not folder.is_frozen:
        folder.remove()


def check_job(order: SendOrder, surroundings: Surroundings, *, audience_needed: bool = True) -> Checked:
    job = read_job(order.job, order.overrides, audience_needed=audience_needed)
    factory = surroundings.provider_loader(job.provider)
    version = factory.descriptor.schema_version
    account = ConfigDocument.of(f"{job.provider}/account", version, job.account)
    message = ConfigDocument.of(f"{job.provider}/message", version, job.message)
    problems = _below("account", factory.validate_account(account))
    problems = problems or _below("message", factory.validate_message(account, message))
    if problems:
        raise JobInvalid(problems, job.lines)
    query = job.audience.query
    for name in [*secret_names(job.account), *secret_names(job.message), *([query.password] if query else [])]:
        if name:
            surroundings.secrets.resolve(name)
    endpoints = factory.endpoints(account, message)
    allow_endpoints(endpoints, surroundings.gate)
    factory.compile(account, message)
    return Checked(job, factory, account, message, endpoints)


def secret_names(value: object) -> list[str]:
    """The names of all secrets that a configuration refers to, each once, in order."""
    found: dict[str, None] = {}
    pending = [value]
    while pending:
        here = pending.pop()
        if isinstance(here, dict):
            if isinstance(here.get("$secret"), str):
                found[here["$secret"]] = None
            else:
                pending.extend(reversed(list(here.values())))
        elif isinstance(here, list):
            pending.extend(reversed(here))
    return list(found)


def allow_endpoints(endpoints: Iterable[str], gate: EndpointGate) -> None:
    for endpoint in endpoints:
        host, _, port = endpoint.rpartition(":")
        gate.allow_literal(host.removeprefix("[").removesuffix("]"), int(port))


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


def _below(prefix: str, problems: Iterable[Problem]) -> list[Problem]:
    return [
        Problem(f"{prefix}.{problem.field}" if problem.field else prefix, problem.message, problem.code)
        for problem in problems
    ]


def _import(checked: Checked, folder: SendFolder, surroundings: Surroundings) -> ImportReport:
    audience = checked.job.audience
    report = import_audience(
        ImportRequest(
            source=_input(checked.job, surroundings),
            out_dir=folder.path,
            key=(audience.key,) if audience.key else (),
            mapping=audience.mapping,
            recipient_schema=None if audience.count else checked.factory.descriptor.recipient_schema,
        ),
        resolve_checked=surroundings.resolve_checked,
    )
    if report.rejected and not audience.skip_invalid:
        reasons = ", ".join(f"{top.count} × {top.code} in {top.column or 'the row'}" for top in report.top_reasons[:3])
        raise AudienceInvalid(
            f"{report.rejected} of {report.rows} rows cannot be sent to ({reasons}); see {report.errors_path}, mend "
            "them, or say skipInvalid to leave them out",
            field="audience",
        )
    return report


def _input(job: Job, surroundings: Surroundings) -> AudienceInput:
    audience = job.audience
    if audience.count is not None:
        return SyntheticInput(audience.count)
    if audience.query is not None:
        name = audience.query.password
        password = surroundings.secrets.resolve(name) if name else None
        return QueryInput(audience.query.database, audience.query.sql, password)
    assert audience.file is not None
    delimiter = {"tab": "\t", "\\t": "\t"}.get(audience.delimiter or "", audience.delimiter)
    return FileInput(audience.file, encoding=audience.encoding, delimiter=delimiter, sheet=audience.sheet)


def _facts(report: ImportReport) -> AudienceFacts:
    return AudienceFacts(
        rows=report.rows,
        accepted=report.accepted,
        duplicates=report.duplicates,
        rejected=report.rejected,
        sha256=report.sha256,
        columns=report.snapshot.columns,
        encoding=report.encoding,
        delimiter=report.delimiter,
        warnings=report.warnings,
        reasons=tuple(
            (f"{top.code} in {top.column}" if top.column else top.code, top.count) for top in report.top_reasons
        ),
        samples=tuple(sample.fields for sample in report.accepted_samples),
        errors_file=report.errors_path,
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
