"""The address table people read is the one the program uses."""

import re
from pathlib import Path

from postroad.egress import policy

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "egress.md"


def test_every_refused_network_is_documented_with_its_rule_and_no_other() -> None:
    rows = re.findall(r"^\| `([0-9a-f.:]+/\d+)` \| ([^|(]+?) (?:\([^|]*)?\|$", PAGE.read_text(encoding="utf-8"), re.M)
    refused = {**policy.REFUSED_V4, **policy.REFUSED_V6}
    assert dict(rows) == {str(network): rule for network, rule in refused.items()}


def test_every_metadata_service_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [str(address) for address in policy.METADATA if f"`{address}`" not in page] == []
