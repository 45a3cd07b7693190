"""Text of a spreadsheet that a database can keep: no NUL, no half of a surrogate pair."""

from typing import Any


def storable(value: Any) -> Any:
    """The same JSON value with U+FFFD for what cannot be kept."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {storable(name): storable(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [storable(inner) for inner in value]
    return value
