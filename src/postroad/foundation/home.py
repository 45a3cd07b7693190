"""The folder that belongs to one installation: the index of its sends and its keys. Readable by its owner alone."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from postroad.vocabulary.errors import ConfigInvalid


@dataclass(frozen=True, slots=True)
class Home:
    root: Path

    @staticmethod
    def from_environment(environment: Mapping[str, str] | None = None) -> "Home":
        """`POSTROAD_HOME`, or `~/.postroad`. Nothing is made on disk."""
        values = os.environ if environment is None else environment
        given = values.get("POSTROAD_HOME", "")
        return Home(Path(given).expanduser() if given else Path.home() / ".postroad")

    @property
    def sends(self) -> Path:
        return self.root / "sends"

    @property
    def keys(self) -> Path:
        return self.root / "keys"

    def make(self) -> "Home":
        """Makes the folders with mode 0700. Raises ConfigInvalid where somebody else may write into them."""
        for folder in (self.root, self.sends, self.keys):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                mode = folder.stat().st_mode
            except OSError as error:
                raise ConfigInvalid(
                    f"the folder {folder} cannot be used ({error.strerror}); set POSTROAD_HOME to one that can",
                    field="POSTROAD_HOME",
                ) from error
            if mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise ConfigInvalid(
                    f"others may write into {folder} (mode {stat.S_IMODE(mode):04o}); run: chmod 700 {folder}",
                    field="POSTROAD_HOME",
                )
        return self
