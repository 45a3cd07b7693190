"""Every cell of the machine of imports."""

import pytest

from postroad.modules.audiences.model import IMPORT, IMPORT_OPEN, ImportEvent, ImportState, next_import_state
from postroad.vocabulary.refusals import StateConflict

UPLOADED, PARSED, FAILED, COMMITTED, DISCARDED = (
    ImportState.UPLOADED,
    ImportState.PARSED,
    ImportState.FAILED,
    ImportState.COMMITTED,
    ImportState.DISCARDED,
)
EXPECTED = {
    (UPLOADED, ImportEvent.READ): PARSED,
    (UPLOADED, ImportEvent.UNREADABLE): FAILED,
    (UPLOADED, ImportEvent.CHANGE): UPLOADED,
    (UPLOADED, ImportEvent.DISCARD): DISCARDED,
    (PARSED, ImportEvent.CHANGE): UPLOADED,
    (PARSED, ImportEvent.COMMIT): COMMITTED,
    (PARSED, ImportEvent.DISCARD): DISCARDED,
    (FAILED, ImportEvent.CHANGE): UPLOADED,
    (FAILED, ImportEvent.DISCARD): DISCARDED,
}


@pytest.mark.parametrize("state", ImportState)
@pytest.mark.parametrize("event", ImportEvent)
def test_every_cell_is_as_it_was_decided(state: ImportState, event: ImportEvent) -> None:
    if (state, event) in EXPECTED:
        assert next_import_state(state, event) is EXPECTED[state, event]
    else:
        with pytest.raises(StateConflict):
            next_import_state(state, event)


def test_what_is_over_is_never_left() -> None:
    assert frozenset(IMPORT) - IMPORT_OPEN == {COMMITTED, DISCARDED}
