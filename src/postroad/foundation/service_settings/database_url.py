"""The address of the database: one of two kinds, with no password left in it once it is loaded."""

import os
import stat
from dataclasses import replace
from pathlib import Path
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from postroad.foundation.service_settings.sections import DatabaseSettings
from postroad.vocabulary.errors import ConfigInvalid
from postroad.vocabulary.secret import Secret

_FIELD = "database.url"
_FROM_ENVIRONMENT = "the variable "


def settled_database(given: DatabaseSettings, data_dir: Path, where: str) -> DatabaseSettings:
    """`url` absolute and without password, `password` from wherever it was said. Raises ConfigInvalid."""
    said = where or "the default"
    parts = _split(given.url, said)
    if parts.scheme == "sqlite":
        if parts.netloc or len(parts.path) < 2 or parts.query or parts.fragment:
            raise ConfigInvalid(f"{said}: a SQLite address is `sqlite:///FILE`, and nothing else in it", field=_FIELD)
        file = data_dir / unquote(parts.path.removeprefix("/"))
        return replace(given, url=f"sqlite:///{quote(str(file))}", password=None, password_file=None)
    if parts.scheme != "postgresql" or not parts.hostname or len(parts.path) < 2:
        raise ConfigInvalid(
            f"{said}: `database.url` must be `sqlite:///FILE` or `postgresql://USER@HOST/DATABASE`", field=_FIELD
        )
    password = given.password
    if parts.password is not None:
        if not where.startswith(_FROM_ENVIRONMENT):
            raise ConfigInvalid(
                f"{said}: `database.url` holds a password; take it out and set POSTROAD_DATABASE_PASSWORD or name a "
                "file by database.passwordFile",
                field=_FIELD,
            )
        password = password or Secret(unquote(parts.password))
    if "password" in parts.query:
        raise ConfigInvalid(f"{said}: `database.url` holds a password after the `?`; take it out", field=_FIELD)
    if password is None and given.password_file is not None:
        password = _read_password(data_dir / given.password_file)
    user, _, host = parts.netloc.rpartition("@")
    netloc = f"{user.partition(':')[0]}@{host}" if user else host
    return replace(given, url=urlunsplit(parts._replace(netloc=netloc)), password=password)


def _split(url: str, said: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise ConfigInvalid(f"{said}: `database.url` is no address", field=_FIELD) from None
    return parts


def _read_password(path: Path) -> Secret:
    field = "database.passwordFile"
    try:
        handle = os.open(path, os.O_RDONLY)
        with open(handle, encoding="utf-8") as file:
            mode = os.fstat(handle).st_mode
            text = file.read(4096).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigInvalid(f"the password file {path} cannot be read ({error})", field=field) from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigInvalid(f"others may read the password file {path}; run: chmod 600 {path}", field=field)
    if not text:
        raise ConfigInvalid(f"the password file {path} is empty", field=field)
    return Secret(text)
