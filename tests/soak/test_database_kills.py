"""A writer killed in a hundred places, on both databases: every change is whole, the answered ones are there."""

import pytest
from tests.behaviour.kernel.test_kill import test_every_change_is_whole_after_a_kill as check_a_kill
from tests.builders.databases import Databases


@pytest.mark.parametrize("seed", range(1000, 1100))
def test_a_writer_killed_anywhere_leaves_whole_changes(databases: Databases, seed: int) -> None:
    check_a_kill(databases, seed)
