"""API tokens: made by a signed-in member for one workspace, shown once, never above the member's role."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from postroad.kernel.authz import RULES, SCOPES, Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.modules.identity.model import (
    DAY_MS,
    TOKEN_DAYS,
    TOKEN_DAYS_MOST,
    TOKENS_PER_USER,
    IssuedToken,
    Token,
)
from postroad.modules.identity.parts.doorway import SYSTEM_ENTROPY, Entropy
from postroad.modules.identity.parts.token_text import digest_of, new_token, shown_part
from postroad.modules.identity.store import tokens
from postroad.vocabulary.events import Aggregate, EventName
from postroad.vocabulary.names import resource_name
from postroad.vocabulary.refusals import FieldProblem, QuotaExceeded, ResourceNotFound, ValidationFailed
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret


@dataclass(frozen=True, slots=True)
class IssueToken:
    workspace_id: str
    name: str
    scopes: Sequence[str]
    expires_in_days: int = TOKEN_DAYS


def issue_token(uow: UnitOfWork, ask: IssueToken, entropy: Entropy = SYSTEM_ENTROPY) -> IssuedToken:
    """Raises ValidationFailed, QuotaExceeded at the twentieth active token of the user."""
    uow.authorize(Action.TOKENS_OWN, Resource(ask.workspace_id, "token"))
    owner = uow.standing_principal()
    role = Role.ADMIN if owner.system_admin else owner.roles[ask.workspace_id]
    scopes = _granted(ask.scopes, role)
    if not 1 <= ask.expires_in_days <= TOKEN_DAYS_MOST:
        said = f"a token lives 1 to {TOKEN_DAYS_MOST} days"
        raise ValidationFailed.of("expiresInDays", "OUT_OF_RANGE", said)
    tokens.take_turn(uow.connection, owner.user_id)
    if tokens.count_active(uow.connection, owner.user_id, uow.now_ms) >= TOKENS_PER_USER:
        raise QuotaExceeded(f"you have {TOKENS_PER_USER} active tokens; revoke one that is not used any more")
    text = new_token(entropy)
    token = Token(
        id=uow.new_id(),
        workspace_id=ask.workspace_id,
        user_id=owner.user_id,
        username=owner.username,
        name=resource_name(ask.name),
        shown=shown_part(text),
        scopes=scopes,
        expires_at_ms=uow.now_ms + ask.expires_in_days * DAY_MS,
        last_used_at_ms=None,
        revoked_at_ms=None,
        disabled_at_ms=None,
        version=1,
        created_at_ms=uow.now_ms,
        updated_at_ms=uow.now_ms,
    )
    tokens.add(uow.connection, token, digest_of(text))
    _tell(uow, token, "create")
    return IssuedToken(Secret(text), token)


def revoke_token(uow: UnitOfWork, workspace_id: str, token_id: str) -> Token:
    """One's own, or anybody's by an administrator of the workspace. Takes effect with the next request.

    Asks for no version and may be repeated: nothing may stand in the way of a revocation.
    """
    uow.authorize(Action.TOKENS_OWN, Resource(workspace_id, "token", token_id))
    token = tokens.lock(uow.connection, workspace_id, token_id)
    if token is None:
        raise ResourceNotFound("there is no such token in this workspace")
    if token.user_id != uow.principal.user_id:
        uow.authorize(Action.TOKENS_WRITE, Resource(workspace_id, "token", token_id))
    return token if token.revoked_at_ms is not None else _revoked(uow, token)


def revoke_tokens_of(uow: UnitOfWork, workspace_id: str, user_id: str) -> None:
    """All that one user has for one workspace; asks for no right."""
    for token in tokens.lock_active_of(uow.connection, workspace_id, user_id, uow.now_ms):
        _revoked(uow, token)


def _revoked(uow: UnitOfWork, token: Token) -> Token:
    token = replace(token, revoked_at_ms=uow.now_ms, version=token.version + 1, updated_at_ms=uow.now_ms)
    tokens.save_revoked(uow.connection, token)
    _tell(uow, token, "revoke")
    return token


def _granted(scopes: Sequence[str], role: Role) -> tuple[str, ...]:
    """In order and each once. Raises ValidationFailed for what is no scope or needs more than the role."""
    problems = []
    for place, scope in enumerate(scopes):
        if scope not in SCOPES:
            said = f"is no scope; there are {', '.join(sorted(SCOPES))}"
            problems.append(FieldProblem(f"scopes.{place}", "SCOPE_UNKNOWN", said))
        elif not role.includes(RULES[Action(scope)].role):
            said = f"{scope} needs the role {RULES[Action(scope)].role}; you are {role} here"
            problems.append(FieldProblem(f"scopes.{place}", "SCOPE_ABOVE_ROLE", said))
    if not scopes:
        problems.append(FieldProblem("scopes", "REQUIRED", "a token needs at least one scope"))
    if problems:
        raise ValidationFailed(f"{problems[0].path}: {problems[0].message}", problems=problems)
    return tuple(sorted(set(scopes)))


def _tell(uow: UnitOfWork, token: Token, change: str) -> None:
    payload = {"change": change, "userId": token.user_id, "shown": token.shown}
    aggregate = Aggregate("token", token.id, token.version)
    uow.emit(EventName.TOKEN_CHANGED, aggregate, payload, workspace_id=token.workspace_id)
    details = {"name": token.name, "shown": token.shown, "scopes": list(token.scopes)}
    uow.audit(f"token.{change}", Resource(token.workspace_id, "token", token.id), details=details)
