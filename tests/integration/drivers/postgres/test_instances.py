"""Several instances on one server: one holds a thing, and each hears the hints of the others."""

import pytest
from tests.builders.databases import Databases

from postroad.drivers.postgres import PostgresAddress, PostgresSingleton, PostgresWakeups
from postroad.kernel.wakeups import EVERYTHING, Wakeups

LONG_S = 20.0


def test_one_instance_holds_it_and_the_next_takes_over(address: PostgresAddress) -> None:
    first, second = PostgresSingleton(address, "scheduler"), PostgresSingleton(address, "scheduler")
    assert (first.hold(), second.hold(), first.hold()) == (True, False, True)
    first.release()
    assert (second.hold(), first.hold()) == (True, False)
    second.release()


def test_two_things_are_held_apart(address: PostgresAddress) -> None:
    scheduler, retention = PostgresSingleton(address, "scheduler"), PostgresSingleton(address, "retention")
    assert scheduler.hold()
    assert retention.hold()
    scheduler.release()
    retention.release()


def test_an_instance_that_was_cut_off_holds_it_no_more(address: PostgresAddress) -> None:
    first, second = PostgresSingleton(address, "cut"), PostgresSingleton(address, "cut")
    assert first.hold()
    with address.connect("tests") as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s",
            ("postroad singleton cut",),
        )
    assert second.hold()
    assert not first.hold()
    assert not first.hold()
    second.release()
    assert first.hold()
    first.release()


def test_a_server_that_is_not_there_lets_nobody_hold_anything() -> None:
    assert not PostgresSingleton(PostgresAddress("postgresql://postgres@127.0.0.1:1/postgres"), "scheduler").hold()


@pytest.fixture
def heard() -> Wakeups:
    return Wakeups()


def test_a_hint_reaches_the_other_instances_once(address: PostgresAddress, heard: Wakeups) -> None:
    ours = Wakeups()
    here, there = PostgresWakeups(address, ours, "here"), PostgresWakeups(address, heard, "there")
    with ours.subscribe("runs") as own, heard.subscribe("runs") as other:
        here.start()
        there.start()
        assert here.wait_until_listening(LONG_S)
        assert there.wait_until_listening(LONG_S)
        while own.wait(0.05) or other.wait(0.05):
            pass
        ours.notify("runs", "r1")
        assert other.wait(LONG_S) == {"r1"}
        assert own.wait(LONG_S) == {"r1"}
        heard.notify("runs", "r2")
        assert own.wait(LONG_S) == {"r2"}
        assert other.wait(LONG_S) == {"r2"}
    here.stop()
    there.stop()


def test_a_listener_that_was_cut_comes_back_and_wakes_everybody(address: PostgresAddress, heard: Wakeups) -> None:
    listener = PostgresWakeups(address, heard, "there")
    with heard.subscribe("runs") as other:
        listener.start()
        assert listener.wait_until_listening(LONG_S)
        assert other.wait(LONG_S) == {EVERYTHING}
        with address.connect("tests") as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s",
                ("postroad wakeups",),
            )
        assert other.wait(LONG_S) == {EVERYTHING}
        assert listener.wait_until_listening(LONG_S)
    listener.stop()


def test_a_listener_without_a_server_stops_when_it_is_told(heard: Wakeups) -> None:
    listener = PostgresWakeups(PostgresAddress("postgresql://postgres@127.0.0.1:1/postgres"), heard, "there")
    listener.start()
    for number in range(3000):
        heard.notify("runs", str(number))
    listener.stop()
    heard.notify("runs", "after")


def test_notes_of_strangers_on_the_channel_are_ignored(address: PostgresAddress, on_postgres: Databases) -> None:
    heard = Wakeups()
    listener = PostgresWakeups(address, heard, "there")
    listener.start()
    assert listener.wait_until_listening(LONG_S)
    with heard.subscribe("runs") as other, address.connect("tests") as admin:
        for payload in ("", "no json", "[1, 2]", "{}", '["x", "runs", "r9"]'):
            admin.execute("SELECT pg_notify('postroad_wakeups', %s)", (payload,))
        assert other.wait(LONG_S) == {"r9"}
    listener.stop()
