"""One transaction as a use case sees it: whose it is, when it is, what may be done, what is told to others.

`Reading` is a snapshot. `UnitOfWork` may write: events and audit rows go into the same transaction, hints run after the
commit. Stores use `.connection`; use cases never do. Nobody but `Database` commits.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection

from postroad.kernel import outbox
from postroad.kernel.authz import RULES, Action, Decision, Principal, PrincipalKind, Reason, Resource, decide
from postroad.kernel.pages import CursorKey
from postroad.kernel.ports import ARCHIVED, AuditEntry, AuditWriter, StandingReader, WorkspaceStates
from postroad.kernel.tables import canonical_json
from postroad.vocabulary.events import Aggregate, Causation, Event, EventName
from postroad.vocabulary.refusals import AccessDenied, AuthenticationRequired, ResourceNotFound, StateConflict

__all__ = ["Aggregate", "Causation", "Reading", "Setting", "UnitOfWork"]

Hint = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Setting:
    """What stays the same for the whole transaction."""

    connection: Connection
    principal: Principal
    now_ms: int
    dialect_name: str
    cursors: CursorKey
    correlation_id: str = ""
    source_address: str = ""
    causation: Causation | None = None
    workspaces: WorkspaceStates | None = None


class Reading:
    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    @property
    def connection(self) -> Connection:
        """For stores only."""
        return self._setting.connection

    @property
    def principal(self) -> Principal:
        return self._setting.principal

    @property
    def now_ms(self) -> int:
        """UTC milliseconds, fixed when the transaction began; the database's own time on PostgreSQL."""
        return self._setting.now_ms

    @property
    def dialect_name(self) -> str:
        return self._setting.dialect_name

    @property
    def cursors(self) -> CursorKey:
        return self._setting.cursors

    def authorize(self, action: Action, resource: Resource, state: str = "") -> None:
        """Raises AuthenticationRequired, AccessDenied, StateConflict, or ResourceNotFound for a stranger."""
        refuse_unless_allowed(decide(self.principal, action, resource, state), action, resource)
        if self.principal.system_admin and resource.workspace_id not in self.principal.roles:
            self._workspace_state(resource)

    def _workspace_state(self, resource: Resource) -> str:
        """Of the resource's workspace; empty where it belongs to none. Raises ResourceNotFound."""
        states = self._setting.workspaces
        if states is None or not resource.workspace_id:
            return ""
        state = states.state(self.connection, resource.workspace_id)
        if state is None:
            raise _no_workspace()
        return state


class UnitOfWork(Reading):
    def __init__(
        self, setting: Setting, new_id: Callable[[], str], standing: StandingReader, audit: AuditWriter
    ) -> None:
        super().__init__(setting)
        self._new_id = new_id
        self._standing = standing
        self._audit = audit
        self._events: list[Event] = []
        self._hints: list[Hint] = []
        self._causation = setting.causation

    @property
    def correlation_id(self) -> str:
        return self._setting.correlation_id

    @property
    def events(self) -> tuple[Event, ...]:
        """What was emitted so far."""
        return tuple(self._events)

    @property
    def hints(self) -> tuple[Hint, ...]:
        return tuple(self._hints)

    def new_id(self) -> str:
        """A UUIDv7 text."""
        return self._new_id()

    def authorize(self, action: Action, resource: Resource, state: str = "") -> None:
        """As `Reading.authorize`, with what the principal may do at this moment: what was revoked is refused.

        People change nothing in an archived workspace, except what the table of rights names; what the service does by
        itself goes on there to its end.
        """
        principal = self.standing_principal()
        refuse_unless_allowed(decide(principal, action, resource, state), action, resource)
        if principal.kind is PrincipalKind.SYSTEM:
            return
        is_archived = self._workspace_state(resource) == ARCHIVED
        if is_archived and not RULES[action].when_archived:
            raise StateConflict("the workspace is archived; a system administrator can activate it again")

    def standing_principal(self) -> Principal:
        """The principal as it stands at this moment. Raises AuthenticationRequired where it was revoked meanwhile."""
        principal = self.principal
        if principal.kind not in {PrincipalKind.USER, PrincipalKind.TOKEN}:
            return principal
        current = self._standing.standing(self.connection, principal, self.now_ms)
        if current is None:
            raise AuthenticationRequired("the session or token is no longer valid; sign in again")
        return current

    def emit(
        self,
        name: EventName,
        aggregate: Aggregate,
        payload: Mapping[str, object],
        *,
        workspace_id: str,
        project_id: str | None = None,
    ) -> str:
        """Writes the event into this transaction and returns its id.

        One event of a name per version of an aggregate: a second one is a bug and breaks the transaction.
        """
        event_id = self.new_id()
        causation = self._causation
        event = Event(
            event_id=event_id,
            name=name,
            schema_version=1,
            workspace_id=workspace_id,
            project_id=project_id,
            aggregate=aggregate,
            actor=self.principal.actor,
            correlation_id=self.correlation_id,
            causation_id=causation.event_id if causation else None,
            hop=causation.hop + 1 if causation else 0,
            idempotency_key=event_id,
            payload_digest=hashlib.sha256(canonical_json(payload).encode()).hexdigest(),
            occurred_at_ms=self.now_ms,
            payload=dict(payload),
        )
        outbox.append(self.connection, self.dialect_name, event)
        self._events.append(event)
        return event_id

    @contextmanager
    def caused_by(self, event: Event) -> Iterator[None]:
        """What is emitted inside follows from `event`: one hop further."""
        before, self._causation = self._causation, Causation(event.event_id, event.hop)
        try:
            yield
        finally:
            self._causation = before

    def audit(
        self, action: str, resource: Resource, *, result: str = "OK", details: Mapping[str, object] | None = None
    ) -> None:
        """Writes an audit row into this transaction. `details` holds names and digests, never a secret."""
        entry = AuditEntry(
            id=self.new_id(),
            occurred_at_ms=self.now_ms,
            actor=self.principal.actor,
            actor_name=self.principal.username,
            action=action,
            workspace_id=resource.workspace_id,
            resource_type=resource.type,
            resource_id=resource.id,
            result=result,
            correlation_id=self.correlation_id,
            source_address=self._setting.source_address,
            details=dict(details or {}),
        )
        self._audit.write(self.connection, entry)

    def after_commit(self, hint: Hint) -> None:
        """Runs `hint` once this is committed. It may be lost by a crash, and what it raises is logged only."""
        self._hints.append(hint)


_SAID = {
    Reason.ROLE_TOO_LOW: "your role in this workspace does not allow it; ask an administrator of the workspace",
    Reason.SCOPE_MISSING: "the token does not have this scope; make one that has",
    Reason.SESSION_NEEDED: "a token cannot do this; sign in",
    Reason.SYSTEM_ADMIN_NEEDED: "only a system administrator may do this",
}


def refuse_unless_allowed(decision: Decision, action: Action, resource: Resource) -> None:
    match decision.reason:
        case Reason.ALLOWED:
            return
        case Reason.NOT_AUTHENTICATED:
            raise AuthenticationRequired("sign in, or send a token as `Authorization: Bearer pst_…`")
        case Reason.NOT_A_MEMBER:
            raise _no_workspace()
        case Reason.STATE:
            raise StateConflict(f"{action} is not possible in the state the {resource.type} is in")
        case _:
            raise AccessDenied(
                f"{action}: {_SAID[decision.reason]}",
                action=action.value,
                workspace_id=resource.workspace_id,
                resource_type=resource.type,
                resource_id=resource.id,
            )


def _no_workspace() -> ResourceNotFound:
    return ResourceNotFound("there is no such workspace, or you are not a member of it")
