"""A job file becomes a job of the service, with the account, the message and the audience it names.

Everything is found again by its name, so pushing twice makes nothing twice, and the file says how all of it is
afterwards. Secrets that are at hand here are set anew; the others stay as they are. The people go first, since a job
needs them; account, message and job follow in one transaction of the service.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from postroad.entrypoints.cli.remote.access.found_secrets import find_secrets, own_references
from postroad.entrypoints.cli.remote.access.service import Service, Wire, path_of
from postroad.entrypoints.cli.remote.access.workspace_secrets import set_secret
from postroad.entrypoints.cli.remote.pushing.people import PeopleKept, PeopleOrder, keep_people
from postroad.jobfile import Job, read_job
from postroad.spi.secret_references import DEFAULT_NAMESPACE


@dataclass(frozen=True, slots=True)
class PushOrder:
    file: Path
    overrides: Mapping[str, object]
    """Dotted fields laid over the file."""
    secrets_file: Path | None = None
    errors_file: Path | None = None
    account_name: str | None = None
    """None takes the name of the job, as message and audience do."""


@dataclass(frozen=True, slots=True)
class Pushed:
    people: PeopleKept
    parts: Wire
    """What became of account, message and job."""
    account: Wire
    secrets: tuple[str, ...]
    """Names of the secrets that were set."""


def push_job_file(service: Service, order: PushOrder, keeps: Callable[[PeopleKept], None]) -> Pushed:
    """`keeps` is told as soon as the people are kept.

    Raises ConfigInvalid, JobInvalid, AudienceInvalid, and what the service refuses with paths as in the file.
    """
    job = read_job(order.file, order.overrides)
    own = find_secrets(own_references(job.account), order.secrets_file)
    read_with = _set_password(service, job, order.secrets_file)
    people = keep_people(service, PeopleOrder(job.name, job.audience, job.provider, order.errors_file))
    keeps(people)
    parts = service.post(
        "jobs/push",
        {
            "job": {key: value for key, value in job.raw.items() if key != "audience"} | {"name": job.name},
            "audienceId": people.audience["id"],
            "accountName": order.account_name,
            "secrets": {name: secret.reveal() for name, secret in own.items()},
        },
    )
    account = service.get(path_of("accounts", parts["account"]["id"]))
    return Pushed(people, parts, account, (*own, *read_with))


def _set_password(service: Service, job: Job, secrets_file: Path | None) -> tuple[str, ...]:
    """The password that the query of the audience names is a secret of the workspace; set where it is at hand."""
    named = job.audience.query.password if job.audience.query is not None else None
    if named is None:
        return ()
    found = find_secrets([named], secrets_file)
    if named not in found:
        return ()
    namespace, _, name = named.rpartition("/")
    set_secret(service, namespace or DEFAULT_NAMESPACE, name, found[named])
    return (named,)
