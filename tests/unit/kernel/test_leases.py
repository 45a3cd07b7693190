import pytest

from postroad.kernel.leases import Fence, Lease, is_current, require_current
from postroad.vocabulary.refusals import LeaseExpired

LEASE = Lease("worker-1", 3, "token-3", 1_000)


def test_the_holder_is_current_until_the_lease_is_over() -> None:
    assert is_current(LEASE, Fence(3, "token-3"), 999)
    assert not is_current(LEASE, Fence(3, "token-3"), 1_000)


@pytest.mark.parametrize(
    "fence", [Fence(2, "token-3"), Fence(3, "token-2"), Fence(4, "token-3"), Fence(3, ""), Fence(3, "é")]
)
def test_whoever_shows_another_fence_is_refused(fence: Fence) -> None:
    with pytest.raises(LeaseExpired):
        require_current(LEASE, fence, 0)


def test_a_renewal_never_shortens() -> None:
    assert LEASE.renewed(2_000).expires_at_ms == 2_000
    assert LEASE.renewed(500) == LEASE
