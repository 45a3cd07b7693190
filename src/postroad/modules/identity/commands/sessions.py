"""Ending sessions: one's own, or those of somebody else by a system administrator."""

from postroad.kernel.authz import Action, PrincipalKind, Resource
from postroad.kernel.uow import UnitOfWork
from postroad.modules.identity.store import sessions, users
from postroad.vocabulary.refusals import AccessDenied, AuthenticationRequired, ResourceNotFound


def signed_in_user(uow: UnitOfWork) -> str:
    """The id of the person whose session this is, at this moment. Raises AuthenticationRequired, AccessDenied."""
    principal = uow.standing_principal()
    match principal.kind:
        case PrincipalKind.USER:
            return principal.user_id
        case PrincipalKind.ANONYMOUS:
            raise AuthenticationRequired("sign in first")
        case _:
            raise AccessDenied("a token cannot do this; sign in", action="session", resource_type="user")


def sign_out(uow: UnitOfWork) -> None:
    """Ends the session that asks."""
    revoke_own_session(uow, uow.principal.session_id)


def revoke_own_session(uow: UnitOfWork, session_id: str) -> None:
    """Raises ResourceNotFound where it is not one of the caller's own that can still be used."""
    user_id = signed_in_user(uow)
    if not sessions.revoke(uow.connection, user_id, session_id, uow.now_ms):
        raise ResourceNotFound("there is no such session of yours")
    uow.audit("session.revoke", Resource("", "user", user_id), details={"sessionId": session_id})


def sign_out_everywhere(uow: UnitOfWork, *, keep_this: bool) -> int:
    """Ends all sessions of the one who asks; how many."""
    user_id = signed_in_user(uow)
    ended = sessions.revoke_all(uow.connection, user_id, uow.now_ms, but=uow.principal.session_id if keep_this else "")
    uow.audit("session.revoke", Resource("", "user", user_id), details={"ended": ended})
    return ended


def sign_out_user(uow: UnitOfWork, user_id: str) -> int:
    """Ends all sessions of a user; how many. Only for a system administrator."""
    resource = Resource("", "user", user_id)
    uow.authorize(Action.SYSTEM_ADMIN, resource)
    if users.lock(uow.connection, user_id) is None:
        raise ResourceNotFound("there is no such user")
    ended = sessions.revoke_all(uow.connection, user_id, uow.now_ms)
    uow.audit("session.revoke", resource, details={"ended": ended})
    return ended
