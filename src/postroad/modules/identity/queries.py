"""What can be asked about people, sessions and tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from postroad.kernel.authz import Action, Principal, PrincipalKind, Resource, decide
from postroad.kernel.pages import Listing, Page, PageRequest
from postroad.kernel.uow import Reading
from postroad.modules.identity.model import Member, Session, SessionTimes, Token, TokenFilter, User, UserFilter
from postroad.modules.identity.store import members, sessions, tokens, users
from postroad.vocabulary.refusals import AccessDenied, AuthenticationRequired, ResourceNotFound
from postroad.vocabulary.roles import Role


@dataclass(frozen=True, slots=True)
class Me:
    """Who is asking and what he may be where. `scopes` is None for a signed-in person."""

    user: User
    session_id: str
    token_id: str
    roles: Mapping[str, Role]
    scopes: tuple[str, ...] | None


def get_me(reading: Reading) -> Me:
    principal = _somebody(reading)
    user = users.find(reading.connection, principal.user_id)
    if user is None:
        raise AuthenticationRequired("sign in first")
    scopes = None if principal.scopes is None else tuple(sorted(principal.scopes))
    return Me(user, principal.session_id, principal.token_id, principal.roles, scopes)


def list_own_sessions(reading: Reading, times: SessionTimes) -> Sequence[Session]:
    """Those that can still be used, the latest first, at most a hundred. Not for tokens."""
    principal = _somebody(reading)
    if principal.kind is not PrincipalKind.USER:
        raise AccessDenied("a token cannot do this; sign in", action="session", resource_type="user")
    found = sessions.list_valid(reading.connection, principal.user_id, reading.now_ms, times.idle_ms)
    return [replace(session, is_current=session.id == principal.session_id) for session in found]


def list_users(reading: Reading, page: PageRequest, wanted: UserFilter) -> Page[User]:
    """Newest first. Only for a system administrator."""
    resource = Resource("", "users")
    reading.authorize(Action.SYSTEM_ADMIN, resource)
    listing = Listing.open(reading.cursors, page, resource, asdict(wanted))
    rows = users.list_page(reading.connection, listing, wanted)
    return listing.page(rows, lambda row: (row.created_at_ms, row.id))


def get_user(reading: Reading, user_id: str) -> User:
    """Only for a system administrator."""
    reading.authorize(Action.SYSTEM_ADMIN, Resource("", "user", user_id))
    user = users.find(reading.connection, user_id)
    if user is None:
        raise ResourceNotFound("there is no such user")
    return user


def list_members(reading: Reading, workspace_id: str, page: PageRequest, wanted: UserFilter) -> Page[Member]:
    """Who came last first."""
    resource = Resource(workspace_id, "members")
    reading.authorize(Action.MEMBERS_READ, resource)
    listing = Listing.open(reading.cursors, page, resource, asdict(wanted))
    rows = members.list_page(reading.connection, listing, workspace_id, wanted)
    return listing.page(rows, lambda row: (row.created_at_ms, row.id))


def get_member(reading: Reading, workspace_id: str, user_id: str) -> Member:
    reading.authorize(Action.MEMBERS_READ, Resource(workspace_id, "member", user_id))
    member = members.find(reading.connection, workspace_id, user_id)
    if member is None:
        raise ResourceNotFound("there is no such member in this workspace")
    return member


def list_tokens(reading: Reading, workspace_id: str, page: PageRequest, wanted: TokenFilter) -> Page[Token]:
    """Newest first: an administrator sees everybody's, others their own."""
    resource = Resource(workspace_id, "tokens")
    reading.authorize(Action.TOKENS_OWN, resource)
    if not _sees_all_tokens(reading, workspace_id):
        wanted = replace(wanted, user_id=reading.principal.user_id)
    listing = Listing.open(reading.cursors, page, resource, asdict(wanted))
    rows = tokens.list_page(reading.connection, listing, workspace_id, wanted, reading.now_ms)
    return listing.page(rows, lambda row: (row.created_at_ms, row.id))


def get_token(reading: Reading, workspace_id: str, token_id: str) -> Token:
    """Somebody else's is not there for those who are no administrators."""
    reading.authorize(Action.TOKENS_OWN, Resource(workspace_id, "token", token_id))
    token = tokens.find(reading.connection, workspace_id, token_id)
    mine = token is not None and token.user_id == reading.principal.user_id
    if token is None or not (mine or _sees_all_tokens(reading, workspace_id)):
        raise ResourceNotFound("there is no such token in this workspace")
    return token


def find_own_token(reading: Reading) -> Token | None:
    """The token of the caller; None for who did not come with one."""
    principal = reading.principal
    if principal.kind is not PrincipalKind.TOKEN:
        return None
    return next((tokens.find(reading.connection, place, principal.token_id) for place in principal.roles), None)


def is_setup_needed(reading: Reading) -> bool:
    """Whether nobody is there yet. Anybody may know."""
    return not users.has_any(reading.connection)


def _sees_all_tokens(reading: Reading, workspace_id: str) -> bool:
    return decide(reading.principal, Action.TOKENS_READ, Resource(workspace_id, "tokens")).allowed


def _somebody(reading: Reading) -> Principal:
    principal = reading.principal
    if principal.kind not in {PrincipalKind.USER, PrincipalKind.TOKEN}:
        raise AuthenticationRequired("sign in first")
    return principal
