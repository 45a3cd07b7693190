"""Whether a principal may do something: pure, from the table alone.

A stranger to a workspace learns nothing, not even that it exists; a member learns what is missing. A SYSTEM principal
is the service itself and may do everything; its work is audited under its name.
"""

from dataclasses import dataclass
from enum import StrEnum

from postroad.kernel.authz.actions import Action
from postroad.kernel.authz.principal import Principal, PrincipalKind
from postroad.kernel.authz.table import RULES, Rule
from postroad.vocabulary.roles import Role


@dataclass(frozen=True, slots=True)
class Resource:
    workspace_id: str
    """Empty for what belongs to no workspace: users, the system itself."""
    type: str
    id: str = ""


class Reason(StrEnum):
    ALLOWED = "ALLOWED"
    NOT_AUTHENTICATED = "NOT_AUTHENTICATED"
    NOT_A_MEMBER = "NOT_A_MEMBER"
    ROLE_TOO_LOW = "ROLE_TOO_LOW"
    SCOPE_MISSING = "SCOPE_MISSING"
    SESSION_NEEDED = "SESSION_NEEDED"
    SYSTEM_ADMIN_NEEDED = "SYSTEM_ADMIN_NEEDED"
    STATE = "STATE"


@dataclass(frozen=True, slots=True)
class Decision:
    allowed: bool
    reason: Reason


def decide(principal: Principal, action: Action, resource: Resource, state: str = "") -> Decision:
    """`state` is the resource's, where the rule of the action asks for it."""
    reason = _reason(principal, RULES[action], resource, state)
    return Decision(reason is Reason.ALLOWED, reason)


def _reason(principal: Principal, rule: Rule, resource: Resource, state: str) -> Reason:
    match principal.kind:
        case PrincipalKind.ANONYMOUS:
            return Reason.NOT_AUTHENTICATED
        case PrincipalKind.SYSTEM:
            return _by_state(rule, state)
        case PrincipalKind.USER | PrincipalKind.TOKEN:
            return _of_person(principal, rule, resource) or _by_state(rule, state)


def _of_person(principal: Principal, rule: Rule, resource: Resource) -> Reason | None:
    """Why not, or None. A token is its owner made smaller: it never acts as a SYSTEM_ADMIN."""
    is_token = principal.kind is PrincipalKind.TOKEN
    is_admin = principal.system_admin and not is_token
    role = Role.ADMIN if is_admin else principal.roles.get(resource.workspace_id)
    if role is None and resource.workspace_id:
        return Reason.NOT_A_MEMBER
    if is_token and (rule.session_only or rule.scope is None):
        return Reason.SESSION_NEEDED
    if rule.system_admin and not is_admin:
        return Reason.SYSTEM_ADMIN_NEEDED
    if role is None or not role.includes(rule.role):
        return Reason.ROLE_TOO_LOW
    if is_token and rule.scope not in (principal.scopes or frozenset()):
        return Reason.SCOPE_MISSING
    return None


def _by_state(rule: Rule, state: str) -> Reason:
    return Reason.ALLOWED if rule.states is None or state in rule.states else Reason.STATE
