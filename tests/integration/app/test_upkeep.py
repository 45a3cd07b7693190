"""What the service forgets by itself, and what it keeps."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.builders.databases import HandClock
from tests.builders.service import TESTS, composed

from postroad.app.service_composition import ServiceComposition
from postroad.foundation.service_settings import load_settings
from postroad.kernel.authz import Resource
from postroad.kernel.pages import PageRequest
from postroad.modules import audit, identity

DAY_MS = 86_400_000
MINE = ("last-uses", "ended-sessions", "audit-retention", "kept-answers")


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(tmp_path: Path, clock: HandClock) -> Iterator[ServiceComposition]:
    settings = load_settings(flags={"dataDir": str(tmp_path), "retention.audit": "40d"})
    composition = composed(tmp_path, clock=clock, settings=settings)
    composition.prepare()
    yield composition
    composition.close()


def _ticks(service: ServiceComposition) -> dict[str, Callable[[], bool]]:
    return {one.name: one.tick for one in service.background_services() if one.name in MINE}


def _actions(service: ServiceComposition) -> list[str]:
    page = service.database.read(
        TESTS, lambda reading: audit.list_audit_events(reading, None, PageRequest(), audit.AuditFilter())
    )
    return [row.action for row in page.items]


def test_there_is_nothing_to_do_at_first(service: ServiceComposition) -> None:
    ticks = _ticks(service)
    assert set(ticks) == set(MINE)
    assert [tick() for tick in ticks.values()] == [False] * len(MINE)


def test_the_audit_is_kept_as_long_as_the_settings_say(service: ServiceComposition, clock: HandClock) -> None:
    shorten = _ticks(service)["audit-retention"]
    service.database.write(TESTS, lambda uow: uow.audit("thing.change", Resource("", "thing")))
    clock.advance(ms=40 * DAY_MS)
    shorten()
    assert "thing.change" in _actions(service)
    clock.advance(ms=1)
    shorten()
    assert _actions(service) == ["audit.retention"]


def test_a_code_that_nobody_used_is_forgotten(service: ServiceComposition, clock: HandClock) -> None:
    clock.advance(ms=32 * DAY_MS)
    assert service.database.write(TESTS, identity.forget_ended) == 1
    assert _ticks(service)["ended-sessions"]() is False
