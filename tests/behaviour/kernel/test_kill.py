"""A process that is killed in the middle of writing leaves every change whole: the answered ones are there."""

import random
import subprocess
import sys

import pytest
from tests.builders.databases import WORKSPACE, AnyDialect, Databases
from tests.builders.notes import SYSTEM, set_counter, texts, values

from postroad.drivers.sqlite import SqliteDialect
from postroad.kernel import outbox
from postroad.kernel.uow import Reading

ROUNDS = 2


def _arguments(dialect: AnyDialect) -> list[str]:
    if isinstance(dialect, SqliteDialect):
        return [str(dialect.path)]
    address = dialect.address
    return [address.url, address.password.reveal() if address.password else "", address.schema or ""]


def _count(reading: Reading) -> tuple[int, int, int]:
    return len(texts(reading)), len(outbox.feed(reading, WORKSPACE, "", 100_000)), values(reading)["b"]


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_every_change_is_whole_after_a_kill(databases: Databases, seed: int) -> None:
    databases.database.write(SYSTEM, lambda uow: (set_counter(uow, "a", 0), set_counter(uow, "b", 0)))
    command = [sys.executable, "-m", "tests.behaviour.kernel.writing_child", *_arguments(databases.dialect)]
    answered = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for _ in range(random.Random(seed).randint(1, 40)):
            answered = int(child.stdout.readline())
        child.kill()
        answered = max([answered, *(int(line) for line in child.stdout if line.endswith("\n"))])
    notes, events, moved = databases.database.read(SYSTEM, _count)
    assert answered <= moved <= answered + 1
    assert (notes, events) == (20 * moved, moved)
    assert databases.database.read(SYSTEM, values) == {"a": -moved, "b": moved}
    if isinstance(databases.dialect, SqliteDialect):
        check = databases.database.read(
            SYSTEM, lambda reading: reading.connection.exec_driver_sql("PRAGMA integrity_check").scalar_one()
        )
        assert check == "ok"
    databases.database.write(SYSTEM, lambda uow: set_counter(uow, "after", 1))
