"""A rule that is silenced on a line names who answers for it, why, and until when; an expired exception fails."""

import re
from datetime import UTC, datetime

from tests.architecture.tree import modules, text_of

SILENCED = re.compile(r"#\s*(noqa|type:\s*ignore)")
EXCUSE = re.compile(r"\((?P<owner>[a-z_ ]+): (?P<reason>[^()]{8,}); until (?P<until>\d{4}-\d\d-\d\d)\)")


def test_every_silenced_line_carries_its_excuse() -> None:
    today = datetime.now(tz=UTC).date().isoformat()
    wrong = []
    for name in modules():
        for number, line in enumerate(text_of(name).splitlines(), 1):
            if SILENCED.search(line):
                excuse = EXCUSE.search(line)
                if excuse is None or excuse["until"] < today:
                    wrong.append(f"{name}:{number}: {line.strip()}")
    assert wrong == [], "write `# noqa: RULE  (owner: reason; until YYYY-MM-DD)` and keep the date in the future"
