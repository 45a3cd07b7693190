"""Spans for whoever runs an OpenTelemetry SDK in this process; nothing at all for everybody else.

Only the API is a dependency. Where an SDK is set up (`opentelemetry-instrument postroad serve`), `enable_spans` makes
`span` tell it; otherwise `span` costs a generator and no import.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from postroad.foundation.telemetry.redaction import redacted_text

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_TRACERS: list["Tracer"] = []


def enable_spans(*, wanted: bool) -> None:
    """Whether spans are made from now on."""
    _TRACERS.clear()
    if wanted:
        from opentelemetry.trace import get_tracer

        _TRACERS.append(get_tracer("postroad"))


@contextmanager
def span(name: str, **attributes: str | int | float | bool) -> Iterator[None]:
    """One step of work. An error that leaves it marks the span; its text is redacted before it is told."""
    if not _TRACERS:
        yield
        return
    from opentelemetry.trace import Status, StatusCode

    with _TRACERS[0].start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield
        except BaseException as error:
            current.set_status(Status(StatusCode.ERROR, redacted_text(f"{type(error).__name__}: {error}")))
            raise


def current_trace_id() -> str:
    """The 32 hex digits of the trace that the SDK is in, empty without one."""
    if not _TRACERS:
        return ""
    from opentelemetry.trace import format_trace_id, get_current_span

    context = get_current_span().get_span_context()
    return format_trace_id(context.trace_id) if context.is_valid else ""
