"""What a provider gives back, and what is made of it where it is wrong."""

from typing import Any

import pytest
from tests.builders.engine_parts import OK, refused

from postroad.engine.items.soundness import LONGEST_WAIT_S, sound_rendering, sound_result
from postroad.spi import Rendered, SendResult, Verdict
from postroad.vocabulary.outcomes import Category

NONE: Any = None


def test_a_good_result_is_passed_on_as_it_is() -> None:
    limited = refused(Category.RATE_LIMITED, retry_after_s=5, slow_keys=("domain:a",))
    assert sound_result(OK) is OK
    assert sound_result(limited) is limited


@pytest.mark.parametrize("nothing", [None, 5, "ACCEPTED", SendResult(NONE), SendResult("ACCEPTED")])  # type: ignore[arg-type]
def test_without_a_verdict_nobody_knows_whether_it_left(nothing: object) -> None:
    assert (sound_result(nothing).verdict, sound_result(nothing).category) == (Verdict.IN_DOUBT, Category.INTERNAL)


def test_an_accepted_message_stays_accepted_whatever_else_is_wrong() -> None:
    made = sound_result(SendResult(Verdict.ACCEPTED, code=NONE, request_id=17, summary=b"yes"))  # type: ignore[arg-type]
    assert (made.verdict, made.code, made.request_id, made.summary) == (Verdict.ACCEPTED, "", "17", "b'yes'")


@pytest.mark.parametrize("wait", [float("nan"), float("inf"), "5", True])
def test_a_wait_that_is_no_time_is_none(wait: Any) -> None:
    assert sound_result(refused(Category.RATE_LIMITED, retry_after_s=wait)).retry_after_s is None


def test_patience_has_an_end() -> None:
    assert sound_result(refused(Category.RATE_LIMITED, retry_after_s=1e300)).retry_after_s == LONGEST_WAIT_S


def test_a_strange_category_is_an_error_of_the_provider() -> None:
    made = sound_result(SendResult(Verdict.REFUSED, "STRANGE", slow_keys=NONE))  # type: ignore[arg-type]
    assert (made.category, made.slow_keys) == (Category.INTERNAL, ())


@pytest.mark.parametrize(
    "wrong",
    [None, Rendered("", keys=(None,)), Rendered("", keys=["a"]), Rendered("", cost="1"), Rendered("", cost=-5)],  # type: ignore[arg-type]
)
def test_what_is_no_rendering_is_refused_before_anything_is_written(wrong: object) -> None:
    with pytest.raises(TypeError):
        sound_rendering(wrong)
