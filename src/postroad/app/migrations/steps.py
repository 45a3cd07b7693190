"""The steps there are, read off their file names, so that a start that has nothing to do needs no Alembic."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
VERSIONS = FOLDER / "versions"
_STEP = re.compile(r"(\d{4})_[a-z0-9_]+\.py")


def steps() -> tuple[str, ...]:
    """`0001`, `0002`, … in order."""
    return tuple(sorted(found[1] for file in VERSIONS.iterdir() if (found := _STEP.fullmatch(file.name))))
