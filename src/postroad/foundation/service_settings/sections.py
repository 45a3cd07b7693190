"""Every setting of the service, section by section. Loaded times are seconds, sizes bytes, paths absolute."""

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from postroad.foundation.service_settings.declaring import said
from postroad.foundation.service_settings.kinds import (
    BASE_URL,
    DURATION,
    FLAG,
    FOLDER,
    FOLDERS,
    NETWORKS,
    ORIGINS,
    PATH,
    SECRET,
    SIZE,
    TEXT,
    TEXTS,
    one_of,
    whole,
)
from postroad.vocabulary.secret import Secret

_HOUR, _DAY = 3600.0, 86400.0
_MIB, _GIB = 1024**2, 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    host: str = field(
        default="127.0.0.1",
        metadata=said(TEXT, "The address to listen on. Another than loopback wants `server.publicBaseUrl`."),
    )
    port: int = field(default=18990, metadata=said(whole(0, 65535), "The port to listen on; 0 takes a free one."))
    public_base_url: str = field(
        default="",
        metadata=said(
            BASE_URL, "The address under which people and machines reach this service. Links are built from it alone."
        ),
    )
    insecure_http: bool = field(
        default=False,
        metadata=said(
            FLAG, "Allows an address other than loopback without HTTPS: passwords then cross the network readably."
        ),
    )
    trusted_proxies: tuple[str, ...] = field(
        default=(),
        metadata=said(
            NETWORKS, "The networks of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed."
        ),
    )
    stop_grace_s: float = field(
        default=20.0, metadata=said(DURATION, "How long a stop waits for requests and messages under way.")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSettings:
    url: str = field(
        default="sqlite:///postroad.db",
        metadata=said(
            TEXT,
            "`sqlite:///FILE` or `postgresql://USER@HOST/DATABASE`. A password stands here only when it comes from the "
            "environment; in the file it is refused.",
        ),
    )
    password: Secret | None = field(
        default=None,
        metadata=said(SECRET, "The password of the PostgreSQL user; from the environment only.", is_secret=True),
    )
    password_file: Path | None = field(
        default=None,
        metadata=said(
            PATH, "A file that holds the password of the PostgreSQL user and nothing else. Others must not read it."
        ),
    )
    pool_size: int = field(default=8, metadata=said(whole(1, 200), "Connections for requests."))
    background_pool_size: int = field(
        default=4, metadata=said(whole(1, 200), "Connections of their own for background services.")
    )
    write_deadline_s: float = field(
        default=10.0, metadata=said(DURATION, "How long one change may take, waiting included, before it is 503.")
    )
    lock_timeout_s: float = field(
        default=5.0, metadata=said(DURATION, "How long one statement may wait for a lock (PostgreSQL).")
    )
    statement_timeout_s: float = field(
        default=30.0, metadata=said(DURATION, "How long one statement may run (PostgreSQL).")
    )

    @property
    def is_sqlite(self) -> bool:
        return self.url.startswith("sqlite:")

    @property
    def sqlite_path(self) -> Path:
        """The file of a SQLite database. Raises ValueError for PostgreSQL."""
        if not self.is_sqlite:
            raise ValueError("this database is not a file")
        return Path(unquote(urlsplit(self.url).path.removeprefix("/")))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySettings:
    file: Path = field(
        default=Path("keys/service-keys.json"),
        metadata=said(
            PATH,
            "The key ring, mode 0600. Without it no stored secret can be read: back it up apart from the database.",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactSettings:
    directory: Path = field(
        default=Path("artifacts"), metadata=said(PATH, "The folder of imports, snapshots, results and exports.")
    )
    free_space_bytes: int = field(
        default=512 * _MIB, metadata=said(SIZE, "Uploads are refused while the disk has less room than this.")
    )
    upload_timeout_s: float = field(
        default=24 * _HOUR, metadata=said(DURATION, "An upload that did not end in this time is thrown away.")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedWorkerSettings:
    enabled: bool = field(
        default=True, metadata=said(FLAG, "Whether this service sends by itself. Without, it waits for workers.")
    )
    max_runs: int = field(default=2, metadata=said(whole(1, 64), "Runs at once."))
    max_concurrency: int = field(
        default=200, metadata=said(whole(1, 10_000), "Messages in flight at once, over all runs.")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    embedded: EmbeddedWorkerSettings = field(default_factory=EmbeddedWorkerSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSettings:
    progress_interval_s: float = field(
        default=1.0, metadata=said(DURATION, "The shortest time between two reports of a run's progress.")
    )
    batch_size: int = field(default=100, metadata=said(whole(1, 1000), "Events that are handed on at once."))


@dataclass(frozen=True, slots=True, kw_only=True)
class SecuritySettings:
    cors_origins: tuple[str, ...] = field(
        default=(),
        metadata=said(ORIGINS, "Pages of other origins that may call the API from a browser. None by default."),
    )
    allowed_hosts: tuple[str, ...] = field(
        default=(),
        metadata=said(
            TEXTS, "Further names under which requests are answered, beside loopback and `server.publicBaseUrl`."
        ),
    )
    allowed_networks: tuple[str, ...] = field(
        default=(),
        metadata=said(
            NETWORKS, "Private networks that messages may be sent to. Everything private is refused by default."
        ),
    )
    session_idle_s: float = field(
        default=12 * _HOUR, metadata=said(DURATION, "A signed-in session ends after this time without a request.")
    )
    session_absolute_s: float = field(
        default=7 * _DAY, metadata=said(DURATION, "A signed-in session ends after this time in any case.")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggingSettings:
    level: str = field(
        default="info",
        metadata=said(one_of("debug", "info", "warning", "error"), "The least important lines that are kept."),
    )
    format: str = field(
        default="auto",
        metadata=said(
            one_of("auto", "json", "console"), "One JSON object a line, or lines for people; auto: by the terminal."
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetrySettings:
    traces: bool = field(
        default=False,
        metadata=said(
            FLAG,
            "Spans through the OpenTelemetry API. They go where the OpenTelemetry SDK sends them that runs in the same "
            "process (`OTEL_EXPORTER_OTLP_ENDPOINT`); without an SDK nothing is sent.",
        ),
    )
    metrics: bool = field(default=True, metadata=said(FLAG, "Whether `/metrics` answers."))


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSettings:
    json_body_bytes: int = field(default=_MIB, metadata=said(SIZE, "The largest JSON body."))
    upload_bytes: int = field(default=2 * _GIB, metadata=said(SIZE, "The largest file that can be uploaded."))
    threads: int = field(default=16, metadata=said(whole(2, 256), "Requests that work at once."))
    waiting: int = field(
        default=256, metadata=said(whole(1, 10_000), "Requests that wait for their turn; more are answered with 503.")
    )
    requests_per_second: int = field(
        default=50, metadata=said(whole(1, 100_000), "Requests of one person or token in a second, lastingly.")
    )
    burst: int = field(default=200, metadata=said(whole(1, 100_000), "Requests of one person or token at once."))
    watchers: int = field(default=1000, metadata=said(whole(1, 100_000), "Live streams at once."))


@dataclass(frozen=True, slots=True, kw_only=True)
class AudienceSettings:
    database_folders: tuple[Path, ...] = field(
        default=(),
        metadata=said(
            FOLDERS,
            "Folders with SQLite and DuckDB files that audiences may query. None: queries go to PostgreSQL only. "
            "Whoever may import audiences may read every database in them.",
        ),
    )
    longest_reading_s: float = field(
        default=_HOUR, metadata=said(DURATION, "How long reading one import may take before it is ended.")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionSettings:
    imports_s: float = field(default=_DAY, metadata=said(DURATION, "Uploaded files of recipients."))
    snapshots_s: float = field(
        default=30 * _DAY, metadata=said(DURATION, "Snapshots of recipients, from the last reference on.")
    )
    results_s: float = field(default=90 * _DAY, metadata=said(DURATION, "Result files of runs."))
    responses_s: float = field(default=7 * _DAY, metadata=said(DURATION, "Whole answers of providers."))
    exports_s: float = field(default=_DAY, metadata=said(DURATION, "Exports that somebody asked for."))
    logs_s: float = field(default=30 * _DAY, metadata=said(DURATION, "Logs of runs."))
    events_s: float = field(default=30 * _DAY, metadata=said(DURATION, "Events of runs and of the workspace's feed."))
    audit_s: float = field(default=400 * _DAY, metadata=said(DURATION, "The audit trail; longer than any log."))
    sweep_interval_s: float = field(default=300.0, metadata=said(DURATION, "How often is looked for what may go."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What one start of the service goes by. Made by `load_settings`; tests make it with the defaults they need."""

    mode: str = field(
        default="auto",
        metadata=said(
            one_of("auto", "standalone", "server"),
            "A standalone service makes its key ring at the first start. A server is handed one and refuses to start "
            "without. auto: standalone on SQLite, server on PostgreSQL.",
        ),
    )
    data_dir: Path = field(
        default=Path("~/.postroad/service"),
        metadata=said(FOLDER, "The folder of the database, keys and files; mode 0700."),
    )
    server: ServerSettings = field(default_factory=ServerSettings)
    database: DatabaseSettings = field(default_factory=DatabaseSettings)
    keys: KeySettings = field(default_factory=KeySettings)
    artifacts: ArtifactSettings = field(default_factory=ArtifactSettings)
    audiences: AudienceSettings = field(default_factory=AudienceSettings)
    worker: WorkerSettings = field(default_factory=WorkerSettings)
    events: EventSettings = field(default_factory=EventSettings)
    security: SecuritySettings = field(default_factory=SecuritySettings)
    logging: LoggingSettings = field(default_factory=LoggingSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)

    @property
    def is_standalone(self) -> bool:
        return self.mode == "standalone" or (self.mode == "auto" and self.database.is_sqlite)
