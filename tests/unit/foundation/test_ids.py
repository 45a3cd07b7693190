import uuid

from postroad.foundation.clock import SystemClock
from postroad.foundation.ids import IdMaker, new_run_id, uuid7


class StillClock:
    def __init__(self, now_ms: int) -> None:
        self.now = now_ms

    def now_ms(self) -> int:
        return self.now

    def monotonic(self) -> float:
        return self.now / 1000


def test_an_id_is_a_version_7_uuid_that_tells_its_millisecond() -> None:
    made = uuid.UUID(IdMaker(StillClock(0x0123456789AB)).uuid7())
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == 0x0123456789AB


def test_the_vector_of_the_rfc_is_met() -> None:
    tail = (0xCC3 << 62) | 0x18C4DC0C0C07398F
    maker = IdMaker(StillClock(0x017F22E279B0), lambda _: tail.to_bytes(10, "big"))
    assert maker.uuid7() == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


def test_ids_of_one_millisecond_grow() -> None:
    maker = IdMaker(StillClock(1_700_000_000_000))
    made = [maker.uuid7() for _ in range(2000)]
    assert made == sorted(set(made))


def test_ids_grow_while_the_clock_goes_back() -> None:
    clock = StillClock(1_700_000_000_000)
    maker = IdMaker(clock)
    made = [maker.uuid7()]
    clock.now -= 3_600_000
    made += [maker.uuid7() for _ in range(10)]
    assert made == sorted(set(made))


def test_a_used_up_millisecond_flows_into_the_next() -> None:
    maker = IdMaker(StillClock(1000), lambda count: b"\xff" * count)
    made = [maker.uuid7() for _ in range(3)]
    assert made == sorted(set(made))
    assert uuid.UUID(made[-1]).version == 7


def test_the_process_makes_different_ids() -> None:
    assert len({uuid7(), uuid7(), new_run_id()}) == 3


def test_the_system_clock_tells_milliseconds_of_this_century() -> None:
    clock = SystemClock()
    assert 1_700_000_000_000 < clock.now_ms() < 4_102_444_800_000
    assert clock.monotonic() <= clock.monotonic()
