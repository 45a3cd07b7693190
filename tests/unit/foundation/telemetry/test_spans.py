"""Spans: nothing without an SDK, and no swallowed error with or without."""

import pytest
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, use_span

from postroad.foundation.telemetry import current_trace_id, enable_spans, span


@pytest.mark.parametrize("wanted", [True, False])
def test_an_error_leaves_a_span_as_it_came(wanted: bool) -> None:
    enable_spans(wanted=wanted)
    with pytest.raises(ValueError, match="as it came"), span("run.confirm", workspace="w"):
        raise ValueError("as it came")
    enable_spans(wanted=False)


def test_the_trace_of_the_sdk_is_named_when_spans_are_wanted() -> None:
    context = SpanContext(trace_id=0xABC, span_id=1, is_remote=False, trace_flags=TraceFlags(1))
    with use_span(NonRecordingSpan(context)):
        assert current_trace_id() == ""
        enable_spans(wanted=True)
        assert current_trace_id() == f"{0xABC:032x}"
    assert current_trace_id() == ""
    enable_spans(wanted=False)
