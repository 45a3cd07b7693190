"""Who asks. Made by authentication, checked again inside every write."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from postroad.vocabulary.roles import Role


class PrincipalKind(StrEnum):
    USER = "USER"
    """A signed-in person."""
    TOKEN = "TOKEN"  # noqa: S105  (kernel: the word for a kind of caller, no password; until 2028-01-01)
    """A program with a personal token; never more than its owner may."""
    SYSTEM = "SYSTEM"
    """The service itself: a scheduler, a sweep."""
    ANONYMOUS = "ANONYMOUS"


@dataclass(frozen=True, slots=True)
class Principal:
    kind: PrincipalKind
    user_id: str = ""
    username: str = ""
    session_id: str = ""
    token_id: str = ""
    system_admin: bool = False
    """Of a USER: may act in every workspace as ADMIN. A token never carries it further than `roles`."""
    roles: Mapping[str, Role] = field(default_factory=lambda: MappingProxyType({}))
    """Workspace id → role."""
    scopes: frozenset[str] | None = None
    """What a TOKEN is limited to; None for everybody else."""

    @staticmethod
    def system(name: str) -> "Principal":
        return Principal(PrincipalKind.SYSTEM, username=name)

    @property
    def actor(self) -> str:
        """How events and the audit name the principal: `user:<id>`, `token:<id>`, `system:<name>`, `anonymous`."""
        match self.kind:
            case PrincipalKind.USER:
                return f"user:{self.user_id}"
            case PrincipalKind.TOKEN:
                return f"token:{self.token_id}"
            case PrincipalKind.SYSTEM:
                return f"system:{self.username}"
            case PrincipalKind.ANONYMOUS:
                return "anonymous"


ANONYMOUS = Principal(PrincipalKind.ANONYMOUS)
