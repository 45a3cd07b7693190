"""At a start: a key ring is made where that is safe, and refused where secrets would be lost in silence."""

from pathlib import Path

import pytest
from tests.builders.service import composed, running_service

from postroad.app.areas.vault import open_ring
from postroad.foundation.keyring import KeyRing
from postroad.foundation.service_settings import Settings, load_settings
from postroad.kernel.authz import Principal
from postroad.kernel.versions import Expected
from postroad.modules import secrets
from postroad.vocabulary.errors import KeysUnusable
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret


def _settings(folder: Path, **flags: str) -> Settings:
    return load_settings(flags={"dataDir": str(folder), **flags})


def _with_a_secret(folder: Path) -> None:
    with running_service(folder) as service:
        answer = service.client(Role.OPERATOR).put("/secrets/default/token", json={"value": "hunter2"})
        assert answer.status_code == 201


def test_a_first_start_makes_the_ring_and_a_second_one_reads_it(tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    assert open_ring(settings).active == open_ring(settings).active
    assert settings.keys.file.stat().st_mode & 0o777 == 0o600


def test_a_server_is_handed_its_ring(tmp_path: Path) -> None:
    settings = _settings(tmp_path, mode="server")
    with pytest.raises(KeysUnusable, match="there is no key ring"):
        open_ring(settings)
    assert not settings.keys.file.exists()


def test_a_lost_ring_is_not_made_anew_while_the_database_holds_secrets(tmp_path: Path) -> None:
    _with_a_secret(tmp_path)
    settings = _settings(tmp_path)
    settings.keys.file.rename(tmp_path / "elsewhere")
    with pytest.raises(KeysUnusable, match="is missing and the database holds secrets"):
        open_ring(settings)
    assert not settings.keys.file.exists()
    (tmp_path / "elsewhere").rename(settings.keys.file)
    open_ring(settings)


def test_a_lost_ring_is_made_anew_while_there_is_no_secret(tmp_path: Path) -> None:
    with running_service(tmp_path):
        pass
    settings = _settings(tmp_path)
    settings.keys.file.unlink()
    open_ring(settings)


def test_the_ring_of_another_installation_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    before = composed(tmp_path)
    before.prepare()
    at = ("w-1", "default", "token")
    before.database.write(
        Principal.system("tests"),
        lambda uow: secrets.put_secret(uow, before.keys, at, Secret("hunter2"), Expected(None)),
    )
    before.close()
    settings.keys.file.unlink()
    KeyRing.load_or_make(settings.keys.file, may_make=True)
    after = composed(tmp_path)
    try:
        with pytest.raises(KeysUnusable, match="which stored secrets were encrypted with"):
            after.prepare()
    finally:
        after.close()


def test_a_rotation_is_taken_up_by_a_running_service(tmp_path: Path) -> None:
    with running_service(tmp_path) as service:
        operator = service.client(Role.OPERATOR)
        operator.put("/secrets/default/token", json={"value": "hunter2"})
        there = KeyRing.load(service.composition.settings.keys.file)
        old = there.active
        there.rotate()
        (rewrap,) = [one for one in service.composition.background_services() if one.name == "secrets-rewrap"]
        rewrap.tick()
        there.drop(old)
        service.composition.keys.refresh()
        service.composition.check_keys()
