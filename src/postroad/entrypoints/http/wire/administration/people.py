"""Users, members, sessions on the wire."""

from typing import Annotated

from pydantic import Field, StringConstraints

from postroad.entrypoints.http.conventions import Asked, Instant, PageShown, Shown, stamp
from postroad.modules.identity import OneTimeCode, UserStatus
from postroad.vocabulary.roles import Role

Typed = Annotated[str, StringConstraints(max_length=1024)]
"""What a person types: its rules are the module's, here it is only kept from being endless."""
Password = Annotated[str, Field(max_length=1024, json_schema_extra={"format": "password"})]
Name = Annotated[str, Field(max_length=256)]


class UserShown(Shown):
    id: str
    username: str
    display_name: str
    status: UserStatus
    system_admin: bool
    has_password: bool
    external_subject: str | None
    last_sign_in_at: Instant | None = stamp("last_sign_in_at_ms")
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class UserPage(Shown):
    items: list[UserShown]
    page: PageShown


class LinkShown(Shown):
    """Hand the link to the person: it works once. It is shown this once."""

    link: str
    code: str
    expires_at: Instant = stamp("expires_at_ms")

    @staticmethod
    def made(code: OneTimeCode, public_base_url: str) -> "LinkShown":
        secret = code.secret.reveal()
        return LinkShown.of(
            {
                "link": f"{public_base_url}/password#code={secret}",
                "code": secret,
                "expires_at_ms": code.expires_at_ms,
            }
        )


class UserCreated(Shown):
    user: UserShown
    password_link: LinkShown


class NewUserAsked(Asked):
    username: Name
    display_name: Name = ""
    system_admin: bool = False
    external_subject: Name | None = None


class UserChanged(Asked):
    """What is not given stays."""

    display_name: Name | None = None
    status: UserStatus | None = None
    system_admin: bool | None = None


class MemberShown(Shown):
    user_id: str
    username: str
    display_name: str
    status: UserStatus
    role: Role
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class MemberPage(Shown):
    items: list[MemberShown]
    page: PageShown


class MemberAsked(Asked):
    username: Name
    role: Role


class RoleAsked(Asked):
    role: Role


class SessionShown(Shown):
    id: str
    created_at: Instant = stamp("created_at_ms")
    last_seen_at: Instant = stamp("last_seen_at_ms")
    expires_at: Instant = stamp("expires_at_ms")
    source_address: str
    user_agent: str
    is_current: bool


class SessionList(Shown):
    items: list[SessionShown]


class SignedInShown(Shown):
    session: SessionShown
    user: UserShown


class SignInAsked(Asked):
    username: Typed
    password: Password


class SetupShown(Shown):
    needed: bool


class SetupAsked(Asked):
    code: Typed
    username: Name
    display_name: Name = ""
    password: Password


class PasswordChosen(Asked):
    code: Typed
    password: Password


class PasswordChanged(Asked):
    current_password: Password
    new_password: Password


class OwnNameChanged(Asked):
    display_name: Name


class RoleShown(Shown):
    workspace_id: str
    role: Role


class MeShown(Shown):
    """`sessionId` or `tokenId` says what was shown; `scopes` limits a token."""

    user: UserShown
    session_id: str | None
    token_id: str | None
    roles: list[RoleShown]
    scopes: list[str] | None
