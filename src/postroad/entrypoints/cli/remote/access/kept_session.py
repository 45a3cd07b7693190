"""The session of a signed-in person: one file in the home folder that only its owner can read.

It holds what opens the service, so a file that others may read is refused, not used. A crash while it is written leaves
the old one or the new one.
"""

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from postroad.entrypoints.cli.texts import say
from postroad.foundation.home import Home
from postroad.foundation.whole_files import write_whole
from postroad.vocabulary.errors import ConfigInvalid
from postroad.vocabulary.secret import Secret

FILE_NAME = "session.json"
_FORMAT = "postroad-session/1"
_TEXTS = ("url", "cookie", "username", "workspaceId", "workspaceName", "caFile")


@dataclass(frozen=True, slots=True)
class KeptSession:
    url: str
    cookie: Secret
    """`name=value`, as the service set it; empty after signing out, when only the address is kept."""
    username: str = ""
    workspace_id: str = ""
    """Empty where none is chosen."""
    workspace_name: str = ""
    ca_file: str = ""

    @property
    def is_signed_in(self) -> bool:
        return bool(self.cookie.reveal())


def keep_session(home: Home, session: KeptSession) -> None:
    """Raises ConfigInvalid, StorageFull, StorageFailed."""
    values = (
        session.url,
        session.cookie.reveal(),
        session.username,
        session.workspace_id,
        session.workspace_name,
        session.ca_file,
    )
    content = json.dumps({"format": _FORMAT, **dict(zip(_TEXTS, values, strict=True))}, ensure_ascii=False, indent=1)
    write_whole(home.make().root / FILE_NAME, content.encode() + b"\n", 0o600)


def find_session(home: Home) -> KeptSession | None:
    """None where nobody ever signed in here. Raises ConfigInvalid for a file that others may read or that is none."""
    path = home.root / FILE_NAME
    try:
        content = _owners_alone(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigInvalid(
            say("the session file {file} cannot be read ({reason})", file=path, reason=error.strerror), field=str(path)
        ) from error
    session = _parsed(content)
    if session is None:
        raise ConfigInvalid(
            say("the session file {file} is damaged; remove it and sign in again: postroad login", file=path),
            field=str(path),
        )
    return session


def _parsed(content: bytes) -> KeptSession | None:
    try:
        value = json.loads(content)
        url, cookie, username, workspace_id, workspace_name, ca_file = (str(value[name]) for name in _TEXTS)
    except (ValueError, KeyError, TypeError):
        return None
    if value.get("format") != _FORMAT:
        return None
    return KeptSession(url, Secret(cookie), username, workspace_id, workspace_name, ca_file)


def _owners_alone(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY)
    with open(handle, "rb") as file:
        mode = os.fstat(handle).st_mode
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ConfigInvalid(
                say(
                    "others may read the session file {file} (mode {mode}); run: chmod 600 {file}",
                    file=path,
                    mode=f"{stat.S_IMODE(mode):04o}",
                ),
                field=str(path),
            )
        return file.read(1 << 20)
