from collections.abc import Callable

from benchmarks.rounds import in_turn, over


def test_contenders_take_turns_and_each_gets_the_median_of_its_rounds() -> None:
    order: list[str] = []

    def contender(name: str, *speeds: float) -> Callable[[], dict[str, float]]:
        waiting = iter(speeds)

        def run() -> dict[str, float]:
            order.append(name)
            return {"per_s": next(waiting)}

        return run

    found = in_turn(3, contender("ours", 30, 10, 20), contender("theirs", 5, 6, 100))

    assert order == ["ours", "theirs"] * 3
    assert found == [{"per_s": 20}, {"per_s": 6}]


def test_a_ratio_without_a_peer_is_none() -> None:
    assert over(10, None) is None
    assert over(10, 0) is None
    assert over(10, 3) == 3.33
