"""The five kinds of value a recipient's field can have."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file that belongs to a recipient (an attachment), named by a path below the job's folder, never by content."""

    path: str


RecipientValue = str | int | float | bool | None | FileRef
"""Text, number, boolean, null, reference to a file. Field names are case-sensitive. Source: spec wepush §6.3."""
