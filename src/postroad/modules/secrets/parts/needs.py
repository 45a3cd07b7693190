"""What secrets need from elsewhere; the composition root fills it in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from postroad.kernel.uow import UnitOfWork


@dataclass(frozen=True, slots=True)
class Referrer:
    """Something whose configuration names the secret: an account, a message, a run that is under way."""

    kind: str
    id: str
    name: str


class SecretUses(Protocol):
    def of_secret(self, uow: UnitOfWork, workspace_id: str, namespace: str, name: str) -> Sequence[Referrer]:
        """What would miss it; the first few are enough. A plain name means the namespace `default`."""
        ...
