"""What the commands receive from the composition root."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from postroad.egress import Egress
    from postroad.flows.local_runs import Surroundings
    from postroad.foundation.home import Home
    from postroad.spi import ProviderDescriptor


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What the command line says. `flags` are texts by the path of the setting: `{"server.port": "8080"}`."""

    config: Path | None
    flags: Mapping[str, str]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Started:
    """What whoever started the service should read."""

    url: str
    setup_link: str
    """Makes the first administrator, once; empty as soon as there is a user."""
    data_dir: Path
    key_file: Path
    key_file_is_new: bool
    summary: Mapping[str, str]
    """The settings that hold, secrets masked."""


@dataclass(frozen=True, slots=True)
class KeyVersion:
    """One master key of a service's key ring."""

    name: str
    is_active: bool
    """It encrypts what is new."""
    is_needed: bool
    """Stored secrets were encrypted with it."""


class KeyDesk(Protocol):
    """The key ring of a service, beside the service."""

    @property
    def file(self) -> Path: ...

    def versions(self) -> Sequence[KeyVersion]:
        """The oldest first. Raises KeysUnusable, and what opening the database raises."""
        ...

    def rotate(self, *, signing: bool) -> str:
        """Adds a version and makes it active; its name. Raises KeysUnusable."""
        ...

    def drop(self, version: str) -> None:
        """Forgets a version for good. Raises StateConflict while something may need it, KeysUnusable."""
        ...


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

    @property
    def egress(self) -> "Egress":
        """The way out. What a person names on the command line is opened by whoever calls there."""
        ...

    def surroundings(self, secrets_file: Path | None = None) -> "Surroundings":
        """What local runs need. Raises ConfigInvalid for a secrets file that cannot be used."""
        ...

    def descriptors(self) -> Mapping[str, "ProviderDescriptor"]:
        """Every channel this installation has, by id."""
        ...

    def keys(self, options: ServeOptions) -> KeyDesk:
        """The key ring of the service with these settings. Raises ConfigInvalid."""
        ...

    def serve(self, options: ServeOptions, tell: Callable[[Started], None]) -> int:
        """Runs the service until it is stopped; `tell` is called once it listens. The exit code of the process."""
        ...
