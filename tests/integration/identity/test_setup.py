"""The first administrator, by the code that was printed."""

import contextlib
import threading

import pytest
from tests.builders.people import PASSWORD, SYSTEM, House

from postroad.modules import identity
from postroad.modules.identity import OneTimeCode, SetUp
from postroad.vocabulary.errors import PostroadError
from postroad.vocabulary.refusals import AccessDenied, RateLimited, StateConflict, ValidationFailed
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret


def _code(house: House) -> OneTimeCode:
    code = house.database.write(SYSTEM, identity.new_setup_code)
    assert code is not None
    return code


def _set_up(house: House, code: Secret, username: str = "root", password: str = PASSWORD) -> identity.User:
    ask = SetUp(code, username, Secret(password), "The Root")
    return identity.create_first_administrator(house.door, ask, identity.Origin(source_address="10.0.0.1"))


def test_the_code_makes_an_administrator_who_can_sign_in(house: House) -> None:
    assert house.database.read(SYSTEM, identity.is_setup_needed)
    made = _set_up(house, _code(house).secret)
    assert (made.username, made.display_name, made.system_admin) == ("root", "The Root", True)
    assert house.sign_in("root").system_admin
    assert not house.database.read(SYSTEM, identity.is_setup_needed)


def test_the_code_opens_once(house: House) -> None:
    code = _code(house).secret
    _set_up(house, code)
    with pytest.raises(StateConflict):
        _set_up(house, code, "second")


def test_once_somebody_is_there_no_code_is_made(house: House) -> None:
    house.user("anna")
    assert house.database.write(SYSTEM, identity.new_setup_code) is None


def test_a_code_is_worthless_once_somebody_is_there(house: House) -> None:
    code = _code(house).secret
    house.user("anna")
    with pytest.raises(StateConflict):
        _set_up(house, code)


@pytest.mark.parametrize("guess", ["", "\ud800", "wrong", "x" * 10_000, "ü"])
def test_a_wrong_code_opens_nothing(house: House, guess: str) -> None:
    _code(house)
    with pytest.raises(ValidationFailed) as refused:
        _set_up(house, Secret(guess))
    assert refused.value.problems[0].path == "code"
    assert house.database.read(SYSTEM, identity.is_setup_needed)


def test_an_old_code_opens_nothing(house: House) -> None:
    code = _code(house)
    house.clock.ms = code.expires_at_ms
    with pytest.raises(ValidationFailed):
        _set_up(house, code.secret)


def test_two_services_that_start_at_once_have_a_good_code_each(house: House) -> None:
    first, second = _code(house).secret, _code(house).secret
    assert first != second
    _set_up(house, first)
    with pytest.raises(StateConflict):
        _set_up(house, second, "other")


def test_an_unfit_password_leaves_the_code_good(house: House) -> None:
    code = _code(house).secret
    with pytest.raises(ValidationFailed) as refused:
        _set_up(house, code, password="short")
    assert refused.value.problems[0].path == "password"
    _set_up(house, code)


def test_guessing_codes_is_throttled(house: House) -> None:
    for _ in range(20):
        with pytest.raises(ValidationFailed):
            _set_up(house, Secret("guess"))
    with pytest.raises(RateLimited):
        _set_up(house, _code(house).secret)


def test_a_person_makes_no_setup_code(house: House) -> None:
    with pytest.raises(AccessDenied):
        house.database.write(house.member("anna", Role.ADMIN), identity.new_setup_code)


def test_of_many_who_hold_a_code_at_once_one_becomes_administrator(house: House) -> None:
    codes = [_code(house).secret, _code(house).secret]
    made: list[str] = []
    start = threading.Barrier(6)

    def come(number: int) -> None:
        start.wait()
        with contextlib.suppress(PostroadError):
            made.append(_set_up(house, codes[number % 2], f"root{number}").username)

    threads = [threading.Thread(target=come, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
