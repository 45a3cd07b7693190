"""Identifiers: opaque strings. Those we make are UUIDs, ordered by time where a version 7 maker made them."""

import hashlib
import uuid
from typing import NewType

RunId = NewType("RunId", str)
SnapshotId = NewType("SnapshotId", str)
ItemId = NewType("ItemId", str)
CommandId = NewType("CommandId", str)


def item_id(run_id: RunId, snapshot_id: SnapshotId, sequence: int) -> ItemId:
    """The id of one recipient's execution inside a run: the same for the same three values, on every machine.

    A version 8 UUID over BLAKE2b, so it never collides with an id made from a clock. Source: spec wepush §5.1.
    """
    digest = hashlib.blake2b(f"{run_id}\0{snapshot_id}\0{sequence}".encode(), digest_size=16).digest()
    return ItemId(str(uuid.UUID(int=_stamped(int.from_bytes(digest, "big")))))


def _stamped(number: int) -> int:
    """Sets version 8 and the RFC 9562 variant, which `uuid.UUID(version=…)` of Python 3.11 does not know."""
    number &= ~(0xF << 76) & ~(0x3 << 62)
    return number | (8 << 76) | (2 << 62)
