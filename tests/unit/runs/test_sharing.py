"""Shares of the concurrency: they add up, they settle, they never pass a limit."""

from hypothesis import given
from hypothesis import strategies as st

from postroad.modules.runs.parts.sharing import Reserved, first_grant, next_grant, share


@given(target=st.integers(1, 500), leases=st.integers(1, 40))
def test_shares_add_up_to_the_target_and_differ_by_one_at_most(target: int, leases: int) -> None:
    shares = [share(target, number, leases) for number in range(leases)]

    assert min(shares) >= 1
    assert max(shares) - min(shares) <= 1
    assert sum(shares) == max(target, leases)


@given(target=st.integers(1, 100), room=st.integers(-5, 100), others=st.lists(st.integers(1, 50), max_size=10))
def test_a_first_grant_fits_the_room_and_leaves_everybody_one(target: int, room: int, others: list[int]) -> None:
    grant = first_grant(target, [Reserved(str(n), size) for n, size in enumerate(others)], room)

    assert 0 <= grant <= max(0, room)
    assert grant == 0 or len(others) < target


@given(
    target=st.integers(1, 200),
    held=st.lists(st.integers(1, 200), min_size=1, max_size=8),
    rooms=st.lists(st.integers(0, 50), min_size=8, max_size=8),
)
def test_renewals_settle_at_the_target(target: int, held: list[int], rooms: list[int]) -> None:
    leases = [Reserved(str(n), size) for n, size in enumerate(held)]
    for _ in range(2):
        for number, lease in enumerate(leases):
            grown = next_grant(target, lease.lease_id, leases, rooms[number])
            assert grown <= lease.concurrency + rooms[number] or grown <= share(target, number, len(leases))
            leases[number] = Reserved(lease.lease_id, grown)

    assert sum(lease.concurrency for lease in leases) <= max(target, len(leases))


def test_with_room_enough_every_lease_has_its_share_after_two_rounds() -> None:
    leases = [Reserved("a", 16), Reserved("b", 1), Reserved("c", 1)]
    for _ in range(2):
        for number, lease in enumerate(leases):
            leases[number] = Reserved(lease.lease_id, next_grant(16, lease.lease_id, leases, 100))

    assert [lease.concurrency for lease in leases] == [5, 5, 6]
