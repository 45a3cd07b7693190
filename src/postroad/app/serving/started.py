"""What a start is asked for, and what it tells."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


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
