"""The whole program inside the test's own process: quicker than starting it, and all of it but the start."""

import io
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.e2e.program import Said

from postroad.app.main import run


class Office:
    """A working folder with a home of its own."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capture = capture

    def run(self, *arguments: str, piped: str = "") -> Said:
        """`piped` is what standard input holds; it is no terminal."""
        self._capture.readouterr()
        with patch("sys.stdin", io.StringIO(piped)):
            code = run(arguments)
        said = self._capture.readouterr()
        return Said(code, said.out, said.err)

    @property
    def left(self) -> set[str]:
        """Names of everything in the folder, and of the sends in it."""
        names = {path.name for path in self.folder.iterdir()} - {"sends"}
        sends = self.folder / "sends"
        return names | ({f"sends/{path.name}" for path in sends.iterdir()} if sends.is_dir() else set())


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Office:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("POSTROAD_LANG", "en")
    monkeypatch.setenv("POSTROAD_HOME", str(tmp_path / "home"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Office(folder, capsys)
