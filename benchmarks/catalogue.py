"""The figures, in the order they are taken, and the goals they are held against."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """`at_least` and `at_most` are goals; a metric without one is there to explain its neighbours."""

    name: str
    meaning: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def goal(self) -> str:
        if self.at_least is not None:
            return f"≥ {self.at_least:,g}"
        return "" if self.at_most is None else f"≤ {self.at_most:,g}"

    def is_met(self, value: float) -> bool | None:
        """None where there is no goal."""
        if self.at_least is not None:
            return value >= self.at_least
        return None if self.at_most is None else value <= self.at_most


@dataclass(frozen=True, slots=True)
class Figure:
    """`benchmarks.figures.<name>` measures it within `timeout_s`, also on a slow machine."""

    name: str
    title: str
    metrics: tuple[Metric, ...]
    timeout_s: float = 240.0


FIGURES: tuple[Figure, ...] = (
    Figure(
        "help",
        "postroad --help",
        (Metric("help_s", "from start to exit, seconds"),),
    ),
    Figure(
        "engine",
        "The engine alone: a provider that sends nothing, rendering and journal on, one core",
        (
            Metric("engine_items_per_s", "items a second", at_least=60_000),
            Metric("engine_cpu_us_per_item", "processor time an item, all threads, µs", at_most=16),
            Metric("engine_no_journal_items_per_s", "the same without the journal"),
            Metric("engine_suspending_items_per_s", "the same, each send waiting for a turn of the loop"),
            Metric("engine_suspending_cpu_us_per_item", "its processor time, µs"),
        ),
    ),
    Figure(
        "http",
        "HTTP end to end on loopback: snapshot, rendering, journal, request, answer; 64 in flight",
        (
            Metric("http_items_per_s", "items a second"),
            Metric("http_cpu_us_per_item", "processor time an item, µs"),
            Metric("http_peak_mb", "peak memory of the sender"),
            Metric("aiohttp_items_per_s", "a loop over csv and aiohttp, 64 at once, no journal"),
            Metric("wrk_requests_per_s", "wrk -t1 -c64 with one fixed body"),
            Metric("http_vs_aiohttp", "our rate over that of the loop", at_least=2.5),
            Metric("http_vs_wrk", "our rate over that of wrk", at_least=0.12),
            Metric("tls_items_per_s", "the same over TLS 1.3 with keep-alive"),
            Metric("tls_cpu_us_per_item", "processor time an item, µs"),
            Metric("aiohttp_tls_items_per_s", "the loop over TLS"),
            Metric("tls_vs_aiohttp", "our rate over that of the loop, both over TLS", at_least=2.5),
        ),
    ),
    Figure(
        "workers",
        "postroad send --workers 2 on two cores against 1 on one, a provider that sends nothing",
        (
            Metric("workers1_items_per_s", "one process"),
            Metric("workers2_items_per_s", "two worker processes"),
            Metric("workers2_vs_1", "rate of sending, two over one", at_least=1.7),
            Metric("workers2_vs_1_unpinned", "the same, the one process free to use both cores"),
            Metric("workers2_vs_1_whole", "the same from job file to receipt: import and export take one core"),
            Metric("workers_others", "share of the cores that other programs took; above 0.05 the ratios are too low"),
            Metric("cores2_vs_1", "plain Python that only computes, two processes over one: what the machine gives"),
        ),
        timeout_s=600.0,
    ),
    Figure(
        "memory",
        "Memory of postroad send, from the job to the receipt, at 10,000 and 1,000,000 recipients",
        (
            Metric("send_small_rss_mb", "peak at 10,000"),
            Metric("send_rss_mb", "peak at 1,000,000", at_most=150),
            Metric("send_rss_growth", "the second over the first, less one", at_most=0.10),
            Metric("send_items_per_s", "rate of sending at 1,000,000"),
            Metric("send_whole_s", "from the job file to the receipt at 1,000,000, seconds"),
        ),
        timeout_s=420.0,
    ),
    Figure(
        "audience",
        "A CSV of 1,000,000 rows and 6 columns into a checked snapshot",
        (
            Metric("import_s", "seconds"),
            Metric("csv_read_s", "the csv module merely reading the file, seconds"),
            Metric("import_vs_csv", "time over time", at_most=6),
            Metric("import_rss_mb", "peak memory of the importing process", at_most=400),
            Metric("source_cpu_us_per_item", "reading the snapshot as the engine does, processor time, µs"),
        ),
    ),
    Figure(
        "fairness",
        "Half of the recipients in one domain at 1/s",
        (
            Metric("fairness_loss", "how much longer the others take than without them", at_most=0.05),
            Metric("fairness_others_per_s", "rate of the others beside the slow domain"),
            Metric("fairness_alone_per_s", "rate of the others alone"),
            Metric("fairness_cpu_us", "what a slow recipient costs until it is put aside, processor time, µs"),
        ),
    ),
    Figure(
        "holding",
        "Everybody answered with Retry-After of one hour",
        (
            Metric("holding_parked", "recipients that wait: the bound and the permits", at_most=20_064),
            Metric("holding_rss_growth_mb", "memory gained while the run waits", at_most=1),
            Metric("holding_pause_s", "from the command to paused, seconds", at_most=1),
        ),
    ),
    Figure(
        "transport",
        "The HTTP transport alone against aiohttp",
        (
            Metric("transport_cpu_us", "processor time a request, µs"),
            Metric("transport_vs_aiohttp_cpu", "aiohttp's processor time over ours"),
            Metric("transport_tls_cpu_us", "processor time a request over TLS, µs"),
            Metric("transport_tls_vs_aiohttp_cpu", "aiohttp's processor time over ours, both over TLS"),
        ),
    ),
    Figure(
        "http_channel",
        "The HTTP channel above its transport",
        (
            Metric("http_channel_send_us", "building the request, judging the answer, µs"),
            Metric("http_channel_render_and_send_us", "rendering as well, µs"),
        ),
    ),
    Figure(
        "journal",
        "The send journal alone",
        (
            Metric("journal_write_cpu_us_per_item", "INTENT, FINAL and their share of a write, µs"),
            Metric("journal_read_cpu_us_per_item", "reading back at a resume, µs"),
            Metric("journal_bytes_per_item", "bytes on disk"),
        ),
    ),
    Figure(
        "service_run",
        "The service beside a run at full speed, 1,000,000 recipients on loopback",
        (
            Metric("api_read_p99_ms", "reading, 80 calls a second", at_most=100),
            Metric("api_write_p99_ms", "writing, 20 calls a second", at_most=300),
            Metric("api_quiet_read_p99_ms", "reading while nothing is sent"),
            Metric("api_quiet_write_p99_ms", "writing while nothing is sent"),
            Metric("api_errors", "calls of all these that were not answered 200 or 201", at_most=0),
            Metric("items_page_ms", "the slowest page of items by outcome", at_most=1000),
            Metric("service_run_items_per_s", "items a second of the run, unwatched"),
            Metric("sse_watched_items_per_s", "the same with 200 live watchers"),
            Metric("sse_watchers_slowdown", "what the watchers take of the rate", at_most=0.10),
        ),
        timeout_s=300.0,
    ),
    Figure(
        "service_writers",
        "32 who write at once through the API into SQLite, for 60 seconds",
        (
            Metric("sqlite_writers_errors", "answers other than 201, and locked databases in the log", at_most=0),
            Metric("sqlite_writers_per_s", "messages made a second"),
            Metric("sqlite_writers_p99_ms", "waiting for the answer, 99 of 100"),
            Metric("sqlite_writers_max_ms", "the longest"),
        ),
    ),
    Figure(
        "service_scheduler",
        "Two schedulers on one database, 1,000 firings due at once",
        (
            Metric("scheduler_double", "runs above one a firing", at_most=0),
            Metric("scheduler_missed", "firings without a run", at_most=0),
            Metric("scheduler_firings_per_s", "firings a second, both together"),
        ),
    ),
    Figure(
        "service_idle",
        "A service with nothing to do",
        (
            Metric("service_start_s", "from start to listening, seconds"),
            Metric("service_idle_rss_mb", "memory after three quiet seconds", at_most=150),
        ),
    ),
)


def named(name: str) -> tuple[Figure, ...]:
    """The figure of this name, or its group: `service` is `service_run` and what else begins so. Empty for none."""
    one = tuple(figure for figure in FIGURES if figure.name == name)
    return one or tuple(figure for figure in FIGURES if figure.name.startswith(f"{name}_"))


def find(name: str) -> Figure:
    """Raises KeyError with the names there are."""
    for figure in FIGURES:
        if figure.name == name:
            return figure
    raise KeyError(f"there is no figure {name!r}; known are {', '.join(figure.name for figure in FIGURES)}")
