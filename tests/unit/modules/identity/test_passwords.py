"""What may be a password, and how it is kept."""

import threading

import pytest

from postroad.modules.identity.parts.passwords import HashingCost, Passwords, password_problem
from postroad.vocabulary.refusals import Overloaded
from postroad.vocabulary.secret import Secret

CHEAP = HashingCost(memory_kib=8, passes=1)
GOOD = Secret("correct horse battery")


@pytest.fixture(scope="module")
def passwords() -> Passwords:
    return Passwords(CHEAP)


@pytest.mark.parametrize("text", ["short", "x" * 257, "aaaaaaaaaaaaaa", "ababababababab", "Anna.Bergström"])
def test_an_unfit_password_is_refused_by_its_field(text: str) -> None:
    problem = password_problem(Secret(text), "anna.bergström", "password")
    assert problem is not None
    assert (problem.path, problem.code) == ("password", "PASSWORD_UNFIT")


@pytest.mark.parametrize(
    "text", ["correct horse battery", "x1y2" * 64, "密码密码一二三四五六七八", "            ab cd"]
)
def test_any_kind_of_letters_makes_a_password(text: str) -> None:
    assert password_problem(Secret(text), "anna", "password") is None


def test_a_hash_is_argon2id_and_opens_for_its_password_alone(passwords: Passwords) -> None:
    kept = passwords.hash(GOOD)
    assert kept.startswith("$argon2id$")
    assert passwords.is_right(kept, GOOD)
    assert not passwords.is_right(kept, Secret("correct horse batter"))


def test_a_password_is_the_same_however_its_letters_are_composed(passwords: Passwords) -> None:
    assert passwords.is_right(passwords.hash(Secret("pa\u0308sswo\u0308rter")), Secret("pässwörter"))


@pytest.mark.parametrize("kept", [None, "no hash at all"])
def test_where_nothing_is_kept_no_password_is_right(passwords: Passwords, kept: str | None) -> None:
    assert not passwords.is_right(kept, GOOD)
    assert not passwords.is_right(kept, Secret("the password that nobody has"))


def test_a_hash_of_other_parameters_is_good_and_outdated(passwords: Passwords) -> None:
    older = Passwords(HashingCost(memory_kib=16, passes=1)).hash(GOOD)
    assert passwords.is_right(older, GOOD)
    assert passwords.is_outdated(older)
    assert not passwords.is_outdated(passwords.hash(GOOD))


def test_the_cost_of_today_is_above_the_least_that_is_advised() -> None:
    cost = HashingCost()
    assert cost.memory_kib >= 19 * 1024
    assert cost.passes >= 2


def test_who_would_wait_too_long_for_a_place_is_told_so() -> None:
    narrow = Passwords(HashingCost(memory_kib=8, passes=1, at_once=1, waits_s=0.01))
    holds, may_end = threading.Event(), threading.Event()

    class Slow(Secret):
        def reveal(self) -> str:
            holds.set()
            may_end.wait(5)
            return "slow"

    other = threading.Thread(target=lambda: narrow.hash(Slow("")))
    other.start()
    holds.wait(5)
    with pytest.raises(Overloaded):
        narrow.hash(GOOD)
    may_end.set()
    other.join()
    assert narrow.hash(GOOD)
