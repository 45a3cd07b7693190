"""Names of the files of a journal folder.

One segment per shard and epoch, `shard-00000.epoch-000001.part-00.journal`; a further part appears only where an error
made a new file necessary. Beside it, `….void` says that the segment's page cache cannot be believed any more, and
`….opened` that the epoch began, so that a segment which is gone or laid waste is missed. `shard-00000.lock` is held by
the one writer.
"""

import re
from dataclasses import dataclass
from pathlib import Path

_SEGMENT = re.compile(r"shard-(\d+)\.epoch-(\d+)\.part-(\d+)\.(journal|opened)")


@dataclass(frozen=True, slots=True, order=True)
class Segment:
    """Ordered as the records were written."""

    shard: int
    epoch: int
    part: int

    @property
    def name(self) -> str:
        return f"shard-{self.shard:05}.epoch-{self.epoch:06}.part-{self.part:02}.journal"

    @property
    def void_name(self) -> str:
        return self.name.replace(".journal", ".void")

    @property
    def opened_name(self) -> str:
        return self.name.replace(".journal", ".opened")


def lock_name(shard: int) -> str:
    return f"shard-{shard:05}.lock"


def segments_among(names: list[str], shard: int | None = None) -> list[Segment]:
    """The segments among file names, oldest first; of one shard or of all."""
    return _among(names, shard, "journal")


def opened_among(names: list[str], shard: int) -> list[Segment]:
    """The first segments of the epochs that began, by their marks."""
    return _among(names, shard, "opened")


def _among(names: list[str], shard: int | None, kind: str) -> list[Segment]:
    found = (match for name in names if (match := _SEGMENT.fullmatch(name)) and match[4] == kind)
    segments = (Segment(int(match[1]), int(match[2]), int(match[3])) for match in found)
    return sorted(segment for segment in segments if shard in (None, segment.shard))


def list_segments(folder: Path, shard: int | None = None) -> list[Path]:
    """The segment files of a journal folder, oldest first; shard by shard where all are asked for."""
    return [folder / segment.name for segment in segments_among([entry.name for entry in folder.iterdir()], shard)]
