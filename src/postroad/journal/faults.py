"""Errors of the operating system as errors of the journal, with the way out."""

import errno

from postroad.vocabulary.errors import JournalBroken, StorageFull

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class ShortWrite(OSError):
    """A regular file took fewer bytes than given: no room on the disk, in the quota or below the file size limit."""

    def __init__(self, taken: int, given: int) -> None:
        super().__init__(errno.ENOSPC, f"only {taken} of {given} bytes were taken")


def broken(error: OSError, doing: str) -> JournalBroken:
    """`doing` is what was tried, as `cannot …` continues."""
    reason = error.strerror or str(error)
    if error.errno in NO_ROOM:
        return StorageFull(f"journal: cannot {doing}: {reason}; free some space and resume, nothing is lost")
    return JournalBroken(
        f"journal: cannot {doing}: {reason}; nothing more is sent. Check the disk and its mount, then resume"
    )
