"""The table of fire times on the page is what the program computes."""

import re
from datetime import datetime

import pytest
from tests.builders.pages import DOCS, text_of

from postroad.modules.schedules.parts.cron import parse_cron
from postroad.modules.schedules.parts.fire_times import upcoming
from postroad.modules.schedules.parts.zones import instant_of, zone_named, zoned

ROWS = re.findall(
    r"^\| `([^`]+)` \| (\S+/\S+) \| (\d{4}-\d\d-\d\d) \| (.+) \|$", text_of(DOCS / "reference" / "schedules.md"), re.M
)


@pytest.mark.parametrize(("cron", "zone_name", "day", "times"), ROWS)
def test_the_schedule_fires_as_the_page_says(cron: str, zone_name: str, day: str, times: str) -> None:
    zone = zone_named(zone_name)
    midnight = instant_of(datetime.fromisoformat(day).replace(tzinfo=zone))
    said = times.split(", ")
    found = upcoming(parse_cron(cron), zone, midnight - 1, len(said))
    assert [zoned(zone, at).isoformat(timespec="minutes") for at in found] == said


def test_the_page_has_its_table() -> None:
    assert len(ROWS) == 9
