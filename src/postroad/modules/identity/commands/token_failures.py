"""A token whose calls of the open API are refused again and again is disabled, so that a program gone wild stops.

One row lock holds the count and the decision: of calls that fail at once exactly one finds the token still enabled, and
only that one tells of it.
"""

from dataclasses import replace

from postroad.kernel.authz import Action, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.modules.identity.model import OPEN_FAILURES_MOST, OPEN_FAILURES_WITHIN_MS, Token
from postroad.modules.identity.store import tokens
from postroad.vocabulary.events import Aggregate, EventName
from postroad.vocabulary.refusals import ResourceNotFound


def note_open_failure(uow: UnitOfWork, token_id: str) -> bool:
    """Counts a refused call of the token. Whether this one disabled it."""
    held = tokens.lock_failures(uow.connection, token_id)
    if held is None or held[0].disabled_at_ms is not None:
        return False
    token, before = held
    since_ms = uow.now_ms - OPEN_FAILURES_WITHIN_MS
    failures = [*(at_ms for at_ms in before if at_ms > since_ms), uow.now_ms]
    if len(failures) < OPEN_FAILURES_MOST:
        tokens.save_failures(uow.connection, token, failures)
        return False
    token = replace(token, disabled_at_ms=uow.now_ms, version=token.version + 1, updated_at_ms=uow.now_ms)
    tokens.save_failures(uow.connection, token, [])
    _tell(uow, token, "disable")
    return True


def enable_token(uow: UnitOfWork, workspace_id: str, token_id: str) -> Token:
    """Only by its owner; may be repeated. Raises ResourceNotFound, also for the token of somebody else."""
    uow.authorize(Action.TOKENS_OWN, Resource(workspace_id, "token", token_id))
    held = tokens.lock_failures(uow.connection, token_id)
    if held is None or held[0].workspace_id != workspace_id or held[0].user_id != uow.principal.user_id:
        raise ResourceNotFound("you have no such token in this workspace")
    token = held[0]
    if token.disabled_at_ms is None:
        return token
    token = replace(token, disabled_at_ms=None, version=token.version + 1, updated_at_ms=uow.now_ms)
    tokens.save_failures(uow.connection, token, [])
    _tell(uow, token, "enable")
    return token


def _tell(uow: UnitOfWork, token: Token, change: str) -> None:
    payload = {"change": change, "userId": token.user_id, "shown": token.shown}
    aggregate = Aggregate("token", token.id, token.version)
    uow.emit(EventName.TOKEN_CHANGED, aggregate, payload, workspace_id=token.workspace_id)
    details = {"name": token.name, "shown": token.shown}
    uow.audit(f"token.{change}", Resource(token.workspace_id, "token", token.id), details=details)
