import pytest

from postroad.entrypoints.cli.texts import speak


@pytest.fixture(autouse=True)
def _in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTROAD_LANG", "en")
    speak("en")
