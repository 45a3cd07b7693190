"""What a provider gives back, checked before anything is counted or written down.

A result or a rendering of the wrong shape must cost its own item and nobody else's: found later, between counting and
writing, it would end a worker and leave the sums open. The shapes of a good one are looked at in a fraction of a
microsecond. Of a bad result the verdict is kept if there is one, because it says whether a copy is out there.
"""

from math import isfinite

from postroad.spi import Rendered, SendResult, Verdict
from postroad.vocabulary.outcomes import Category

LONGEST_WAIT_S = 366 * 86_400.0
"""A provider that asks for more patience than this gets this."""


def crashed(error: BaseException) -> SendResult:
    """A session that raises broke its contract; whether the message left, nobody knows."""
    text = f"{type(error).__name__} in the provider"
    return SendResult(Verdict.IN_DOUBT, Category.INTERNAL, type(error).__name__, retry=False, summary=text)


def sound_result(result: object) -> SendResult:
    """`result` itself where it is one; else what can be said for certain. Without a verdict the item is in doubt."""
    if not isinstance(result, SendResult) or type(result.verdict) is not Verdict:
        return crashed(TypeError())
    has_texts = type(result.code) is str and type(result.request_id) is str and type(result.summary) is str
    if has_texts and (result.verdict is Verdict.ACCEPTED or _has_sound_refusal(result)):
        return result
    category = result.category if isinstance(result.category, Category) else Category.INTERNAL
    return SendResult(
        result.verdict,
        category if result.verdict is not Verdict.ACCEPTED else None,
        _text(result.code),
        retry=result.retry if isinstance(result.retry, bool) else None,
        retry_after_s=_wait(result.retry_after_s),
        request_id=_text(result.request_id),
        summary=_text(result.summary),
        may_have_left=bool(result.may_have_left),
        slow_keys=result.slow_keys if _are_keys(result.slow_keys) else (),
        stop_run=result.stop_run is True,
        body=result.body if isinstance(result.body, bytes) else None,
    )


def sound_rendering(rendered: object) -> Rendered:
    """Raises TypeError where it is none: nothing was sent for this recipient."""
    if (
        isinstance(rendered, Rendered)
        and type(rendered.cost) is int
        and rendered.cost >= 0
        and type(rendered.batch_key) is str
        and _are_keys(rendered.keys)
    ):
        return rendered
    raise TypeError("rendered")


def _has_sound_refusal(result: SendResult) -> bool:
    wait_s, category = result.retry_after_s, result.category
    if wait_s is not None and _wait(wait_s) is not wait_s:
        return False
    return (category is None or isinstance(category, Category)) and _are_keys(result.slow_keys)


def _wait(seconds: object) -> float | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not isfinite(seconds):
        return None
    return seconds if seconds <= LONGEST_WAIT_S else LONGEST_WAIT_S


def _are_keys(keys: object) -> bool:
    if type(keys) is not tuple:
        return False
    for key in keys:  # noqa: SIM110  (engine: runs for every item, a generator costs four times as much; until 2027-11-30)
        if type(key) is not str:
            return False
    return True


def _text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)[:300]
