"""Audiences on a test database with real files and the real reading process; what stands around them is made up."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from tests.builders.databases import WORKSPACE, Databases
from tests.integration.artifacts.conftest import RULES, Policies

from postroad.app.areas.audience_adapters import KeptFiles
from postroad.drivers.localfs import LocalArtifactStore
from postroad.foundation.clock import SystemClock
from postroad.foundation.ids import uuid7
from postroad.kernel.authz import Principal
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.kernel.versions import Expected, How
from postroad.modules import artifacts, audiences
from postroad.modules.audiences import (
    Audience,
    AudienceAt,
    CommitAsk,
    FileSource,
    Import,
    ImportAsk,
    ImportAt,
    ImportChange,
    ImportReader,
    Layout,
    LayoutChange,
    QuerySource,
    ReaderParts,
    ReadingRules,
    Reception,
    Referrer,
    Sender,
    Showing,
    Source,
    SyntheticSource,
    Upkeep,
    UpkeepParts,
)
from postroad.recipients import ImportLimits, ImportReport, ImportRequest, QueryInput
from postroad.recipients.intake.pipeline import run_import
from postroad.recipients.reading.query import database_kind, postgres_target
from postroad.vocabulary.errors import EgressDenied, SecretMissing
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret

T = TypeVar("T")


@dataclass
class Uses:
    jobs: list[Referrer] = field(default_factory=list)
    needed: set[str] = field(default_factory=set)

    def of_audience(self, uow: UnitOfWork, workspace_id: str, audience_id: str) -> Sequence[Referrer]:
        return self.jobs

    def needed_snapshots(self, reading: Reading, snapshot_ids: Sequence[str]) -> frozenset[str]:
        return frozenset(self.needed & set(snapshot_ids))


class References:
    def referenced(self, reading: Reading, artifact_ids: Sequence[str]) -> frozenset[str]:
        return audiences.artifacts_in_use(reading, artifact_ids)


@dataclass
class Around:
    secrets: dict[str, str] = field(default_factory=dict)
    schemas: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    address: str | None = None

    def secret(self, workspace_id: str, reference: str) -> Secret:
        if reference not in self.secrets:
            raise SecretMissing(f"not set: {reference}", field=reference)
        return Secret(self.secrets[reference])

    def recipient_schema(self, provider_id: str) -> Mapping[str, Any]:
        return self.schemas[provider_id]

    def resolve_checked(self, host: str, port: int) -> str:
        if self.address is None:
            raise EgressDenied(f"{host} may not be reached: loopback")
        return self.address


@dataclass
class Desk:
    databases: Databases
    folder: Path
    uses: Uses = field(default_factory=Uses)
    around: Around = field(default_factory=Around)
    rules: ReadingRules = field(default_factory=ReadingRules)
    policies: Policies = field(default_factory=Policies)

    def __post_init__(self) -> None:
        self.work = self.folder / "work"
        self.files = artifacts.ArtifactKeeper(
            self.databases.database,
            LocalArtifactStore(self.folder / "artifacts"),
            policies=self.policies,
            references=References(),
            rules=replace(RULES, largest_bytes=10**9),
        )
        self.keeper = KeptFiles(self.files)

    @property
    def operator(self) -> Principal:
        return self.databases.member(Role.OPERATOR)

    @property
    def sender(self) -> Sender:
        return Sender(self.operator, WORKSPACE, "trace-1", "127.0.0.1")

    @property
    def reception(self) -> Reception:
        return Reception(self.databases.database, self.keeper, self.rules, self.work, uuid7)

    @property
    def showing(self) -> Showing:
        return Showing(self.databases.database, self.keeper, self.work, uuid7)

    def reader(
        self, name: str = "reader-1", read: Callable[..., ImportReport] | None = None, beat_s: float = 0.02
    ) -> ImportReader:
        """Reads in this process unless `read` says otherwise: a process for each reading costs half a second."""
        return ImportReader(
            ReaderParts(
                self.databases.database,
                self.keeper,
                self.around,
                self.rules,
                SystemClock(),
                self.work,
                name,
                beat_s,
                read or read_here,
            )
        )

    def upkeep(self) -> Upkeep:
        return Upkeep(UpkeepParts(self.databases.database, self.keeper, self.uses, self.databases.clock, self.work))

    def write(self, work: Callable[[UnitOfWork], T]) -> T:
        return self.databases.database.write(self.operator, work)

    def read(self, work: Callable[[Reading], T]) -> T:
        return self.databases.database.read(self.operator, work)

    def received(self, content: str | bytes, name: str = "people.csv", **ask: Any) -> Import:
        """A file that was uploaded. `ask` goes to the layout or to the source."""
        layout = Layout(tuple(ask.pop("key", ())), ask.pop("mapping", {}), ask.pop("provider_id", None))
        audience_id = ask.pop("audience_id", None)
        asked = ImportAsk(FileSource(name, **ask), layout, audience_id)
        body = content.encode() if isinstance(content, str) else content
        with self.reception.open(self.sender, asked) as incoming:
            for start in range(0, len(body), 7):
                incoming.write(body[start : start + 7])
            return self.reception.import_file(self.sender, asked, incoming)

    def made_up(self, count: int = 3, audience_id: str | None = None) -> Import:
        return self.reception.import_other(self.sender, ImportAsk(SyntheticSource(count), audience_id=audience_id))

    def asked(self, source: QuerySource, layout: Layout | None = None) -> Import:
        return self.reception.import_other(self.sender, ImportAsk(source, layout or Layout()))

    def import_now(self, import_id: str) -> Import:
        return self.read(lambda reading: audiences.get_import(reading, WORKSPACE, import_id))

    def read_through(self, begun: Import, read: Callable[..., ImportReport] | None = None) -> Import:
        """Reads everything that waits, and shows what became of this one."""
        reader = self.reader(read=read)
        while reader.tick():
            pass
        return self.import_now(begun.id)

    def changed(self, seen: Import, source: Source, layout: Layout) -> Import:
        change = ImportChange(source, LayoutChange(layout.key, layout.mapping, layout.provider_id))
        return self.write(lambda uow: audiences.change_import(uow, at(seen), change, self.rules, self.keeper))

    def committed(self, parsed: Import, name: str | None = None, audience_version: int | None = None) -> Audience:
        version = None if audience_version is None else Expected(audience_version, How.BODY)
        return self.write(lambda uow: audiences.commit_import(uow, at(parsed), CommitAsk(name, version)))

    def audience(self, name: str = "Customers", count: int = 3) -> Audience:
        """An audience with one snapshot of made-up recipients."""
        return self.committed(self.read_through(self.made_up(count)), name)

    def audience_now(self, audience_id: str) -> Audience:
        return self.read(lambda reading: audiences.get_audience(reading, WORKSPACE, audience_id))

    def is_kept(self, artifact_id: str) -> bool:
        """Whether the bytes are still there after the retention looked at everything that is due."""
        while self.files.sweep():
            pass
        with suppress(Exception), self.keeper.opened(WORKSPACE, artifact_id) as path:
            return path.is_file()
        return False


def read_here(
    request: ImportRequest,
    *,
    resolve_checked: Callable[[str, int], str],
    on_progress: Callable[[int], None],
    on_start: Callable[[Callable[[], None]], None],
) -> ImportReport:
    address = None
    if isinstance(request.source, QueryInput) and database_kind(request.source) == "postgresql":
        address = resolve_checked(*postgres_target(request.source))
    return run_import(request, address, on_progress)


def at(seen: Import) -> ImportAt:
    return ImportAt(WORKSPACE, seen.id, Expected(seen.version))


def of(seen: Audience) -> AudienceAt:
    return AudienceAt(WORKSPACE, seen.id, Expected(seen.version))


def few_rows(most: int) -> ReadingRules:
    return ReadingRules(limits=ImportLimits(max_rows=most))
