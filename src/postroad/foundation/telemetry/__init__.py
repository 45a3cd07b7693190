"""What the service tells about itself while it runs: log lines and spans, with nothing secret in them."""

from postroad.foundation.telemetry.logs import bound, configure_logs, logger
from postroad.foundation.telemetry.redaction import is_secret_name, redacted, redacted_text
from postroad.foundation.telemetry.spans import current_trace_id, enable_spans, span

__all__ = [
    "bound",
    "configure_logs",
    "current_trace_id",
    "enable_spans",
    "is_secret_name",
    "logger",
    "redacted",
    "redacted_text",
    "span",
]
