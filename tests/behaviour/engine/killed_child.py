"""A process that runs 1,000 items over a real journal and kills itself at its n-th send."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from tests.builders.engine_parts import Numbered, ScriptedProvider, spec

from postroad.engine import Engine
from postroad.journal import open_journal
from postroad.spi import SendRequest, SendResult, Verdict


async def main(folder: Path, log: Path, kill_at: int) -> None:
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    sends = 0

    async def send(request: SendRequest) -> SendResult:
        nonlocal sends
        sends += 1
        os.write(file, b"%d\n" % request.sequence)
        if sends == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(0)
        return SendResult(Verdict.ACCEPTED)

    journal = open_journal(folder, run_id="run-1", shard=0, fencing_token="1", config_sha256="c0ffee", started_at_ms=1)
    async with Engine([ScriptedProvider(send)]) as engine:
        handle = await engine.start(spec(1000, concurrency=16), Numbered(1000), journal=journal)
        await handle.completion()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
