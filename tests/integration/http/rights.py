"""What each route asks for: one row per operation of the contract. A new route without a row fails the tests.

`needs` is an action of the one table of rights, or who may come at all. Where the smallest body that the contract
allows is not enough to come as far as the question of rights, the row brings one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from postroad.kernel.authz import Action


class Who(Enum):
    ANYBODY = "needs nothing"
    SOMEBODY = "a session or any token"
    SIGNED_IN = "a session, never a token"


@dataclass(frozen=True)
class Right:
    needs: Action | Who | tuple[Action, ...]
    """Several: all of them."""
    body: object = None
    """JSON, or bytes; None for the smallest that the contract allows."""
    query: Mapping[str, str] = field(default_factory=dict)
    tokens_only: bool = False
    """Of the open API: no session comes in, and the workspace is the token's own."""
    asks_again: bool = True
    """Of a changing route: it changes something in a transaction that asks for the right again."""

    @property
    def actions(self) -> tuple[Action, ...]:
        if isinstance(self.needs, Who):
            return ()
        return self.needs if isinstance(self.needs, tuple) else (self.needs,)


_W = "/api/v1/workspaces/{workspaceId}"

RIGHTS: dict[tuple[str, str], Right] = {
    ("GET", "/api/v1/setup"): Right(Who.ANYBODY),
    ("POST", "/api/v1/setup"): Right(Who.ANYBODY),
    ("POST", "/api/v1/passwords"): Right(Who.ANYBODY),
    ("POST", "/api/v1/sessions"): Right(Who.ANYBODY),
    ("GET", "/api/v1/sessions"): Right(Who.SIGNED_IN),
    ("DELETE", "/api/v1/sessions"): Right(Who.SIGNED_IN),
    ("GET", "/api/v1/sessions/current"): Right(Who.SIGNED_IN),
    ("DELETE", "/api/v1/sessions/current"): Right(Who.SIGNED_IN),
    ("DELETE", "/api/v1/sessions/{sessionId}"): Right(Who.SIGNED_IN),
    ("GET", "/api/v1/me"): Right(Who.SOMEBODY),
    ("PATCH", "/api/v1/me"): Right(Who.SIGNED_IN),
    ("PUT", "/api/v1/me/password"): Right(Who.SIGNED_IN, asks_again=False),
    ("GET", "/api/v1/users"): Right(Action.SYSTEM_ADMIN),
    ("POST", "/api/v1/users"): Right(Action.SYSTEM_ADMIN),
    ("GET", "/api/v1/users/{userId}"): Right(Action.SYSTEM_ADMIN),
    ("PATCH", "/api/v1/users/{userId}"): Right(Action.SYSTEM_ADMIN),
    ("POST", "/api/v1/users/{userId}/password-link"): Right(Action.SYSTEM_ADMIN),
    ("DELETE", "/api/v1/users/{userId}/sessions"): Right(Action.SYSTEM_ADMIN),
    ("GET", "/api/v1/audit-events"): Right(Action.SYSTEM_ADMIN),
    ("GET", "/api/v1/audit-events/export"): Right(Action.SYSTEM_ADMIN),
    ("GET", "/api/v1/deliveries"): Right(Action.SYSTEM_ADMIN),
    ("GET", "/api/v1/deliveries/{deliveryId}"): Right(Action.SYSTEM_ADMIN),
    ("POST", "/api/v1/deliveries/replay"): Right(Action.SYSTEM_ADMIN),
    ("POST", "/api/v1/deliveries/discard"): Right(Action.SYSTEM_ADMIN),
    ("GET", "/api/v1/event-consumers"): Right(Action.SYSTEM_ADMIN),
    ("POST", "/api/v1/event-consumers/{consumerName}/hold"): Right(Action.SYSTEM_ADMIN),
    ("POST", "/api/v1/event-consumers/{consumerName}/release"): Right(Action.SYSTEM_ADMIN),
    ("GET", "/api/v1/workspaces"): Right(Who.SOMEBODY),
    ("POST", "/api/v1/workspaces"): Right(Action.SYSTEM_ADMIN),
    ("GET", "/api/v1/system/info"): Right(Who.SOMEBODY),
    ("POST", "/api/v1/system/maintenance/retention"): Right(Action.SYSTEM_ADMIN, asks_again=False),
    ("GET", _W): Right(Action.WORKSPACE_READ),
    ("PATCH", _W): Right(Action.WORKSPACE_WRITE),
    ("PUT", f"{_W}/policy"): Right(Action.WORKSPACE_WRITE),
    ("POST", f"{_W}/archive"): Right(Action.SYSTEM_ADMIN),
    ("POST", f"{_W}/activate"): Right(Action.SYSTEM_ADMIN),
    ("GET", f"{_W}/events"): Right(Action.WORKSPACE_READ),
    ("GET", f"{_W}/overview"): Right(Action.RUNS_READ),
    ("GET", f"{_W}/members"): Right(Action.MEMBERS_READ),
    ("POST", f"{_W}/members"): Right(Action.MEMBERS_WRITE),
    ("GET", f"{_W}/members/{{userId}}"): Right(Action.MEMBERS_READ),
    ("PUT", f"{_W}/members/{{userId}}"): Right(Action.MEMBERS_WRITE),
    ("DELETE", f"{_W}/members/{{userId}}"): Right(Action.MEMBERS_WRITE),
    ("GET", f"{_W}/api-tokens"): Right(Action.TOKENS_OWN),
    ("POST", f"{_W}/api-tokens"): Right(Action.TOKENS_OWN),
    ("GET", f"{_W}/api-tokens/{{tokenId}}"): Right(Action.TOKENS_OWN),
    ("DELETE", f"{_W}/api-tokens/{{tokenId}}"): Right(Action.TOKENS_OWN),
    ("POST", f"{_W}/api-tokens/{{tokenId}}/enable"): Right(Action.TOKENS_OWN),
    ("POST", "/api/v1/open/jobs/{jobId}/run"): Right(Action.JOBS_RUN, tokens_only=True, asks_again=False),
    ("GET", f"{_W}/audit-events"): Right(Action.AUDIT_READ),
    ("GET", f"{_W}/deliveries"): Right(Action.DELIVERIES_READ),
    ("GET", f"{_W}/deliveries/{{deliveryId}}"): Right(Action.DELIVERIES_READ),
    ("POST", f"{_W}/deliveries/replay"): Right(Action.DELIVERIES_WRITE),
    ("POST", f"{_W}/deliveries/discard"): Right(Action.DELIVERIES_WRITE),
    ("GET", f"{_W}/audit-events/export"): Right(Action.AUDIT_READ),
    ("GET", f"{_W}/artifacts"): Right(Action.ARTIFACTS_READ),
    ("POST", f"{_W}/artifacts"): Right(Action.ARTIFACTS_WRITE, body=b"some bytes"),
    ("GET", f"{_W}/artifacts/{{artifactId}}"): Right(Action.ARTIFACTS_READ),
    ("DELETE", f"{_W}/artifacts/{{artifactId}}"): Right(Action.ARTIFACTS_WRITE),
    ("GET", f"{_W}/artifacts/{{artifactId}}/content"): Right(Action.ARTIFACTS_READ),
    ("HEAD", f"{_W}/artifacts/{{artifactId}}/content"): Right(Action.ARTIFACTS_READ),
    ("PUT", f"{_W}/artifacts/{{artifactId}}/pin"): Right(Action.ARTIFACTS_WRITE),
    ("PUT", f"{_W}/artifacts/{{artifactId}}/hold"): Right(Action.ARTIFACTS_HOLD),
    ("GET", f"{_W}/artifact-usage"): Right(Action.ARTIFACTS_READ),
    ("GET", f"{_W}/secrets"): Right(Action.SECRETS_READ),
    ("GET", f"{_W}/secrets/{{namespace}}/{{name}}"): Right(Action.SECRETS_READ),
    ("PUT", f"{_W}/secrets/{{namespace}}/{{name}}"): Right(Action.SECRETS_WRITE),
    ("DELETE", f"{_W}/secrets/{{namespace}}/{{name}}"): Right(Action.SECRETS_WRITE),
    ("GET", f"{_W}/secrets/{{namespace}}/{{name}}/versions/{{version}}"): Right(Action.SECRETS_READ),
    ("GET", "/api/v1/providers"): Right(Who.SOMEBODY),
    ("GET", "/api/v1/providers/{providerId}"): Right(Who.SOMEBODY),
    ("GET", "/api/v1/providers/{providerId}/schemas/{kind}"): Right(Who.SOMEBODY),
    ("GET", f"{_W}/accounts"): Right(Action.ACCOUNTS_READ),
    ("POST", f"{_W}/accounts"): Right(Action.ACCOUNTS_WRITE),
    ("GET", f"{_W}/accounts/{{accountId}}"): Right(Action.ACCOUNTS_READ),
    ("PATCH", f"{_W}/accounts/{{accountId}}"): Right(Action.ACCOUNTS_WRITE),
    ("DELETE", f"{_W}/accounts/{{accountId}}"): Right(Action.ACCOUNTS_WRITE),
    ("POST", f"{_W}/accounts/{{accountId}}/enable"): Right(Action.ACCOUNTS_WRITE),
    ("POST", f"{_W}/accounts/{{accountId}}/disable"): Right(Action.ACCOUNTS_WRITE),
    ("POST", f"{_W}/accounts/{{accountId}}/connection-test"): Right(Action.ACCOUNTS_TEST, asks_again=False),
    ("GET", f"{_W}/accounts/{{accountId}}/authentication-circuit"): Right(Action.ACCOUNTS_READ),
    ("DELETE", f"{_W}/accounts/{{accountId}}/authentication-circuit"): Right(Action.ACCOUNTS_WRITE),
    ("GET", f"{_W}/messages"): Right(Action.MESSAGES_READ),
    ("POST", f"{_W}/messages"): Right(Action.MESSAGES_WRITE),
    ("POST", f"{_W}/messages/preview"): Right(
        Action.MESSAGES_WRITE, {"providerId": "http", "content": {}, "recipients": [{}]}, asks_again=False
    ),
    ("GET", f"{_W}/messages/{{messageId}}"): Right(Action.MESSAGES_READ),
    ("PATCH", f"{_W}/messages/{{messageId}}"): Right(Action.MESSAGES_WRITE),
    ("DELETE", f"{_W}/messages/{{messageId}}"): Right(Action.MESSAGES_WRITE),
    ("POST", f"{_W}/messages/{{messageId}}/copy"): Right(Action.MESSAGES_WRITE),
    ("POST", f"{_W}/messages/{{messageId}}/preview"): Right(
        Action.MESSAGES_READ, {"recipients": [{}]}, asks_again=False
    ),
    ("GET", f"{_W}/messages/{{messageId}}/diff"): Right(Action.MESSAGES_READ),
    ("GET", f"{_W}/messages/{{messageId}}/revisions"): Right(Action.MESSAGES_READ),
    ("GET", f"{_W}/messages/{{messageId}}/revisions/{{revision}}"): Right(Action.MESSAGES_READ),
    ("GET", f"{_W}/jobs"): Right(Action.JOBS_READ),
    ("POST", f"{_W}/jobs"): Right(Action.JOBS_WRITE),
    ("POST", f"{_W}/jobs/push"): Right((Action.ACCOUNTS_WRITE, Action.MESSAGES_WRITE, Action.JOBS_WRITE)),
    ("GET", f"{_W}/jobs/{{jobId}}"): Right(Action.JOBS_READ),
    ("PATCH", f"{_W}/jobs/{{jobId}}"): Right(Action.JOBS_WRITE),
    ("DELETE", f"{_W}/jobs/{{jobId}}"): Right(Action.JOBS_WRITE),
    ("POST", f"{_W}/jobs/{{jobId}}/copy"): Right(Action.JOBS_WRITE),
    ("POST", f"{_W}/jobs/{{jobId}}/enable"): Right(Action.JOBS_WRITE),
    ("POST", f"{_W}/jobs/{{jobId}}/disable"): Right(Action.JOBS_WRITE),
    ("GET", f"{_W}/audiences"): Right(Action.AUDIENCES_READ),
    ("GET", f"{_W}/audiences/{{audienceId}}"): Right(Action.AUDIENCES_READ),
    ("PATCH", f"{_W}/audiences/{{audienceId}}"): Right(Action.AUDIENCES_WRITE),
    ("DELETE", f"{_W}/audiences/{{audienceId}}"): Right(Action.AUDIENCES_WRITE),
    ("POST", f"{_W}/audiences/{{audienceId}}/erase"): Right(Action.AUDIENCES_WRITE),
    ("POST", f"{_W}/audiences/{{audienceId}}/refresh"): Right(Action.AUDIENCES_WRITE),
    ("GET", f"{_W}/audiences/{{audienceId}}/snapshots"): Right(Action.AUDIENCES_READ),
    ("GET", f"{_W}/audiences/{{audienceId}}/snapshots/{{revision}}"): Right(Action.AUDIENCES_READ),
    ("GET", f"{_W}/audiences/{{audienceId}}/snapshots/{{revision}}/rows"): Right(Action.AUDIENCES_READ),
    ("GET", f"{_W}/audiences/{{audienceId}}/snapshots/{{revision}}/content.csv"): Right(Action.AUDIENCES_READ),
    ("GET", f"{_W}/audience-imports"): Right(Action.AUDIENCES_READ),
    ("POST", f"{_W}/audience-imports"): Right(Action.AUDIENCES_WRITE, {"count": 1}),
    ("POST", f"{_W}/audience-imports/files"): Right(Action.AUDIENCES_WRITE, b"name\nBo\n", {"fileName": "a.csv"}),
    ("GET", f"{_W}/audience-imports/{{importId}}"): Right(Action.AUDIENCES_READ),
    ("PATCH", f"{_W}/audience-imports/{{importId}}"): Right(Action.AUDIENCES_WRITE),
    ("DELETE", f"{_W}/audience-imports/{{importId}}"): Right(Action.AUDIENCES_WRITE),
    ("POST", f"{_W}/audience-imports/{{importId}}/commit"): Right(Action.AUDIENCES_WRITE),
    ("GET", f"{_W}/audience-imports/{{importId}}/preview"): Right(Action.AUDIENCES_READ),
    ("GET", f"{_W}/audience-imports/{{importId}}/errors.csv"): Right(Action.AUDIENCES_READ),
    ("GET", f"{_W}/audience-imports/{{importId}}/accepted.csv"): Right(Action.AUDIENCES_READ),
    ("GET", "/api/v1/time-zones"): Right(Who.SOMEBODY),
    ("GET", f"{_W}/schedules"): Right(Action.SCHEDULES_READ),
    ("POST", f"{_W}/schedules"): Right(Action.SCHEDULES_WRITE),
    ("POST", f"{_W}/schedules/preview"): Right(Action.SCHEDULES_READ, asks_again=False),
    ("GET", f"{_W}/schedules/{{scheduleId}}"): Right(Action.SCHEDULES_READ),
    ("PUT", f"{_W}/schedules/{{scheduleId}}"): Right(Action.SCHEDULES_WRITE),
    ("DELETE", f"{_W}/schedules/{{scheduleId}}"): Right(Action.SCHEDULES_WRITE),
    ("POST", f"{_W}/schedules/{{scheduleId}}/enable"): Right(Action.SCHEDULES_WRITE),
    ("POST", f"{_W}/schedules/{{scheduleId}}/disable"): Right(Action.SCHEDULES_WRITE),
    ("GET", f"{_W}/schedules/{{scheduleId}}/firings"): Right(Action.SCHEDULES_READ),
    ("GET", f"{_W}/schedules/{{scheduleId}}/fire-times"): Right(Action.SCHEDULES_READ),
    ("POST", f"{_W}/jobs/{{jobId}}/run-confirmation"): Right(Action.RUNS_START, asks_again=False),
    ("GET", f"{_W}/jobs/{{jobId}}/runs"): Right(Action.RUNS_READ),
    ("POST", f"{_W}/jobs/{{jobId}}/runs"): Right(Action.RUNS_START),
    ("GET", f"{_W}/runs"): Right(Action.RUNS_READ),
    ("GET", f"{_W}/runs/{{runId}}"): Right(Action.RUNS_READ),
    ("GET", f"{_W}/runs/{{runId}}/events"): Right(Action.RUNS_READ),
    ("GET", f"{_W}/runs/{{runId}}/items"): Right(Action.RUNS_READ),
    ("GET", f"{_W}/runs/{{runId}}/artifacts"): Right(Action.RUNS_READ),
    ("POST", f"{_W}/runs/{{runId}}/artifacts/result-export"): Right(
        (Action.ARTIFACTS_WRITE, Action.RUNS_READ), asks_again=False
    ),
    ("GET", f"{_W}/runs/{{runId}}/receipt"): Right(Action.RUNS_READ),
    ("POST", f"{_W}/runs/{{runId}}/retry-confirmation"): Right(
        Action.RUNS_RESEND, {"outcomes": ["FAILED"]}, asks_again=False
    ),
    ("POST", f"{_W}/runs/{{runId}}/retries"): Right(Action.RUNS_RESEND, {"outcomes": ["FAILED"]}),
    ("POST", f"{_W}/runs/{{runId}}/commands/pause"): Right(Action.RUNS_COMMAND),
    ("POST", f"{_W}/runs/{{runId}}/commands/resume"): Right(Action.RUNS_COMMAND),
    ("POST", f"{_W}/runs/{{runId}}/commands/cancel"): Right(Action.RUNS_COMMAND),
    ("POST", f"{_W}/runs/{{runId}}/commands/concurrency"): Right(Action.RUNS_COMMAND),
    ("POST", f"{_W}/runs/{{runId}}/commands/rate"): Right(Action.RUNS_COMMAND),
}
