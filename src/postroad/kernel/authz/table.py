"""The one table of rights: what each action needs. `decide` reads it; nothing else decides."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from postroad.kernel.authz.actions import Action
from postroad.vocabulary.roles import Role


@dataclass(frozen=True, slots=True)
class Rule:
    role: Role
    """The least role in the resource's workspace."""
    scope: str | None
    """What a token must be limited to at least; None where no token may do it."""
    session_only: bool = False
    """Only a signed-in person, never a token."""
    system_admin: bool = False
    """Only a SYSTEM_ADMIN; roles do not help."""
    states: frozenset[str] | None = None
    """The states of the resource in which it may be done; None for any."""
    when_archived: bool = False
    """Also in an archived workspace: what reads, what stops or takes away, what governs workspaces."""


def _rule(action: Action, role: Role, *, when_archived: bool = False) -> Rule:
    return Rule(role, action.value, when_archived=when_archived)


def _by_session(role: Role, *, system_admin: bool = False) -> Rule:
    return Rule(role, None, session_only=True, system_admin=system_admin, when_archived=True)


_A = Action
_VIEWER = (
    _A.ACCOUNTS_READ,
    _A.MESSAGES_READ,
    _A.AUDIENCES_READ,
    _A.JOBS_READ,
    _A.SCHEDULES_READ,
    _A.RUNS_READ,
    _A.ARTIFACTS_READ,
    _A.SECRETS_READ,
    _A.WORKSPACE_READ,
    _A.DELIVERIES_READ,
    _A.SYSTEM_READ,
)
_OPERATOR = (
    _A.ACCOUNTS_WRITE,
    _A.ACCOUNTS_TEST,
    _A.MESSAGES_WRITE,
    _A.AUDIENCES_WRITE,
    _A.JOBS_WRITE,
    _A.JOBS_RUN,
    _A.SCHEDULES_WRITE,
    _A.RUNS_START,
    _A.RUNS_COMMAND,
    _A.RUNS_RESEND,
    _A.ARTIFACTS_WRITE,
    _A.SECRETS_WRITE,
)
_ADMIN = (_A.WORKSPACE_WRITE, _A.AUDIT_READ, _A.ARTIFACTS_HOLD, _A.DELIVERIES_WRITE)
_STOPPING = (_A.RUNS_COMMAND, _A.AUDIT_READ, _A.ARTIFACTS_HOLD)
_ADMIN_BY_SESSION = (_A.MEMBERS_READ, _A.MEMBERS_WRITE, _A.TOKENS_READ, _A.TOKENS_WRITE)

RULES: Mapping[Action, Rule] = MappingProxyType(
    {action: _rule(action, Role.VIEWER, when_archived=True) for action in _VIEWER}
    | {action: _rule(action, Role.OPERATOR, when_archived=action in _STOPPING) for action in _OPERATOR}
    | {action: _rule(action, Role.ADMIN, when_archived=action in _STOPPING) for action in _ADMIN}
    | {action: _by_session(Role.ADMIN) for action in _ADMIN_BY_SESSION}
    | {_A.TOKENS_OWN: _by_session(Role.VIEWER)}
    | {_A.SYSTEM_ADMIN: _by_session(Role.ADMIN, system_admin=True)}
)

SCOPES: frozenset[str] = frozenset(rule.scope for rule in RULES.values() if rule.scope is not None)
"""What a token may be limited to."""
