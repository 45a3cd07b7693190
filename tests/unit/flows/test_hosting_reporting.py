"""What a worker says, as the ledger is told it."""

from dataclasses import replace

from tests.builders.databases import HandClock
from tests.builders.runs import counts, plan_for

from postroad.engine import Lease
from postroad.flows.hosting.budgets import Budgets
from postroad.flows.hosting.ports import Heard
from postroad.flows.hosting.reporting import ShardNews
from postroad.flows.hosting.shard_parts import Deaths
from postroad.modules.runs import CommandKind, CommandOrder, LeasedShard, Live, Posture, ReportAck, ShardFence
from postroad.vocabulary.transitions import RunState

PLAN = plan_for(10)
SHARD = LeasedShard(
    fence=ShardFence("lease-1", PLAN.run_id, "shard-1", 1, "token"),
    ack_until_ms=0,
    number=0,
    first=0,
    end=10,
    has_begun=False,
    plan=PLAN,
    posture=Posture(False, False, "", 4),
)


class Ear:
    def __init__(self, shard: LeasedShard = SHARD) -> None:
        self.hurried = 0
        self.budgets = Budgets()
        self.budgets.open(shard.plan.run_id, "account-1", {}, 0)
        self.news = ShardNews(shard, self.budgets, HandClock(1_000), self._hurry)

    def _hurry(self) -> None:
        self.hurried += 1

    def hears(self, succeeded: int, kind: str = "", state: RunState = RunState.RUNNING) -> None:
        self.news.heard(Heard(1_000, counts(10, succeeded=succeeded), state, Live(in_flight=1), kind))

    def tells(self) -> list[str]:
        report = self.news.next_report()
        if report is None:
            return []
        self.news.acknowledged(ReportAck(report.events[-1].sequence))
        return [event.type for event in report.events]


def test_progress_is_told_once_and_only_the_newest() -> None:
    ear = Ear()
    assert ear.tells() == []
    for succeeded in (1, 2, 3):
        ear.hears(succeeded)
    report = ear.news.next_report()
    assert report is not None
    assert (len(report.events), report.counts.succeeded) == (1, 3)
    assert ear.tells() == ["progress"]
    assert ear.tells() == []
    assert ear.hurried == 0


def test_what_people_wait_for_hurries_and_is_told_again_until_it_is_kept() -> None:
    ear = Ear()
    ear.hears(1, "paused", RunState.PAUSED)
    first = ear.news.next_report()
    again = ear.news.next_report()
    assert first is not None
    assert again is not None
    assert first.events == again.events[: len(first.events)]
    assert (first.state, ear.hurried) == (RunState.PAUSED, 1)
    assert not ear.news.acknowledged(ReportAck(0))
    assert ear.tells() == ["paused", "progress"]
    ear.hears(2)
    later = ear.news.next_report()
    assert later is not None
    assert later.events[0].sequence == 3


def test_a_worker_that_has_not_read_its_journal_yet_takes_no_counts_back() -> None:
    ear = Ear(replace(SHARD, counts=counts(10, succeeded=6)))
    ear.hears(0)
    report = ear.news.next_report()
    assert report is not None
    assert report.counts.succeeded == 6
    ear.hears(7)
    later = ear.news.next_report()
    assert later is not None
    assert later.counts.succeeded == 7


def test_a_worker_that_is_made_to_leave_is_not_reported_as_paused() -> None:
    ear = Ear()
    ear.hears(1)
    ear.news.is_leaving = True
    ear.hears(2, "paused", RunState.PAUSED)
    report = ear.news.next_report()
    assert report is not None
    assert (report.state, report.counts.succeeded) == (RunState.RUNNING, 2)
    assert [event.type for event in report.events] == ["progress"]


def test_only_commands_that_the_ledger_gave_are_answered_to_it() -> None:
    ear = Ear()
    order = CommandOrder("command-1", 4, CommandKind.PAUSE, {})
    assert ear.news.is_new(order)
    assert not ear.news.is_new(replace(order))
    ear.news.answered("command-1", True, "")
    ear.news.answered("command-9", True, "")
    assert [(answer.command_id, answer.sequence) for answer in ear.news.answers] == [("command-1", 4)]
    ear.news.forget_answers(ear.news.answers)
    assert ear.news.answers == ()


def test_tokens_come_from_the_budgets_of_the_run() -> None:
    ear = Ear()
    ear.news.slow(["account"], 60_000_000_000_000)
    lease: Lease = ear.news.lend("account", 1)
    assert (lease.tokens, lease.retry_at_ms) == (0, 60_000_000_000_000)


def test_deaths_count_only_in_a_row_without_progress() -> None:
    deaths = Deaths()
    assert [deaths.count("a", settled) for settled in (0, 0, 5, 5, 5)] == [1, 2, 1, 2, 3]
    deaths.forget("a")
    assert deaths.count("a", 5) == 1
