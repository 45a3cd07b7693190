"""The first administrator: whoever holds the code that the service printed when it started and nobody was there.

The code opens only while there is no user at all. It is used in the transaction that makes the user, so two who hold
it at once do not both become administrators.
"""

from dataclasses import dataclass

from postroad.kernel.authz import ANONYMOUS, Principal, PrincipalKind
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.identity.commands.passwords import hashed
from postroad.modules.identity.commands.users import NewUser, add_user
from postroad.modules.identity.model import SETUP_CODE_MS, CodePurpose, OneTimeCode, User
from postroad.modules.identity.parts.codes import issue_code, matching
from postroad.modules.identity.parts.doorway import SYSTEM_ENTROPY, Doorway, Entropy, Origin
from postroad.modules.identity.parts.names import clean_username
from postroad.modules.identity.parts.throttle import take_code_try
from postroad.modules.identity.store import codes, users
from postroad.vocabulary.refusals import AccessDenied, StateConflict
from postroad.vocabulary.secret import Secret

_SETUP = Principal.system("setup")


@dataclass(frozen=True, slots=True)
class SetUp:
    code: Secret
    username: str
    password: Secret
    display_name: str = ""


def new_setup_code(uow: UnitOfWork, entropy: Entropy = SYSTEM_ENTROPY) -> OneTimeCode | None:
    """A code to print, valid for a day; None once somebody is there. Only the service itself calls this."""
    if uow.principal.kind is not PrincipalKind.SYSTEM:
        raise AccessDenied("only the service itself makes the code for the first administrator")
    if users.has_any(uow.connection):
        return None
    return issue_code(uow, CodePurpose.SETUP, SETUP_CODE_MS, entropy)


def create_first_administrator(door: Doorway, ask: SetUp, origin: Origin) -> User:
    """Raises ValidationFailed for a wrong code or unfit names, StateConflict once somebody is there, RateLimited."""
    take_code_try(door.limiter, origin.source_address)
    door.database.read(ANONYMOUS, lambda reading: _checked(reading, ask.code))
    fresh = hashed(door, ask.password, clean_username(ask.username), "password")

    def write(uow: UnitOfWork) -> User:
        codes.stand_alone(uow.connection)
        _checked(uow, ask.code)
        codes.close_open(uow.connection, CodePurpose.SETUP, uow.now_ms)
        return add_user(uow, NewUser(ask.username, ask.display_name, system_admin=True), password_hash=fresh)

    return door.database.write(
        _SETUP, write, correlation_id=origin.correlation_id, source_address=origin.source_address
    )


def _checked(reading: Reading, code: Secret) -> codes.OpenCode:
    if users.has_any(reading.connection):
        raise StateConflict("the first administrator is there already; ask for an account of your own")
    return matching(code, codes.list_open(reading.connection, CodePurpose.SETUP, reading.now_ms))
