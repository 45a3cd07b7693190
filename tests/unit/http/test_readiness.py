"""Readiness: side by side, each with its limit, and a check that hangs hangs alone."""

import threading

from postroad.entrypoints.http.operating.health import Readiness
from postroad.vocabulary.errors import StorageFailed


def _fails() -> None:
    raise StorageFailed("the disk of nobody's business")


def _breaks() -> None:
    raise RuntimeError("a secret")


async def test_all_well_is_ready() -> None:
    well, said = await Readiness({"database": lambda: 1, "keys": lambda: 2}).report()
    assert well
    assert {name: one["status"] for name, one in said.items()} == {"database": "ok", "keys": "ok"}


async def test_one_failure_is_not_ready_and_is_named_by_its_code_alone() -> None:
    well, said = await Readiness({"artifacts": _fails, "keys": _breaks, "database": lambda: 1}).report()
    assert not well
    assert (said["artifacts"]["status"], said["artifacts"]["code"]) == ("failed", "STORAGE_FAILED")
    assert (said["keys"]["status"], said["keys"]["code"]) == ("failed", "INTERNAL_ERROR")
    assert said["database"]["status"] == "ok"
    assert "nobody" not in str(said)
    assert "secret" not in str(said)


async def test_a_check_that_hangs_is_reported_and_not_started_again() -> None:
    gate, started = threading.Event(), []

    def hangs() -> None:
        started.append(1)
        gate.wait(10)

    readiness = Readiness({"database": hangs, "keys": lambda: 1}, limit_s=0.05)
    for _ in range(3):
        well, said = await readiness.report()
        assert (well, said["database"]["code"], said["keys"]["status"]) == (False, "TIMEOUT", "ok")
    assert len(started) == 1
    gate.set()
    readiness.close()


async def test_a_service_that_stops_is_not_ready() -> None:
    readiness = Readiness({"database": lambda: 1})
    readiness.is_stopping = True
    well, said = await readiness.report()
    assert not well
    assert said["database"]["status"] == "ok"
