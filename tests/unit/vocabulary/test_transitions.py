import pytest

from postroad.vocabulary.transitions import ITEM, RUN, RUN_FINAL, ItemState, RunEvent, RunState, next_run_state

S, E = RunState, RunEvent

CELLS = {
    (S.PENDING, E.LEASE): S.LEASED,
    (S.PENDING, E.CANCEL): S.CANCELLED,
    (S.PENDING, E.LEASE_LOST): S.PENDING,
    (S.PENDING, E.RUN_ERROR): S.FAILED,
    (S.LEASED, E.START): S.RUNNING,
    (S.LEASED, E.LEASE_UNACKNOWLEDGED): S.PENDING,
    (S.LEASED, E.CANCEL): S.CANCELLED,
    (S.LEASED, E.LEASE_LOST): S.LOST,
    (S.LEASED, E.RUN_ERROR): S.FAILED,
    (S.RUNNING, E.PAUSE): S.PAUSED,
    (S.RUNNING, E.CANCEL): S.CANCELLING,
    (S.RUNNING, E.ALL_SETTLED_WELL): S.SUCCEEDED,
    (S.RUNNING, E.SOME_SETTLED_BADLY): S.PARTIAL,
    (S.RUNNING, E.RUN_ERROR): S.FAILED,
    (S.RUNNING, E.LEASE_LOST): S.LOST,
    (S.PAUSED, E.RESUME): S.RUNNING,
    (S.PAUSED, E.CANCEL): S.CANCELLING,
    (S.PAUSED, E.RUN_ERROR): S.FAILED,
    (S.PAUSED, E.LEASE_LOST): S.LOST,
    (S.CANCELLING, E.CANCEL): S.CANCELLING,
    (S.CANCELLING, E.DRAINED): S.CANCELLED,
    (S.CANCELLING, E.RUN_ERROR): S.FAILED,
    (S.CANCELLING, E.LEASE_LOST): S.LOST,
    (S.LOST, E.RECOVER): S.RECOVERING,
    (S.LOST, E.CANCEL): S.CANCELLED,
    (S.LOST, E.LEASE_LOST): S.LOST,
    (S.LOST, E.RUN_ERROR): S.FAILED,
    (S.RECOVERING, E.REQUEUE): S.PENDING,
    (S.RECOVERING, E.CANCEL): S.CANCELLED,
    (S.RECOVERING, E.LEASE_LOST): S.LOST,
    (S.RECOVERING, E.RUN_ERROR): S.FAILED,
}


@pytest.mark.parametrize("state", list(S))
@pytest.mark.parametrize("event", list(E))
def test_every_cell_of_the_run_table(state: RunState, event: RunEvent) -> None:
    assert next_run_state(state, event) == CELLS.get((state, event))


def test_a_final_run_is_never_left_and_every_other_answers_cancel_loss_and_error() -> None:
    assert {S.CANCELLED, S.SUCCEEDED, S.PARTIAL, S.FAILED} == RUN_FINAL
    for state in set(S) - RUN_FINAL:
        assert {E.CANCEL, E.LEASE_LOST, E.RUN_ERROR} <= set(RUN[state])


def test_an_item_ends_in_one_of_five_states() -> None:
    final = {state for state, following in ITEM.items() if not following}
    assert {i.value for i in final} == {"SUCCEEDED", "FAILED", "UNKNOWN", "UNSENT", "SKIPPED"}
    assert ItemState.IN_FLIGHT not in ITEM[ItemState.IN_FLIGHT]
    assert ItemState.UNSENT not in ITEM[ItemState.IN_DOUBT], "what may have left can never be called unsent"
