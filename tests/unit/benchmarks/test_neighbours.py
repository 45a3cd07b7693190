from collections.abc import Iterator

from benchmarks.neighbours import Spent, undisturbed


def looks(*others: float) -> Iterator[Spent]:
    """Before and after each round: of 10 s of the cores we take 4, others so many."""
    for taken in others:
        yield Spent(cores=100, everybody=50, ours=20)
        yield Spent(cores=110, everybody=54 + taken, ours=24)


def test_a_round_that_others_disturbed_is_run_again_until_one_is_quiet() -> None:
    speeds, seen = iter((10.0, 20.0, 30.0)), looks(5, 0, 0)

    assert undisturbed(lambda: {"per_s": next(speeds)}, 3, lambda: next(seen)) == {"per_s": 20, "others": 0}


def test_where_no_round_is_quiet_the_least_disturbed_one_counts() -> None:
    speeds, seen = iter((10.0, 20.0, 30.0)), looks(5, 2, 4)

    assert undisturbed(lambda: {"per_s": next(speeds)}, 3, lambda: next(seen)) == {"per_s": 20, "others": 0.2}
    assert next(speeds, None) is None
