"""Every metric of the service in one table, and the counters behind it.

A metric is a constant of this file, so one that nobody declared cannot be counted, and the page of the reference is
made from the same table. Labels have few values: the id of a run, a worker or a person is for logs and traces.
Source of the first eleven: spec wepush §37.2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class MetricType(StrEnum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Metric:
    name: str
    type: MetricType
    labels: tuple[str, ...]
    meaning: str
    buckets: tuple[float, ...] = ()


_C, _G, _H = MetricType.COUNTER, MetricType.GAUGE, MetricType.HISTOGRAM
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

RUNS = Metric("postroad_runs_total", _C, ("state", "provider"), "Runs that ended, by their final state.")
RUN_ITEMS = Metric("postroad_run_items_total", _C, ("result", "provider"), "Recipients settled, by outcome.")
RUN_INFLIGHT = Metric("postroad_run_inflight", _G, ("provider",), "Messages in flight.")
PROVIDER_REQUESTS = Metric(
    "postroad_provider_requests_total",
    _C,
    ("provider", "result", "error_category"),
    "Attempts at a provider, by result and, where it was not a success, by reason.",
)
PROVIDER_SECONDS = Metric(
    "postroad_provider_request_duration_seconds", _H, ("provider",), "How long an attempt took.", _SECONDS
)
PROVIDER_RETRIES = Metric(
    "postroad_provider_retries_total",
    _C,
    ("provider", "category"),
    "Further attempts, by the reason of the one before.",
)
WORKER_HEARTBEAT_AGE = Metric(
    "postroad_worker_heartbeat_age_seconds", _G, (), "Age of the oldest sign of life among the workers that hold work."
)
WORKER_RUNS = Metric("postroad_worker_active_runs", _G, (), "Runs that workers of this service have in hand.")
LEASES_EXPIRED = Metric("postroad_lease_expired_total", _C, (), "Leases that ended without a word of their holder.")
OUTBOX_SIZE = Metric("postroad_event_outbox_size", _G, (), "Events that wait to be handed on.")
UPLOAD_BYTES = Metric("postroad_artifact_upload_bytes_total", _C, ("type",), "Bytes of files that were taken in.")
HTTP_REQUESTS = Metric(
    "postroad_http_requests_total", _C, ("method", "route", "status"), "Requests answered, by the route's pattern."
)
HTTP_SECONDS = Metric(
    "postroad_http_request_duration_seconds", _H, ("method", "route"), "How long an answer took.", _SECONDS
)
HTTP_REFUSED = Metric("postroad_http_overloaded_total", _C, (), "Requests answered with 503 for want of a free turn.")
LIVE_STREAMS = Metric("postroad_live_streams", _G, (), "Live streams that are open.")
SERVICE_TICKS = Metric(
    "postroad_background_ticks_total", _C, ("service", "result"), "Rounds of background services, by ok or failed."
)
ARTIFACTS_REMOVED = Metric(
    "postroad_artifacts_removed_total", _C, ("type",), "Stored files that went by the rules of retention."
)
DELIVERIES = Metric(
    "postroad_event_deliveries_total", _C, ("consumer", "result"), "Deliveries of events to consumers, by result."
)
DELIVERY_DEPTH = Metric(
    "postroad_event_delivery_depth", _G, ("consumer", "state"), "Deliveries of events that are not done, by state."
)
DELIVERY_AGE = Metric(
    "postroad_event_delivery_oldest_seconds",
    _G,
    ("consumer",),
    "Age of the oldest delivery that waits for its turn or for another attempt.",
)

METRICS = (
    RUNS,
    RUN_ITEMS,
    RUN_INFLIGHT,
    PROVIDER_REQUESTS,
    PROVIDER_SECONDS,
    PROVIDER_RETRIES,
    WORKER_HEARTBEAT_AGE,
    WORKER_RUNS,
    LEASES_EXPIRED,
    OUTBOX_SIZE,
    UPLOAD_BYTES,
    HTTP_REQUESTS,
    HTTP_SECONDS,
    HTTP_REFUSED,
    LIVE_STREAMS,
    SERVICE_TICKS,
    ARTIFACTS_REMOVED,
    DELIVERIES,
    DELIVERY_DEPTH,
    DELIVERY_AGE,
)


_without_birthdays: Callable[[], None] = disable_created_metrics
"""Each counter would have a second series, the time it was made, that nobody asks for."""


class Metrics:
    """The counters of one service. Safe to share between threads; each instance has a registry of its own."""

    def __init__(self) -> None:
        _without_birthdays()
        self._registry = CollectorRegistry()
        self._counters: dict[str, Counter] = {}
        self._gauges: dict[str, Gauge] = {}
        self._histograms: dict[str, Histogram] = {}
        for metric in METRICS:
            self._declare(metric)

    def add(self, metric: Metric, amount: float = 1, **labels: str) -> None:
        """Counts up. Every label of the metric must be given. Raises KeyError for a metric of another type."""
        counter = self._counters[metric.name]
        (counter.labels(**labels) if metric.labels else counter).inc(amount)

    def set(self, metric: Metric, value: float, **labels: str) -> None:
        gauge = self._gauges[metric.name]
        (gauge.labels(**labels) if metric.labels else gauge).set(value)

    def observe(self, metric: Metric, value: float, **labels: str) -> None:
        histogram = self._histograms[metric.name]
        (histogram.labels(**labels) if metric.labels else histogram).observe(value)

    def value(self, metric: Metric, **labels: str) -> float:
        """The present value of a counter or gauge, the number of observations of a histogram; 0 before the first."""
        suffix = "_count" if metric.type is MetricType.HISTOGRAM else ""
        return self._registry.get_sample_value(metric.name + suffix, dict(labels)) or 0.0

    def page(self) -> bytes:
        """What a Prometheus server reads, of type `CONTENT_TYPE`."""
        return generate_latest(self._registry)

    def _declare(self, metric: Metric) -> None:
        if metric.type is MetricType.COUNTER:
            self._counters[metric.name] = Counter(metric.name, metric.meaning, metric.labels, registry=self._registry)
        elif metric.type is MetricType.GAUGE:
            self._gauges[metric.name] = Gauge(metric.name, metric.meaning, metric.labels, registry=self._registry)
        else:
            self._histograms[metric.name] = Histogram(
                metric.name, metric.meaning, metric.labels, buckets=metric.buckets, registry=self._registry
            )
