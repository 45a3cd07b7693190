"""What a member may be in a workspace. SYSTEM_ADMIN is no role but a flag of the user."""

from enum import StrEnum


class Role(StrEnum):
    VIEWER = "VIEWER"
    OPERATOR = "OPERATOR"
    ADMIN = "ADMIN"

    @property
    def rank(self) -> int:
        return _RANKS[self]

    def includes(self, other: "Role") -> bool:
        """Whether whoever has this role may do all that `other` may."""
        return self.rank >= other.rank


_RANKS = {Role.VIEWER: 1, Role.OPERATOR: 2, Role.ADMIN: 3}
