"""Jobs on the wire."""

from typing import Any

from pydantic import Field, SecretStr

from postroad.entrypoints.http.conventions import Asked, Instant, PageShown, Shown, stamp
from postroad.entrypoints.http.wire.messages import MOST_REVISIONS
from postroad.flows.job_push import PushAsk, PushResult
from postroad.kernel.versions import Expected
from postroad.modules.jobs import KEEP, Job, JobChange, JobList, NewJob, OpenApiMark, Sending
from postroad.vocabulary.secret import Secret


class OpenApiShown(Shown):
    """Whether programs with the scope `jobs:run` may start it, and for how many recipients at most."""

    enabled: bool
    recipient_cap: int


class JobShown(Shown):
    id: str
    workspace_id: str
    name: str
    status: str
    account_id: str
    message_id: str
    message_revision: int | None
    """A pinned revision; null takes the latest when a run is confirmed."""
    audience_id: str
    policies: dict[str, Any]
    """As a job file says them, with every default written out."""
    open_api: OpenApiShown
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class JobPage(Shown):
    items: list[JobShown]
    page: PageShown
    counters: dict[str, int]
    """Status → how many fit the other filters."""


class OpenApiAsked(Asked):
    enabled: bool
    recipient_cap: int = 0

    def mark(self) -> OpenApiMark:
        return OpenApiMark(self.enabled, self.recipient_cap)


class JobMade(Asked):
    name: str = Field(max_length=500)
    account_id: str = Field(max_length=128)
    message_id: str = Field(max_length=128)
    message_revision: int | None = Field(default=None, ge=1, le=MOST_REVISIONS)
    audience_id: str = Field(max_length=128)
    policies: dict[str, Any] | None = None
    """As a job file says them: concurrency, rate, retry, timeout, maxPause, onMaxPause."""
    open_api: OpenApiAsked | None = None

    def ask(self, workspace_id: str) -> NewJob:
        sending = Sending(self.account_id, self.message_id, self.message_revision, self.audience_id)
        mark = OpenApiMark() if self.open_api is None else self.open_api.mark()
        return NewJob(workspace_id, self.name, sending, self.policies, mark)


class JobChanged(Asked):
    """What is not given stays as it is; `policies` are replaced as a whole; a `messageRevision` of null unpins."""

    name: str | None = Field(default=None, max_length=500)
    account_id: str | None = Field(default=None, max_length=128)
    message_id: str | None = Field(default=None, max_length=128)
    message_revision: int | None = Field(default=None, ge=1, le=MOST_REVISIONS)
    audience_id: str | None = Field(default=None, max_length=128)
    policies: dict[str, Any] | None = None
    open_api: OpenApiAsked | None = None

    def ask(self, workspace_id: str, job_id: str, expected: Expected) -> JobChange:
        return JobChange(
            workspace_id,
            job_id,
            expected,
            name=self.name,
            account_id=self.account_id,
            message_id=self.message_id,
            message_revision=self.message_revision if "message_revision" in self.model_fields_set else KEEP,
            audience_id=self.audience_id,
            policies=self.policies,
            open_api=None if self.open_api is None else self.open_api.mark(),
        )


class JobCopied(Asked):
    name: str | None = Field(default=None, max_length=500)
    """None takes the first free of `… (copy)`, `… (copy 2)`."""


class JobPushed(Asked):
    """A job file and the audience that was uploaded for it."""

    job: dict[str, Any]
    """What stands in the job file; its `audience` is not looked at."""
    audience_id: str = Field(max_length=128)
    account_name: str | None = Field(default=None, max_length=500)
    """None takes the name of the job."""
    message_name: str | None = Field(default=None, max_length=500)
    """None takes the name of the job."""
    secrets: dict[str, SecretStr] = Field(default_factory=dict, max_length=50)
    """Secrets of the account to set, by the names its configuration refers to; others stay as they are."""

    def ask(self, workspace_id: str) -> PushAsk:
        secrets = {name: Secret(value.get_secret_value()) for name, value in self.secrets.items()}
        return PushAsk(workspace_id, self.job, self.audience_id, self.account_name, self.message_name, secrets)


class PartPushed(Shown):
    """What became of one part: CREATED, CHANGED or UNCHANGED."""

    id: str
    name: str
    version: int
    outcome: str


class MessagePushed(PartPushed):
    revision: int


class PushShown(Shown):
    account: PartPushed
    message: MessagePushed
    job: PartPushed
    job_status: str


def shown_job(job: Job) -> JobShown:
    names = ("id", "workspace_id", "name", "status", "policies", "open_api", "version")
    sending = ("account_id", "message_id", "message_revision", "audience_id")
    return JobShown.of(
        {name: getattr(job, name) for name in (*names, "created_at_ms", "updated_at_ms")}
        | {name: getattr(job.sending, name) for name in sending}
    )


def shown_page(found: JobList) -> JobPage:
    return JobPage(
        items=[shown_job(one) for one in found.page.items], page=PageShown.of(found.page), counters=found.counters
    )


def shown_push(result: PushResult) -> PushShown:
    account, message, job = result.account, result.message.message, result.job
    return PushShown(
        account=PartPushed(id=account.id, name=account.name, version=account.version, outcome=result.account_was.value),
        message=MessagePushed(
            id=message.id,
            name=message.name,
            version=message.version,
            outcome=result.message_was.value,
            revision=message.current_revision,
        ),
        job=PartPushed(id=job.id, name=job.name, version=job.version, outcome=result.job_was.value),
        job_status=job.status.value,
    )
