"""The weather of a receiver: a plan, not luck."""

from collections import Counter

from postroad.flows.drills.receivers.http import batch_of_phones, one_by_id
from postroad.flows.drills.receivers.ledger import Ledger
from postroad.flows.drills.receivers.weather import Fate, Weather

ROUGH = {Fate.UNAVAILABLE: 0.2, Fate.CUT_AFTER: 0.1}


def test_the_same_seed_gives_everybody_the_same_fate_again() -> None:
    one, two, other = Weather(7, ROUGH), Weather(7, ROUGH), Weather(8, ROUGH)
    people = [f"p{number}" for number in range(200)]
    assert [one.fate(who, 1) for who in people] == [two.fate(who, 1) for who in people]
    assert [one.fate(who, 1) for who in people] != [other.fate(who, 1) for who in people]


def test_fates_come_about_as_often_as_the_odds_say() -> None:
    weather = Weather(1, ROUGH)
    drawn = Counter(weather.fate(f"p{number}", 1) for number in range(10_000))
    assert 1_800 < drawn[Fate.UNAVAILABLE] < 2_200
    assert 900 < drawn[Fate.CUT_AFTER] < 1_100
    assert drawn.total() - drawn[Fate.UNAVAILABLE] - drawn[Fate.CUT_AFTER] == drawn[Fate.ACCEPT]


def test_each_request_of_one_recipient_has_its_own_draw() -> None:
    weather = Weather(1, {Fate.UNAVAILABLE: 0.5})
    assert {weather.fate("p1", nth) for nth in range(1, 20)} == {Fate.UNAVAILABLE, Fate.ACCEPT}


def test_a_ledger_counts_copies_requests_and_what_is_open() -> None:
    ledger = Ledger(Weather(1, {}))
    with ledger.open_request(), ledger.open_request():
        ledger.fate_of("p1")
        ledger.arrived("p1")
        assert ledger.report()["inFlight"] == 2
    assert ledger.report() == {
        "copies": {"p1": 1},
        "requests": 1,
        "fates": {"ACCEPT": 1},
        "doubtful": 0,
        "inFlight": 0,
        "inFlightMax": 2,
    }


def test_the_recipients_of_a_request_are_read_where_each_channel_puts_them() -> None:
    assert one_by_id("/messages", b'{"id": "p1"}') == ["p1"]
    assert batch_of_phones("/?PhoneNumberJson=%5B%221%22%2C%222%22%5D", b"") == ["1", "2"]
    assert batch_of_phones("/", b"PhoneNumbers=1%2C2") == ["1", "2"]
