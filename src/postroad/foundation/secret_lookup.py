"""Where a local send finds its secrets: the environment, then a file that only its owner can read.

`{"$secret": "smtp-password"}` is looked for as POSTROAD_SECRET_SMTP_PASSWORD and then as `smtp-password` in the file.
A file that others may read is refused before it is opened, and a secret that is empty counts as not set. Nothing is
cached on disk and no message shows a value.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from postroad.vocabulary.errors import ConfigInvalid, SecretMissing
from postroad.vocabulary.secret import Secret

PREFIX = "POSTROAD_SECRET_"


def variable_of(name: str) -> str:
    """The environment variable that may hold the secret `name`."""
    return PREFIX + "".join(letter if letter.isalnum() else "_" for letter in name).upper()


class SecretLookup:
    def __init__(self, environment: Mapping[str, str] | None = None, file: Path | None = None) -> None:
        """Reads `file` at once. Raises ConfigInvalid where its mode is loose or it is not `name: value` lines."""
        self._environment = os.environ if environment is None else environment
        self._file = file
        self._kept = {} if file is None else _read(file)

    def resolve(self, name: str) -> Secret:
        variable = variable_of(name)
        for key in (PREFIX + name, variable):
            if self._environment.get(key):
                return Secret(self._environment[key])
        if name in self._kept:
            return self._kept[name]
        beside = f" or put `{name}: …` into {self._file}" if self._file else " or name a secrets file (mode 0600)"
        raise SecretMissing(
            f"the secret `{name}` is not set or empty; set {variable} in the environment{beside}", field=name
        )


class GivenSecrets:
    """Secrets somebody handed over by name; what is not among them is missing."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._secrets = {name: Secret(text) for name, text in texts.items()}

    def resolve(self, name: str) -> Secret:
        if name not in self._secrets:
            raise SecretMissing(f"the secret `{name}` was not handed over", field=name)
        return self._secrets[name]


def _read(path: Path) -> dict[str, Secret]:
    try:
        content = _owners_alone(path)
    except OSError as error:
        raise ConfigInvalid(f"the secrets file {path} cannot be read: {error.strerror}", field="secrets") from error
    import yaml

    try:
        value = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        # What a value cannot be made into (a date, a number) is quoted in the words of such an error.
        raise ConfigInvalid(f"the secrets file {path} is not YAML of `name: value` lines", field="secrets") from None
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
        raise ConfigInvalid(
            f"the secrets file {path} must hold `name: value` lines with text values; quote numbers", field="secrets"
        )
    return {name: Secret(text) for name, text in value.items() if text}


def _owners_alone(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY)
    try:
        mode = os.fstat(handle).st_mode
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ConfigInvalid(
                f"others may read the secrets file {path} (mode {stat.S_IMODE(mode):04o}); run: chmod 600 {path}",
                field="secrets",
            )
        with open(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)
