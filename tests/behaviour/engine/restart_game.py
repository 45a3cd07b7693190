"""Random histories of one run: it is killed, or the power fails, at any send or disk call, and resumed until it ends.

The engine, the journal and its protocol are real; the disk is `JournalDisk`, time is fake, and the remote is a list of
what arrived. `play` gives what the promises are about. A second copy is a sequence that arrived twice although no
answer of the remote allowed it.
"""

import asyncio
import copy
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.builders.engine_parts import Numbered, ScriptedProvider, in_doubt, not_sent, refused, spec
from tests.builders.fake_time import LoopClock, run_on_fake_time
from tests.builders.journal_disk import JournalDisk

from postroad.engine import ConcurrencyPolicy, Engine, Hold, RunSummary
from postroad.journal import Journal, open_journal
from postroad.spi import Capabilities, Rate, Recipient, SendRequest, SendResult, Verdict
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.transitions import RunState

FOLDER = Path("/sends/one")
ITEMS = 120
WINDOW = 24
PERMITS = 4
BATCH = 3


@dataclass
class Crash:
    how: str
    sent: int
    """Sends of the process that died: 0 for one that died while it opened, with the doubt of others unsettled."""
    in_doubt: int = 0
    """Items of which the next process did not know whether they had left."""


@dataclass
class History:
    arrived: list[int] = field(default_factory=list)
    epochs: int = 0
    kills: int = 0
    losses: int = 0
    crashes: list[Crash] = field(default_factory=list)
    summary: RunSummary | None = None

    @property
    def second_copies(self) -> list[int]:
        return [sequence for sequence, count in Counter(self.arrived).items() if count > 1]


class _Life:
    """One process: until `fuse` sends and disk calls have happened."""

    def __init__(self, rng: Random, history: History, disk: JournalDisk, fuse: int) -> None:
        self.rng, self.history, self.disk, self.fuse = rng, history, disk, fuse
        self.left: JournalDisk | None = None
        """The disk as the crash found it."""
        self.sent = 0
        self.died = asyncio.Event()

    def tick(self, call: str = "send") -> None:
        del call
        self.fuse -= 1
        if self.fuse == 0:
            self.left = JournalDisk(copy.deepcopy(self.disk.files), self.disk.boot)
            self.died.set()

    @property
    def is_dead(self) -> bool:
        return self.left is not None

    def answer(self, request: SendRequest) -> object:
        return self._send(request)

    async def _send(self, request: SendRequest) -> SendResult:
        self.sent += not self.is_dead
        self.tick()
        chance = self.rng.random()
        if chance < 0.15:
            result = not_sent() if chance < 0.1 else refused(Category.RATE_LIMITED)
        else:
            if not self.is_dead:
                self.history.arrived.append(request.sequence)
            result = in_doubt() if chance < 0.2 else SendResult(Verdict.ACCEPTED)
        await asyncio.sleep(self.rng.choice([0.0, 0.001, 0.005, 0.02]))
        return result

    def check(self, recipient: Recipient, now_ms: int) -> Hold | None:
        return Hold(now_ms + 50) if self.rng.random() < 0.05 else None

    async def sync(self, journal: Journal) -> None:
        while True:
            await asyncio.sleep(self.rng.choice([0.002, 0.004, 0.03]))
            journal.sync_now()


async def _live(life: _Life, clock: LoopClock) -> RunSummary | None:
    process = life.disk.process()
    process.before = life.tick
    journal = open_journal(
        FOLDER,
        run_id="run-1",
        shard=0,
        fencing_token="1",
        config_sha256="c0ffee",
        started_at_ms=clock.now_ms(),
        fs=process,
        sync_interval_s=None,
    )
    if life.history.crashes:
        life.history.crashes[-1].in_doubt = len(journal.state.doubt)
    if life.is_dead:
        return None
    batch = life.rng.choice([1, BATCH])
    provider = ScriptedProvider(life.answer, capabilities=Capabilities(batch_size=batch))  # type: ignore[arg-type]
    source = Numbered(ITEMS, lambda n: {"domain": f"d{n % 5}", "batch": f"b{n % 2}"})
    rates = {"domain:d1": Rate(200, 1.0), "run": Rate(2000, 1.0)}
    async with Engine([provider], clock=clock) as engine:
        policies = spec(ITEMS, concurrency=ConcurrencyPolicy(1, PERMITS, PERMITS), rates=rates)
        handle = await engine.start(policies, source, journal=journal, gatekeeper=life, window=WINDOW)
        syncing = asyncio.create_task(life.sync(journal))
        ending = asyncio.create_task(handle.completion())
        dying = asyncio.create_task(life.died.wait())
        await asyncio.wait([ending, dying], return_when=asyncio.FIRST_COMPLETED)
        syncing.cancel()
        dying.cancel()
        if life.is_dead:
            await handle.abort()
            await ending
            return None
        return ending.result()


async def _play(seed: int) -> History:
    rng, history, disk = Random(seed), History(), JournalDisk()
    clock = LoopClock()
    while history.summary is None:
        history.epochs += 1
        fuse = 0 if history.epochs > 8 else rng.randint(1, 400)
        life = _Life(rng, history, disk, fuse)
        history.summary = await _live(life, clock)
        if life.left is None:
            continue
        disk, history.summary = life.left, None
        if rng.random() < 0.5:
            history.kills += 1
            history.crashes.append(Crash("kill", life.sent))
        else:
            history.losses += 1
            history.crashes.append(Crash("power", life.sent))
            disk.lose_power(rng)
    return history


def play(seed: int) -> History:
    history = run_on_fake_time(_play(seed))
    assert history.summary is not None
    assert history.summary.state in {RunState.SUCCEEDED, RunState.PARTIAL}
    return history
