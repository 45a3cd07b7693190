"""A key ring for each test."""

from pathlib import Path

import pytest

from postroad.foundation.keyring import KeyRing


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    return KeyRing.load_or_make(tmp_path / "keys" / "ring.json", may_make=True)
