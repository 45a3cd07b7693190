import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.local_runs.plans import a_plan

import postroad
from postroad.engine import (
    CancelRun,
    ChangeConcurrency,
    ChangeRate,
    EngineEvent,
    EventKind,
    Lease,
    PauseRun,
    Progress,
    ResumeRun,
    Waiting,
)
from postroad.flows.local_runs.keeping.origins import ENTRY, OWN, Origins
from postroad.flows.local_runs.keeping.plan import AudienceRecord, SourceSend
from postroad.flows.local_runs.ports import SilentObserver
from postroad.flows.local_runs.running.board import AbortRun, Board, BoardCommand, DrainRun
from postroad.flows.local_runs.running.display import Display
from postroad.flows.local_runs.running.one_worker import worker_environment
from postroad.flows.local_runs.running.shard_order import ShardOrder, engine_policies, share_of
from postroad.flows.local_runs.running.wire import (
    command_json,
    command_of,
    error_json,
    error_of,
    event_json,
    event_of,
    lease_json,
    lease_of,
    line,
)
from postroad.flows.local_runs.views import Notice, NoticeKind, SendProgress
from postroad.jobfile import Policies
from postroad.spi import Rate
from postroad.vocabulary.errors import AlreadyRunning, InvalidInput, SecretMissing, SendConflict
from postroad.vocabulary.transitions import RunState, WaitReason

COMMANDS: list[BoardCommand] = [
    PauseRun("1"),
    ResumeRun("2"),
    CancelRun("3", "足够"),
    ChangeConcurrency("4", 7),
    ChangeRate("5", "domain:qq.com", Rate(3, 60.0)),
    AbortRun("6"),
    DrainRun("7", 2.5),
]


def _progress(**changes: object) -> Progress:
    values = dict.fromkeys(("succeeded", "failed", "unknown", "unsent", "skipped", "retried", "maybe_doubled"), 1)
    numbers = values | {"total": 10, "in_flight": 2, "parked": 3, "concurrency": 4}
    return Progress(**(numbers | {"state": RunState.RUNNING, "per_s": 2.5} | changes))  # type: ignore[arg-type]


def _over_the_wire(message: dict[str, object]) -> dict[str, object]:
    sent = line(message)
    assert sent.count(b"\n") == 1
    value: dict[str, object] = json.loads(sent)
    return value


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_a_command_crosses_the_pipe(command: BoardCommand) -> None:
    assert command_of(_over_the_wire(command_json(command))) == command


def test_an_event_and_a_lease_cross_the_pipe() -> None:
    waiting = Waiting(WaitReason.RATE, 5, "account")
    event = EngineEvent("run-1", EventKind.WAITING, 3, _progress(waiting=waiting), "why", {"n": 1})
    assert event_of(_over_the_wire(event_json(event)), "run-1") == event
    lease = Lease(3, 1.5, 2.5, unlimited=False)
    assert lease_of(_over_the_wire(lease_json(lease))) == lease


@pytest.mark.parametrize("kind", [AlreadyRunning, SendConflict, SecretMissing, InvalidInput])
def test_a_refusal_keeps_its_class(kind: type[SendConflict]) -> None:
    error = error_of(_over_the_wire(error_json(kind("what, where", field="a.b"))))
    assert (type(error), error.message, error.field) == (kind, "what, where", "a.b")


def test_an_order_crosses_the_pipe() -> None:
    order = ShardOrder(
        Path("/s"), a_plan(), Policies(rates={"run": Rate(5, 1)}), 1, "token", shares_rate=True, first=tuple(COMMANDS)
    )
    assert ShardOrder.from_json(_over_the_wire(order.to_json())) == order
    assert order.range == (5, 10)


@given(st.integers(1, 200), st.integers(1, 200), st.integers(1, 200), st.integers(1, 16))
def test_shares_of_the_concurrency_never_exceed_it_unless_each_needs_one(a: int, b: int, c: int, shards: int) -> None:
    least, target, most = sorted((a, b, c))
    policies = Policies(concurrency_min=least, concurrency_target=target, concurrency_max=most)
    shares = [share_of(policies, 50, shard, shards) for shard in range(shards)]
    assert sum(share.concurrency_target for share in shares) <= max(min(target, 50), shards)
    for share in shares:
        engine_policies(share).check()


async def test_commands_come_down_in_order_and_stay_in_range() -> None:
    board = Board(Policies(concurrency_min=1, concurrency_target=5, concurrency_max=8))
    board.pause()
    board.change_concurrency(2)
    board.change_concurrency(20)
    board.change_rate("run", "5/min")
    board.abort()
    seen = []
    async for command in board.commands():
        seen.append(command)
        if isinstance(command, AbortRun):
            break
    assert seen == [
        PauseRun("command-1"),
        ChangeConcurrency("command-2", 7),
        ChangeConcurrency("command-3", 8),
        ChangeRate("command-4", "run", Rate(5, 60)),
        AbortRun("command-5"),
    ]
    with pytest.raises(InvalidInput, match="rate"):
        board.change_rate("run", "quick")


class Watching(SilentObserver):
    def __init__(self) -> None:
        self.progress: list[SendProgress] = []
        self.notices: list[Notice] = []

    def progressed(self, progress: SendProgress, /) -> None:
        self.progress.append(progress)

    def noted(self, notice: Notice, /) -> None:
        self.notices.append(notice)


class Still:
    def now_ms(self) -> int:
        return 0

    def monotonic(self) -> float:
        return 0.0


def test_shards_are_shown_as_one_send_and_a_notice_once() -> None:
    watching = Watching()
    display = Display(watching, {0: 10, 1: 10}, Still())
    for shard in (0, 1):
        display.show(shard, EngineEvent("r", EventKind.PAUSED, 0, _progress(state=RunState.PAUSED)))
    last = watching.progress[-1]
    assert (last.state, last.counts.total, last.counts.succeeded, last.in_flight) == (RunState.PAUSED, 20, 2, 4)
    assert watching.notices == [Notice(NoticeKind.STATE, "paused")]
    assert (last.per_second, last.eta_s, last.workers) == (5.0, 2.0, 2)


def test_a_send_waits_only_when_every_shard_waits() -> None:
    watching = Watching()
    display = Display(watching, {0: 10, 1: 10}, Still())
    for shard, until in ((0, 9), (1, 7)):
        waiting = Waiting(WaitReason.RETRY, until)
        display.show(shard, EngineEvent("r", EventKind.WAITING, 0, _progress(waiting=waiting)))
    assert [(seen.waits_for, seen.waits_until_ms) for seen in watching.progress] == [
        ("WAITING_RETRY", 9),
        ("WAITING_RETRY", 7),
    ]
    display.show(1, EngineEvent("r", EventKind.RESUMED, 0, _progress()))
    assert watching.progress[-1].waits_for == ""


def test_an_unknown_item_carries_the_key_of_its_origin(tmp_path: Path) -> None:
    source = SourceSend("run-0", "/s", (), ("run-0", "run-00"))
    plan = a_plan(source=source, audience=AudienceRecord("ab" * 32, 3, 3, 0, 0))
    (tmp_path / "origins.bin").write_bytes(ENTRY.pack(0, 7) + ENTRY.pack(OWN, 0) + ENTRY.pack(1, 9))
    origins = Origins.open(tmp_path / "origins.bin", plan)
    assert origins.key_for(0) == "run-0:7"
    assert origins.key_for(1) == "run-1:1"
    assert origins.key_for(2) == "run-00:9"
    origins.close()
    (tmp_path / "origins.bin").write_bytes(b"short")
    with pytest.raises(SendConflict, match="origins"):
        Origins.open(tmp_path / "origins.bin", plan)


def test_a_worker_is_of_this_installation_and_gets_no_setting_or_secret_of_ours() -> None:
    ours = {"POSTROAD_SECRET_KEY": "s3cret", "POSTROAD_DATABASE_PASSWORD": "s3cret", "PATH": "/bin", "PYTHONPATH": "/x"}
    given_to_it = worker_environment(ours)
    assert "s3cret" not in given_to_it.values()
    assert given_to_it["PATH"] == "/bin"
    assert given_to_it["PYTHONPATH"].split(":") == [str(Path(postroad.__file__).parents[1]), "/x"]
