"""The kinds of value a setting can have: how each is read from text and how it is shown again.

Whatever the source, a value arrives as text: what YAML makes of `1:30` or `no` by itself never matters. A `ValueError`
says what was expected; the caller adds the name, the file and the line.
"""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from postroad.vocabulary.secret import Secret

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"": 1, "B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4}
_YES, _NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


@dataclass(frozen=True, slots=True)
class ValueKind:
    said: str
    """What the value must be, as words: `a duration like 1s, 5m or 24h`."""
    parse: Callable[[str], object]
    show: Callable[[object], str] = str
    is_list: bool = False


def _duration(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", text)
    if found is None:
        raise ValueError
    return float(found[1]) * _SECONDS[found[2]]


def show_duration(seconds: object) -> str:
    assert isinstance(seconds, float)
    for unit in ("d", "h", "m", "s"):
        if seconds and seconds % _SECONDS[unit] == 0:
            return f"{int(seconds // _SECONDS[unit])}{unit}"
    return f"{round(seconds * 1000)}ms"


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d+) ?(B|KiB|MiB|GiB|TiB)?", text)
    if found is None:
        raise ValueError
    return int(found[1]) * _BYTES[found[2] or ""]


def show_size(size: object) -> str:
    assert isinstance(size, int)
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size and size % _BYTES[unit] == 0:
            return f"{size // _BYTES[unit]}{unit}"
    return f"{size}B"


def _flag(text: str) -> bool:
    if text.lower() in _YES | _NO:
        return text.lower() in _YES
    raise ValueError


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _networks(text: str) -> tuple[str, ...]:
    return tuple(str(ipaddress.ip_network(part)) for part in _parts(text))


def _line(text: str) -> str:
    if any(ord(letter) < 32 for letter in text):
        raise ValueError
    return text


def _some(text: str) -> str:
    if not text.strip():
        raise ValueError
    return _line(text)


def _http_origin(text: str) -> str:
    if not re.fullmatch(r"https?://[^/\s?#@]+(/[^\s?#]*)?", text):
        raise ValueError
    return text.rstrip("/")


def _origins(text: str) -> tuple[str, ...]:
    found = _parts(text)
    if not all(re.fullmatch(r"https?://[^/\s?#@*]+", each) for each in found):
        raise ValueError
    return found


def _tuple(value: object) -> tuple[object, ...]:
    assert isinstance(value, tuple)
    return value


def _listed(value: object) -> str:
    assert isinstance(value, tuple)
    return ", ".join(value) or "none"


TEXT = ValueKind("a line of text", _some)
FLAG = ValueKind("true or false", _flag, lambda value: "true" if value else "false")
DURATION = ValueKind("a duration like 500ms, 1s, 5m, 24h or 30d", _duration, show_duration)
SIZE = ValueKind("a size like 64KiB, 1MiB or 2GiB", _size, show_size)
PATH = ValueKind("a path; a relative one begins at dataDir", lambda text: Path(_some(text)).expanduser())
FOLDER = ValueKind("a path of a folder", lambda text: Path(_some(text)).expanduser().absolute())
FOLDERS = ValueKind(
    "a list of folders, or folders parted by commas",
    lambda text: tuple(Path(part).expanduser().absolute() for part in _parts(text)),
    lambda value: _listed(tuple(str(folder) for folder in _tuple(value))),
    is_list=True,
)
SECRET = ValueKind("a secret", lambda text: Secret(_some(text)), lambda value: "set" if value else "not set")
TEXTS = ValueKind("a list of texts, or texts parted by commas", _parts, _listed, is_list=True)
NETWORKS = ValueKind("a list of networks like 10.0.0.0/8 or fd00::/8", _networks, _listed, is_list=True)
ORIGINS = ValueKind("a list of origins like https://pages.example.org, none with *", _origins, _listed, is_list=True)
BASE_URL = ValueKind("an address like https://postroad.example.org", _http_origin, lambda value: str(value) or "none")


def whole(lowest: int, highest: int) -> ValueKind:
    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,12}", text) or not lowest <= int(text) <= highest:
            raise ValueError
        return int(text)

    return ValueKind(f"a whole number from {lowest} to {highest}", parse)


def one_of(*words: str) -> ValueKind:
    def parse(text: str) -> str:
        if text.lower() not in words:
            raise ValueError
        return text.lower()

    return ValueKind(f"one of {', '.join(words)}", parse)
