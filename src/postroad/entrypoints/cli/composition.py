"""What the commands receive from the composition root."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from postroad.flows.local_runs import Surroundings
    from postroad.foundation.home import Home
    from postroad.spi import ProviderDescriptor


class Composition(Protocol):
    @property
    def command(self) -> Sequence[str]:
        """How this program is started again."""
        ...

    @property
    def arguments(self) -> Sequence[str]:
        """The command line after the program's name, to print the one that comes next."""
        ...

    @property
    def home(self) -> "Home": ...

    def surroundings(self, secrets_file: Path | None = None) -> "Surroundings":
        """What local runs need. Raises ConfigInvalid for a secrets file that cannot be used."""
        ...

    def descriptors(self) -> Mapping[str, "ProviderDescriptor"]:
        """Every channel this installation has, by id."""
        ...
