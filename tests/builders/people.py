"""People in a real house: identity, workspaces and the audit as the service has them, over the database of a test.

    house = House(databases)
    admin = house.administrator()
    anna = house.member("anna", Role.OPERATOR)

Hashes are cheap here and nothing else is: principals come from real sessions, and a write asks the real tables again.
"""

from collections.abc import Sequence
from dataclasses import replace

from postroad.foundation.ids import IdMaker
from postroad.kernel.authz import Principal
from postroad.kernel.database import Database, KernelParts
from postroad.kernel.limits import MemoryLimiter
from postroad.kernel.pages import PageRequest
from postroad.kernel.uow import Reading
from postroad.modules import audit, identity, workspaces
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret
from tests.builders.databases import CURSORS, Databases

SYSTEM = Principal.system("tests")
PASSWORD = "a password for tests"
CHEAP = identity.HashingCost(memory_kib=8, passes=1)


class Existing:
    """The port of identity to the workspaces."""

    def exists(self, reading: Reading, workspace_id: str) -> bool:
        return workspaces.exists(reading, workspace_id)


class House:
    def __init__(self, databases: Databases, times: identity.SessionTimes | None = None) -> None:
        self.clock = databases.clock
        self.times = times or identity.SessionTimes()
        self.standings = identity.Standings(self.times)
        self.database = Database(
            databases.dialect,
            KernelParts(
                databases.clock,
                IdMaker(databases.clock).uuid7,
                self.standings,
                audit.AuditTrail(),
                databases.wakeups,
                CURSORS,
                workspaces.States(),
            ),
        )
        self.limiter = MemoryLimiter(databases.clock)
        self.door = identity.Doorway(self.database, identity.Passwords(CHEAP), self.limiter, self.times)
        self.uses = identity.LastUses()
        self.authenticator = identity.Authenticator(self.database, self.standings, self.uses)
        self.workspace = self.database.write(SYSTEM, lambda uow: workspaces.create_workspace(uow, "Default"))

    @property
    def workspace_id(self) -> str:
        return self.workspace.id

    def other_workspace(self, name: str = "Other") -> str:
        return self.database.write(SYSTEM, lambda uow: workspaces.create_workspace(uow, name)).id

    def administrator(self, username: str = "root") -> Principal:
        """A system administrator, signed in."""
        self.user(username, system_admin=True)
        return self.sign_in(username)

    def user(self, username: str, *, system_admin: bool = False) -> identity.User:
        """An active user with the password of the tests."""
        ask = identity.NewUser(username, system_admin=system_admin)
        made = self.database.write(SYSTEM, lambda uow: identity.create_user(uow, ask))
        redeem = identity.RedeemPasswordLink(made.link.secret, Secret(PASSWORD))
        return identity.redeem_password_link(self.door, redeem, identity.Origin(source_address=username))

    def member(self, username: str, role: Role, workspace_id: str = "") -> Principal:
        """A user with a role in a workspace, signed in."""
        self.user(username)
        self.join(username, role, workspace_id)
        return self.sign_in(username)

    def join(self, username: str, role: Role, workspace_id: str = "") -> identity.Member:
        ask = identity.AddMember(workspace_id or self.workspace_id, username, role)
        return self.database.write(SYSTEM, lambda uow: identity.add_member(uow, ask, Existing()))

    def session(self, username: str, password: str = PASSWORD, address: str = "") -> identity.SignedIn:
        origin = identity.Origin(source_address=address or username, user_agent="tests")
        return identity.sign_in(self.door, identity.SignIn(username, Secret(password)), origin)

    def sign_in(self, username: str) -> Principal:
        return self.authenticator.by_session(self.session(username).secret)

    def token(self, owner: Principal, scopes: Sequence[str], workspace_id: str = "") -> identity.IssuedToken:
        ask = identity.IssueToken(workspace_id or self.workspace_id, "for tests", scopes)
        return self.database.write(owner, lambda uow: identity.issue_token(uow, ask))

    def again(self, principal: Principal, **changes: object) -> Principal:
        """The principal with other words in it, as a liar would have it."""
        return replace(principal, **changes)  # type: ignore[arg-type]

    def audited(self, **wanted: str) -> list[audit.AuditEvent]:
        """All rows of the audit that fit, oldest first."""
        asked = audit.AuditFilter(**wanted)
        page = self.database.read(
            SYSTEM, lambda reading: audit.list_audit_events(reading, None, PageRequest(limit=100), asked)
        )
        return list(reversed(page.items))
