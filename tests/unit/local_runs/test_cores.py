from postroad.flows.local_runs.running.cores import core_of


def test_workers_as_many_as_the_cores_get_one_each() -> None:
    assert [core_of(shard, 3, {7, 2, 4}) for shard in range(3)] == [2, 4, 7]


def test_a_worker_stays_free_where_cores_are_left_or_lack() -> None:
    assert core_of(0, 2, {0, 1, 2, 3}) is None
    assert core_of(1, 3, {0, 1}) is None


def test_a_send_without_a_second_worker_stays_free() -> None:
    assert core_of(0, 1, {5}) is None
