"""A service that is killed in the middle of an import leaves nothing that a restart does not put right."""

import subprocess
import sys
from pathlib import Path

from tests.integration.audiences.desk import Desk

from postroad.modules.audiences import ImportState

ROOT = Path(__file__).parents[3]


def test_a_killed_service_is_followed_by_one_that_reads_the_import_again(sqlite_desk: Desk) -> None:
    desk = sqlite_desk
    begun = desk.received("n\n" + "".join(f"{number}\n" for number in range(100_000)))
    command = [sys.executable, "-m", "tests.integration.audiences.reading_process", str(desk.folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"reading\n"
        process.kill()
    left = desk.import_now(begun.id)
    assert (left.state, left.is_being_read) == (ImportState.UPLOADED, True)
    assert [path.name.partition("-")[0] for path in desk.work.iterdir()] == ["reading"]

    desk.databases.clock.advance(s=30)
    parsed = desk.read_through(begun)
    assert (parsed.state, parsed.rows_read) == (ImportState.PARSED, 100_000)
    assert desk.committed(parsed, "Survivors").record_count == 100_000
