"""The rounds of background services as counters."""

from collections.abc import Iterable

from postroad.foundation.metrics import SERVICE_TICKS, Metrics
from postroad.kernel.service import ServiceStatus


def count_ticks(metrics: Metrics, statuses: Iterable[ServiceStatus]) -> None:
    """Brings the counters up to what the services say of themselves."""
    for status in statuses:
        for result, now in (("ok", status.ticks - status.failures), ("failed", status.failures)):
            before = metrics.value(SERVICE_TICKS, service=status.name, result=result)
            metrics.add(SERVICE_TICKS, max(0.0, now - before), service=status.name, result=result)
