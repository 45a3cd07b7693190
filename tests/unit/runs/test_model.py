"""A run is the fold of its shards: every live state against every state a shard can have."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.modules.runs import Run, Shard, WantsEnd
from postroad.modules.runs.model import LEASED_OUT, WORKED_ON, ending, ending_of_shard, following, reported
from postroad.vocabulary.counts import Counts, add_counts
from postroad.vocabulary.errors import AccountingBroken
from postroad.vocabulary.refusals import RunStateConflict
from postroad.vocabulary.transitions import RUN_FINAL, RunEvent, RunState, next_run_state

_S, _E = RunState, RunEvent
LIVE = [state for state in RunState if state not in RUN_FINAL]


def run_in(state: RunState, **parts: object) -> Run:
    base = Run("run", "workspace", "job", "Job", "snapshot", "http", "account", "user:1", state=state)
    return replace(base, **parts)  # type: ignore[arg-type]


def shard_in(state: RunState, number: int = 0, counted: Counts | None = None) -> Shard:
    return Shard(f"s{number}", "run", "workspace", number, 0, 10, state, counts=counted or Counts(10))


@pytest.mark.parametrize("wants", [WantsEnd.NO, WantsEnd.CANCEL])
@pytest.mark.parametrize("run_state", LIVE)
def test_following_the_shards_is_always_a_walk_through_the_table(run_state: RunState, wants: WantsEnd) -> None:
    for states in itertools.combinations_with_replacement(RunState, 2):
        run = run_in(run_state, wants_end=wants)
        shards = [shard_in(state, number) for number, state in enumerate(states)]
        for _ in range(3):
            for event in following(run, shards):
                run = run.moved(event, 1)
        assert following(run, shards) == (), (run_state, states)
        assert not run.is_final


@pytest.mark.parametrize(
    ("run_state", "shards", "events"),
    [
        (_S.PENDING, [_S.PENDING, _S.PENDING], ()),
        (_S.PENDING, [_S.LEASED, _S.PENDING], (_E.LEASE,)),
        (_S.PENDING, [_S.RUNNING, _S.PENDING], (_E.LEASE, _E.START)),
        (_S.LEASED, [_S.RUNNING, _S.PENDING], (_E.START,)),
        (_S.LEASED, [_S.PENDING, _S.PENDING], (_E.LEASE_UNACKNOWLEDGED,)),
        (_S.LEASED, [_S.LOST, _S.PENDING], (_E.LEASE_LOST,)),
        (_S.RUNNING, [_S.PAUSED, _S.RUNNING], ()),
        (_S.RUNNING, [_S.PAUSED, _S.PAUSED], (_E.PAUSE,)),
        (_S.RUNNING, [_S.PAUSED, _S.SUCCEEDED], (_E.PAUSE,)),
        (_S.RUNNING, [_S.LOST, _S.RUNNING], ()),
        (_S.RUNNING, [_S.LOST, _S.SUCCEEDED], (_E.LEASE_LOST,)),
        (_S.RUNNING, [_S.PENDING, _S.SUCCEEDED], ()),
        (_S.RUNNING, [_S.CANCELLING, _S.CANCELLING], (_E.CANCEL,)),
        (_S.PAUSED, [_S.RUNNING, _S.PAUSED], (_E.RESUME,)),
        (_S.PAUSED, [_S.LOST, _S.PAUSED], ()),
        (_S.PAUSED, [_S.LOST, _S.PENDING], (_E.LEASE_LOST,)),
        (_S.CANCELLING, [_S.LOST, _S.CANCELLED], (_E.LEASE_LOST,)),
        (_S.LOST, [_S.LOST, _S.PENDING], ()),
        (_S.LOST, [_S.PENDING, _S.SUCCEEDED], (_E.RECOVER, _E.REQUEUE)),
        (_S.RECOVERING, [_S.PENDING, _S.PENDING], (_E.REQUEUE,)),
    ],
)
def test_what_the_run_does_when_its_shards_stand_so(
    run_state: RunState, shards: list[RunState], events: tuple[RunEvent, ...]
) -> None:
    assert following(run_in(run_state), [shard_in(state, n) for n, state in enumerate(shards)]) == events


def test_a_run_that_is_to_be_cancelled_is_when_a_worker_has_it_again() -> None:
    run = run_in(_S.LEASED, wants_end=WantsEnd.CANCEL)

    assert following(run, [shard_in(_S.RUNNING)]) == (_E.START, _E.CANCEL)


ENDED = [_S.SUCCEEDED, _S.PARTIAL, _S.CANCELLED, _S.FAILED]


@pytest.mark.parametrize("wants", list(WantsEnd))
@pytest.mark.parametrize("run_state", [_S.PENDING, _S.LEASED, _S.RUNNING, _S.PAUSED, _S.CANCELLING])
def test_an_ending_is_a_walk_to_a_final_state(run_state: RunState, wants: WantsEnd) -> None:
    for states in itertools.combinations_with_replacement(ENDED, 2):
        if (
            run_state in (_S.PENDING, _S.LEASED)
            and wants is not WantsEnd.CANCEL
            and not {_S.FAILED, _S.CANCELLED} & {*states}
        ):
            continue
        run = run_in(run_state, wants_end=wants, counts=Counts(20, succeeded=20))
        for event in ending(run, [shard_in(state, n) for n, state in enumerate(states)]):
            run = run.moved(event, 1)
        if _S.FAILED in states:
            assert run.state is _S.FAILED
        elif _S.CANCELLED in states or wants is WantsEnd.CANCEL or run_state is _S.CANCELLING:
            assert run.state is _S.CANCELLED
        else:
            assert run.state in (_S.SUCCEEDED, _S.PARTIAL)


def test_an_ended_run_is_never_ended_again() -> None:
    for state in RUN_FINAL:
        assert ending(run_in(state), [shard_in(_S.FAILED)]) == ()


@pytest.mark.parametrize("said", RunState)
@pytest.mark.parametrize("state", sorted(WORKED_ON))
def test_a_shard_ends_by_the_table_and_by_its_counts(state: RunState, said: RunState) -> None:
    counted = Counts(10, succeeded=9, failed=1)
    shard = shard_in(state)
    if said not in ENDED:
        with pytest.raises(RunStateConflict):
            ending_of_shard(shard, said, counted)
        return
    for event in ending_of_shard(shard, said, counted):
        shard = shard.moved(event)
    assert shard.state in RUN_FINAL
    assert (shard.state is _S.FAILED) == (said is _S.FAILED)
    assert shard.state is not _S.SUCCEEDED, "one of its recipients was not reached"


@pytest.mark.parametrize("said", RunState)
@pytest.mark.parametrize("state", RunState)
def test_a_report_moves_a_shard_by_the_table_or_is_refused(state: RunState, said: RunState) -> None:
    shard = shard_in(state)
    try:
        events = reported(shard, said)
        for event in events:
            shard = shard.moved(event)
    except RunStateConflict:
        assert state is not said
        return
    assert shard.state is said
    assert said is state or state in WORKED_ON


def test_only_states_that_a_worker_holds_count_as_leased_out() -> None:
    assert {_S.LEASED, _S.RUNNING, _S.PAUSED, _S.CANCELLING} == LEASED_OUT


@pytest.mark.parametrize("state", RunState)
def test_what_is_allowed_has_a_cell_or_withdraws_a_wish(state: RunState) -> None:
    for wants_pause in (False, True):
        run = run_in(state, wants_pause=wants_pause)
        allowed = {kind.value for kind in run.allowed_commands}
        if state in RUN_FINAL:
            assert allowed == set()
            continue
        assert ("pause" in allowed) == (not wants_pause and state in (_S.RUNNING, _S.PAUSED))
        assert ("resume" in allowed) == (wants_pause or state is _S.PAUSED)
        assert ("cancel" in allowed) == (next_run_state(state, _E.CANCEL) is not None)
        assert {"concurrency", "rate"} <= allowed


@given(st.lists(st.lists(st.integers(0, 1000), min_size=8, max_size=8), max_size=6))
def test_counts_of_shards_add_up(rows: list[list[int]]) -> None:
    total = add_counts(Counts(*row) for row in rows)

    assert [total.total, total.settled] == [
        sum(row[0] for row in rows),
        sum(sum(row[1:6]) for row in rows),
    ]


@given(st.lists(st.integers(0, 50), min_size=5, max_size=5), st.integers(0, 260))
def test_an_account_is_sound_only_where_the_five_add_up(parts: list[int], total: int) -> None:
    counted = Counts(total, *parts)
    if sum(parts) == total:
        counted.check(total, "it")
    else:
        with pytest.raises(AccountingBroken):
            counted.check(total, "it")
