"""Values of the wire as people read them. What others wrote may hold anything: control characters are not obeyed."""

from datetime import datetime

from rich.text import Text

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say

_STYLES = {
    "ACTIVE": "green",
    "ENABLED": "green",
    "SUCCEEDED": "green",
    "APPLIED": "green",
    "READY": "green",
    "PARTIAL": "yellow",
    "CANCELLED": "yellow",
    "CANCELLING": "yellow",
    "PAUSED": "yellow",
    "LOST": "yellow",
    "RECOVERING": "yellow",
    "FAILED": "red",
    "REJECTED": "red",
    "REVOKED": "red",
    "DENIED": "red",
    "DISABLED": "dim",
    "ARCHIVED": "dim",
    "EXPIRED": "dim",
}


def plain(text: object) -> str:
    """One line that a terminal cannot take for commands."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in " ".join(str(text).split()))


def block(text: str) -> str:
    """Several lines that a terminal cannot take for commands."""
    return "\n".join(
        "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in line) for line in text.splitlines()
    )


def cell(value: object) -> Text | str:
    """A value in a table: thousands apart, yes and no, nothing for nothing."""
    if isinstance(value, Text):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, int):
        return console.number(value)
    return ", ".join(map(plain, value)) if isinstance(value, list | tuple) else plain(value)


def state(value: object) -> Text:
    """A status or a state, by the word that stands on the wire."""
    text = str(value)
    return Text(plain(text), style=_STYLES.get(text, "blue" if text.isupper() else ""))


def local(instant: object) -> str:
    """`2026-11-30 18:05` on the clock of this machine; empty for none."""
    moment = moment_of(instant)
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else ""


def clock(instant: object) -> str:
    """`18:05:30` on the clock of this machine; empty for none."""
    moment = moment_of(instant)
    return moment.astimezone().strftime("%H:%M:%S") if moment else ""


def moment_of(instant: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(instant)) if instant else None
    except ValueError:
        return None


def became(counts: Wire) -> Text:
    """The outcomes that somebody came to, and how many are still open."""
    text = Text()
    for name, style in (*console.OUTCOME_STYLES.items(), ("open", "dim")):
        number = counts.get(name) or 0
        if number:
            said = (
                say("open {n}", n=console.number(number)) if name == "open" else f"{say(name)} {console.number(number)}"
            )
            text.append(f"{', ' if text else ''}{said}", style=style)
    return text


def size(number: object) -> str:
    """`12 kB`, `3.4 MB`: sizes of files."""
    amount = float(str(number or 0))
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    return f"{amount:.0f} {unit}" if amount >= 100 or unit == "B" else f"{amount:.1f} {unit}"
