"""Journals with everything filled in that a test does not care for."""

from pathlib import Path

from postroad.journal import REAL, FileSystem, Journal, open_journal

FOLDER = Path("/sends/one")


def a_journal(
    fs: FileSystem = REAL,
    folder: Path = FOLDER,
    *,
    shard: int = 0,
    run_id: str = "run-1",
    config_sha256: str = "c0ffee",
    started_at_ms: int = 1_000,
    boot_id: str | None = None,
    sync_interval_s: float | None = None,
) -> Journal:
    """Without a sync thread unless asked for."""
    return open_journal(
        folder,
        run_id=run_id,
        shard=shard,
        fencing_token="7",
        config_sha256=config_sha256,
        started_at_ms=started_at_ms,
        boot_id=boot_id,
        fs=fs,
        sync_interval_s=sync_interval_s,
    )
