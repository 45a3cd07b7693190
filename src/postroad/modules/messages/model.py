"""What a message is: a name and a row of revisions. Pure: it decides and does not do.

A revision never changes. Its digest covers what a recipient gets (provider, schema version, content), so the same
content twice is the same revision and makes no new one.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from postroad.spi import ConfigDocument
from postroad.vocabulary.refusals import StateConflict

Content = Mapping[str, Any]
MOST_CHANGES = 500
"""A difference with more places than this is told by its first ones."""


class MessageStatus(StrEnum):
    ACTIVE = "ACTIVE"
    ARCHIVED = "ARCHIVED"
    """Kept for the runs that sent it; no job can use it any more, and its name is free."""


class ChangeKind(StrEnum):
    ADDED = "ADDED"
    REMOVED = "REMOVED"
    CHANGED = "CHANGED"


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    workspace_id: str
    provider_id: str
    name: str
    current_revision: int
    status: MessageStatus
    version: int
    created_at_ms: int
    updated_at_ms: int

    def changed(self, now_ms: int, **parts: Any) -> "Message":
        """The next version. Raises StateConflict for an archived message."""
        if self.status is MessageStatus.ARCHIVED:
            raise StateConflict(f"the message {self.name!r} is archived and cannot be changed; copy it")
        return replace(self, version=self.version + 1, updated_at_ms=now_ms, **parts)


@dataclass(frozen=True, slots=True)
class MessageFilter:
    name: str | None = None
    """A part of the name, in any case."""
    provider_id: str | None = None
    status: str | None = None
    created_after_ms: int | None = None
    created_before_ms: int | None = None

    def as_filters(self) -> dict[str, object]:
        """What a cursor is bound to."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Revision:
    message_id: str
    revision: int
    provider_id: str
    schema_version: str
    content: Content
    content_hash: str
    created_at_ms: int
    created_by: str
    """The id of the user, or what made it instead."""

    @property
    def document(self) -> ConfigDocument:
        return message_document(self.provider_id, self.schema_version, self.content)


@dataclass(frozen=True, slots=True)
class Change:
    """One place that differs. `before` is None where it was added, `after` where it was removed."""

    path: str
    kind: ChangeKind
    before: object
    after: object


def message_document(provider_id: str, schema_version: str, content: Content) -> ConfigDocument:
    return ConfigDocument.of(f"{provider_id}/message", schema_version, content)


def content_of(canonical: str) -> Content:
    found: dict[str, Any] = json.loads(canonical)
    return found


def content_hash(document: ConfigDocument) -> str:
    """SHA-256 over the schema's name and version and the canonical content, as hexadecimal digits."""
    said = f"{document.schema_id}\0{document.schema_version}\0".encode()
    return hashlib.sha256(said + document.canonical).hexdigest()


def changes_between(before: Content, after: Content) -> tuple[Change, ...]:
    """Every place that differs, in the order of paths; lists are compared entry by entry. At most `MOST_CHANGES`."""
    found: list[Change] = []
    for change in _changes("", before, after):
        found.append(change)
        if len(found) == MOST_CHANGES:
            break
    return tuple(found)


_NOTHING = object()


def _changes(path: str, before: object, after: object) -> Iterator[Change]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted({*before, *after}):
            inner = f"{path}.{key}" if path else str(key)
            yield from _changes(inner, before.get(key, _NOTHING), after.get(key, _NOTHING))
    elif isinstance(before, list) and isinstance(after, list):
        for index in range(max(len(before), len(after))):
            first, second = (side[index] if index < len(side) else _NOTHING for side in (before, after))
            yield from _changes(f"{path}[{index}]", first, second)
    elif before is _NOTHING:
        yield Change(path, ChangeKind.ADDED, None, after)
    elif after is _NOTHING:
        yield Change(path, ChangeKind.REMOVED, before, None)
    elif not _same(before, after):
        yield Change(path, ChangeKind.CHANGED, before, after)


def _same(before: object, after: object) -> bool:
    """As JSON sees it: true is not 1."""
    return json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True)
