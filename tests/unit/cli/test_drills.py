"""What the demonstration says at its end."""

from pathlib import Path

import pytest

from postroad.entrypoints.cli.show import drills


@pytest.mark.parametrize(("on_path", "lines"), [("", ['export PATH="/opt/post/bin:$PATH"']), ("/opt/post/bin", [])])
def test_regression_the_commands_after_the_demonstration_were_not_found(
    on_path: str, lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"{on_path}/{name}" if on_path else None)
    drills.ways_on("/tmp/demo", Path("/opt/post/docs/../bin/postroad"))
    assert [line for line in capsys.readouterr().err.splitlines() if line.startswith("export ")] == lines
