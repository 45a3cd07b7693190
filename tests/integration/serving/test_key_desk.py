"""The key ring of a service from outside, while the service runs: nothing that is needed is dropped."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders.databases import HandClock
from tests.builders.service import RunningService, running_service

from postroad.app.serving.key_desk import READ_BY_ALL_S, ServiceKeys
from postroad.foundation.keyring import KeyRing
from postroad.modules.secrets import rewrap_service
from postroad.vocabulary.errors import KeysUnusable
from postroad.vocabulary.refusals import ResourceNotFound, StateConflict
from postroad.vocabulary.roles import Role

SECRET = {"operation": "REPLACE", "value": "hush"}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running_service(tmp_path / "data") as running:
        made = running.client(Role.OPERATOR).put("/secrets/default/crm", json=SECRET)
        assert made.status_code == 201, made.text
        yield running


def desk(service: RunningService, later_s: float = 0) -> ServiceKeys:
    """As somebody sees it so long after the ring was changed last."""
    settings = service.composition.settings
    changed_ms = round(settings.keys.file.stat().st_mtime * 1000)
    return ServiceKeys(settings, HandClock(changed_ms + round(later_s * 1000)))


def encrypt_anew(service: RunningService) -> None:
    """What the service does once a minute."""
    rewrap_service(service.database, service.composition.keys).tick()


def test_a_version_goes_only_when_nothing_needs_it_and_every_service_has_read_the_ring(service: RunningService) -> None:
    (first,) = desk(service).versions()
    assert (first.is_active, first.is_needed) == (True, True)
    second = desk(service).rotate(signing=False)
    assert [(one.name, one.is_active, one.is_needed) for one in desk(service).versions()] == [
        (first.name, False, True),
        (second, True, False),
    ]
    with pytest.raises(StateConflict, match="still need"):
        desk(service, READ_BY_ALL_S + 1).drop(first.name)
    encrypt_anew(service)
    with pytest.raises(StateConflict, match="may not have read it yet"):
        desk(service, READ_BY_ALL_S - 1).drop(first.name)
    with pytest.raises(StateConflict, match="is the active version"):
        desk(service, READ_BY_ALL_S + 1).drop(second)
    with pytest.raises(ResourceNotFound, match=f"it has {first.name}, {second}"):
        desk(service, READ_BY_ALL_S + 1).drop("k7-00000000")
    desk(service, READ_BY_ALL_S + 1).drop(first.name)
    assert [one.name for one in desk(service).versions()] == [second]
    secret = service.client(Role.OPERATOR).get("/secrets/default/crm")
    assert (secret.json()["configured"], secret.json()["version"]) == (True, 1)


def test_what_was_signed_outlives_a_rotation_unless_that_is_asked_for(service: RunningService) -> None:
    file = service.composition.settings.keys.file
    before = KeyRing.load(file).derive("cursors")
    desk(service).rotate(signing=False)
    assert KeyRing.load(file).derive("cursors") == before
    desk(service).rotate(signing=True)
    assert KeyRing.load(file).derive("cursors") != before


def test_a_ring_of_another_database_is_told(service: RunningService) -> None:
    file = service.composition.settings.keys.file
    file.unlink()
    KeyRing.load_or_make(file, may_make=True)
    with pytest.raises(KeysUnusable, match="put back the key ring that belongs to this database"):
        desk(service).versions()


def test_no_ring_is_made_by_looking(service: RunningService) -> None:
    file = service.composition.settings.keys.file
    at_hand = desk(service)
    file.unlink()
    for ask in (at_hand.versions, lambda: at_hand.rotate(signing=False), lambda: at_hand.drop("k1-00000000")):
        with pytest.raises(KeysUnusable, match="there is no key ring"):
            ask()
    assert not file.exists()
