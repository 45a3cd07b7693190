"""Which file systems' page cache is believed. Sample lines from proc(5)."""

from pathlib import Path

import pytest

from postroad.journal.boot import LOCAL, file_system_in

MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:25 / /mnt/team\\040share rw - nfs4 server:/x rw
31 22 0:26 / /data rw,relatime shared:9 master:2 - xfs /dev/vdb rw
32 31 0:27 / /data/box rw - fuse.sshfs host:/ rw
33 31 0:28 / /data rw - btrfs /dev/vdc rw
short line
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/me", "ext4"),
        ("/mnt/team share/sends", "nfs4"),
        ("/data", "btrfs"),
        ("/data/box/a/b", "fuse.sshfs"),
        ("/database", "ext4"),
    ],
)
def test_the_deepest_and_latest_mount_decides(folder: str, kind: str) -> None:
    assert file_system_in(MOUNTS, Path(folder)) == kind


def test_nothing_is_known_without_mounts() -> None:
    assert file_system_in("", Path("/home")) == ""


def test_network_file_systems_are_not_believed() -> None:
    assert not LOCAL & {"nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse", "fuse.sshfs", "glusterfs", "virtiofs", ""}
