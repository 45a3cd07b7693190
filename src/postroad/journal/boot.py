"""Whether the page cache of an earlier process can be believed.

A killed process leaves its written bytes in the page cache; they are all there as long as the same kernel runs and the
file system is a local one. So a segment notes the boot id and the device, and both are empty or different whenever that
cannot be shown: not Linux, an unreadable boot id, a network file system, a file system we do not know.
"""

import os
import sys
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
MOUNTS = Path("/proc/self/mountinfo")

LOCAL = frozenset(
    {"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "reiserfs", "tmpfs", "ramfs", "overlay"}
)
"""File systems whose cache dies with this kernel only."""


def boot_id(folder: Path) -> str:
    """The id of the running kernel, or empty where the cache of `folder` must not be believed over processes."""
    if sys.platform != "linux" or file_system(folder) not in LOCAL:
        return ""
    try:
        return BOOT_ID.read_text("ascii").strip()
    except (OSError, ValueError):
        return ""


def device(folder: Path) -> str:
    """Names the device that holds `folder`, within one boot."""
    return f"{file_system(folder)}:{os.stat(folder).st_dev:x}"


def file_system(folder: Path) -> str:
    """The type of the file system of `folder`, as the kernel calls it; empty where it cannot be known."""
    try:
        text = MOUNTS.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""
    return file_system_in(text, folder.resolve())


def file_system_in(mountinfo: str, folder: Path) -> str:
    """The type of the deepest mount above `folder`; of two on the same point the later one. Source: proc(5)."""
    best, kind = -1, ""
    for line in mountinfo.splitlines():
        left, dash, right = line.partition(" - ")
        fields = left.split(" ")
        if not dash or len(fields) < 5:
            continue
        point = Path(_octal(fields[4]))
        depth = len(point.parts)
        if depth >= best and (point == folder or point in folder.parents):
            best, kind = depth, right.split(" ", 1)[0]
    return kind


def _octal(text: str) -> str:
    for code in ("\\040", "\\011", "\\012", "\\134"):
        text = text.replace(code, chr(int(code[1:], 8)))
    return text
