"""Identity: people, what they may be in which workspace, and what they show to come in.

Owns the tables `users`, `role_bindings`, `sessions`, `tokens` and `one_time_codes`.

A username is unique after NFKC and case folding and never changes. Passwords are kept as argon2id, sessions, tokens and
codes as SHA-256; each is shown once. Who is unknown, disabled or mistaken gets the same answer after the same work, and
tries are throttled. Rights are read at each use, so a role, session or token that is taken away is gone with the next
request, and a write asks again under its own lock. Once there is an active system administrator there always is one;
the first one comes by a code that opens only while nobody is there. A token belongs to one workspace, acts as its owner
within its scopes and never as a system administrator; managing tokens and members needs a signed-in session. Ten
refused calls of the open API within an hour disable a token, once; its owner enables it again.

Publishes `user.changed`, `member.changed` and `token.changed`. Sessions are audited and publish nothing.
"""

from postroad.modules.identity.commands.members import AddMember, ChangeRole, add_member, change_role, remove_member
from postroad.modules.identity.commands.passwords import (
    ChangePassword,
    RedeemPasswordLink,
    change_password,
    redeem_password_link,
)
from postroad.modules.identity.commands.sessions import (
    revoke_own_session,
    sign_out,
    sign_out_everywhere,
    sign_out_user,
)
from postroad.modules.identity.commands.setup import SetUp, create_first_administrator, new_setup_code
from postroad.modules.identity.commands.sign_in import SignIn, sign_in
from postroad.modules.identity.commands.sweeping import forget_ended
from postroad.modules.identity.commands.token_failures import enable_token, note_open_failure
from postroad.modules.identity.commands.tokens import IssueToken, issue_token, revoke_token
from postroad.modules.identity.commands.users import (
    ChangeUser,
    CreatedUser,
    NewUser,
    change_own_name,
    change_user,
    create_user,
    issue_password_link,
)
from postroad.modules.identity.model import (
    IssuedToken,
    Member,
    OneTimeCode,
    Session,
    SessionTimes,
    SignedIn,
    Token,
    TokenFilter,
    TokenStatus,
    User,
    UserFilter,
    UserStatus,
)
from postroad.modules.identity.parts.authenticating import Authenticator
from postroad.modules.identity.parts.doorway import Doorway, Origin
from postroad.modules.identity.parts.last_use import LastUses
from postroad.modules.identity.parts.passwords import HashingCost, Passwords
from postroad.modules.identity.queries import (
    Me,
    find_own_token,
    get_me,
    get_member,
    get_token,
    get_user,
    is_setup_needed,
    list_members,
    list_own_sessions,
    list_tokens,
    list_users,
)
from postroad.modules.identity.store.standings import Standings

__all__ = [
    "AddMember",
    "Authenticator",
    "ChangePassword",
    "ChangeRole",
    "ChangeUser",
    "CreatedUser",
    "Doorway",
    "HashingCost",
    "IssueToken",
    "IssuedToken",
    "LastUses",
    "Me",
    "Member",
    "NewUser",
    "OneTimeCode",
    "Origin",
    "Passwords",
    "RedeemPasswordLink",
    "Session",
    "SessionTimes",
    "SetUp",
    "SignIn",
    "SignedIn",
    "Standings",
    "Token",
    "TokenFilter",
    "TokenStatus",
    "User",
    "UserFilter",
    "UserStatus",
    "add_member",
    "change_own_name",
    "change_password",
    "change_role",
    "change_user",
    "create_first_administrator",
    "create_user",
    "enable_token",
    "find_own_token",
    "forget_ended",
    "get_me",
    "get_member",
    "get_token",
    "get_user",
    "is_setup_needed",
    "issue_password_link",
    "issue_token",
    "list_members",
    "list_own_sessions",
    "list_tokens",
    "list_users",
    "new_setup_code",
    "note_open_failure",
    "redeem_password_link",
    "remove_member",
    "revoke_own_session",
    "revoke_token",
    "sign_in",
    "sign_out",
    "sign_out_everywhere",
    "sign_out_user",
]
