"""The lines shown in docs/reference/journal.md are lines the journal reads."""

from pathlib import Path

from postroad.journal import Final, Intent, JournalHeader, Opened, Window
from postroad.journal.format import decode

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "journal.md"


def test_every_line_of_the_page_is_a_record() -> None:
    block = PAGE.read_text(encoding="utf-8").split("```\n")[1]
    kinds = [type(decode(line.encode())) for line in block.splitlines()]
    assert kinds == [JournalHeader, Opened, Window, Intent, Final]
