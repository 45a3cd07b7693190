"""A job against its provider: what can be found out without a network and without the audience."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from postroad.flows.local_runs.orders import SendOrder
from postroad.flows.local_runs.ports import EndpointGate, ProviderLoader, Surroundings
from postroad.jobfile import Job, JobInvalid, read_job
from postroad.spi import ConfigDocument, Problem, ProviderFactory, with_files
from postroad.spi.secret_references import references_in
from postroad.vocabulary.errors import ConfigInvalid, InvalidInput

MAX_WORKERS = 64


@dataclass(frozen=True, slots=True)
class Checked:
    """A job whose configuration its provider accepts."""

    job: Job
    factory: ProviderFactory
    account: ConfigDocument
    message: ConfigDocument
    endpoints: tuple[str, ...]


def check_job(order: SendOrder, surroundings: Surroundings, *, audience_needed: bool = True) -> Checked:
    """From cheap to dear: the file, the provider's schemas, secrets by name, addresses, the message compiled."""
    job = read_job(order.job, order.overrides, audience_needed=audience_needed)
    factory = factory_for(surroundings.provider_loader, job.provider, job.base)
    version = factory.descriptor.schema_version
    account = ConfigDocument.of(f"{job.provider}/account", version, job.account)
    message = ConfigDocument.of(f"{job.provider}/message", version, job.message)
    problems = _below("account", factory.validate_account(account))
    problems = problems or _below("message", factory.validate_message(account, message))
    if problems:
        raise JobInvalid(problems, job.lines)
    query = job.audience.query
    for name in [*references_in([job.account, job.message]), *([query.password] if query else [])]:
        if name:
            surroundings.secrets.resolve(name)
    endpoints = factory.endpoints(account, message)
    allow_endpoints(endpoints, surroundings.gate)
    factory.compile(account, message)
    return Checked(job, factory, account, message, endpoints)


def factory_for(loader: ProviderLoader, provider_id: str, base: Path) -> ProviderFactory:
    """The provider of a job whose files lie below `base`."""
    return with_files(loader(provider_id), base)


def check_workers(number: int) -> None:
    if not 1 <= number <= MAX_WORKERS:
        raise InvalidInput(f"{number} workers: give a number from 1 to {MAX_WORKERS}", field="workers")


def allow_endpoints(endpoints: Iterable[str], gate: EndpointGate) -> None:
    """Raises ConfigInvalid for what is no `host:port`."""
    for endpoint in endpoints:
        host, _, port = endpoint.rpartition(":")
        if not host or not port.isdigit():
            raise ConfigInvalid(f"{endpoint!r} is not an address such as mail.example.org:587", field="endpoints")
        gate.allow_literal(host.removeprefix("[").removesuffix("]"), int(port))


def _below(prefix: str, problems: Iterable[Problem]) -> list[Problem]:
    return [
        Problem(f"{prefix}.{problem.field}" if problem.field else prefix, problem.message, problem.code)
        for problem in problems
    ]
