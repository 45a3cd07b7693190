"""Audiences: who is sent to.

Tables: `audiences`, `audience_snapshots`, `audience_imports`. Recipients stand in none of them: they lie in Parquet
files that are kept as artifacts, and are read through `postroad.recipients`.

An import receives a file, rows, a query or a number (`commands.receiving`), is read in a process of its own
(`parts.import_reader`), can be looked at, changed and read again, and is committed: as a new audience, or as the next
snapshot of one. A refresh asks the query of an audience again and commits by itself. `commands.upkeep` removes what
nobody needs any more.

Invariants: a snapshot never changes; revisions of an audience have no gap; an import is committed at most once, under
the version of the audience that its committer saw; only the holder of the reading lease writes what reading found; a
snapshot keeps its recipients while it is the present one of an audience in use, while a run needs it, and thirty days
longer; no two audiences in use have the same name.

Events: `audience.changed` (created, renamed, archived, deleted), `audience.committed` (a new snapshot),
`audience_import.changed` (another state).
"""

from postroad.modules.audiences.commands.begin_import import ImportAsk, NewImport, begin_import, refresh_audience
from postroad.modules.audiences.commands.edit_audience import (
    AudienceAt,
    AudienceChange,
    archive_audience,
    change_audience,
    erase_audience,
)
from postroad.modules.audiences.commands.receiving import IMPORTS_TOPIC, Reception, Sender, display_name
from postroad.modules.audiences.commands.settle_import import (
    CommitAsk,
    ImportAt,
    ImportChange,
    change_import,
    commit_import,
    discard_import,
)
from postroad.modules.audiences.commands.showing import Rows, Showing, ShownRow
from postroad.modules.audiences.commands.upkeep import Upkeep, UpkeepParts
from postroad.modules.audiences.model import (
    KEEP,
    Audience,
    AudienceFilter,
    AudienceStatus,
    FileSource,
    Import,
    ImportCause,
    ImportFilter,
    ImportState,
    InlineSource,
    Layout,
    LayoutChange,
    QuerySource,
    SnapshotRecord,
    SnapshotState,
    Source,
    SourceType,
    SyntheticSource,
)
from postroad.modules.audiences.parts.import_reader import ImportReader, ReaderParts
from postroad.modules.audiences.parts.incoming_file import IncomingFile
from postroad.modules.audiences.parts.reading_rules import ReadingRules
from postroad.modules.audiences.ports import ArtifactKeeper, AudienceUses, FileNote, KeptAs, Referrer, Surroundings
from postroad.modules.audiences.queries import (
    RefreshState,
    artifacts_in_use,
    count_audiences,
    find_audience,
    find_audience_by_name,
    get_audience,
    get_import,
    get_snapshot,
    list_audiences,
    list_imports,
    list_snapshots,
    refer_to_audience,
    refresh_state,
    snapshot_by_id,
    snapshot_to_send,
)

__all__ = [
    "IMPORTS_TOPIC",
    "KEEP",
    "ArtifactKeeper",
    "Audience",
    "AudienceAt",
    "AudienceChange",
    "AudienceFilter",
    "AudienceStatus",
    "AudienceUses",
    "CommitAsk",
    "FileNote",
    "FileSource",
    "Import",
    "ImportAsk",
    "ImportAt",
    "ImportCause",
    "ImportChange",
    "ImportFilter",
    "ImportReader",
    "ImportState",
    "IncomingFile",
    "InlineSource",
    "KeptAs",
    "Layout",
    "LayoutChange",
    "NewImport",
    "QuerySource",
    "ReaderParts",
    "ReadingRules",
    "Reception",
    "Referrer",
    "RefreshState",
    "Rows",
    "Sender",
    "Showing",
    "ShownRow",
    "SnapshotRecord",
    "SnapshotState",
    "Source",
    "SourceType",
    "Surroundings",
    "SyntheticSource",
    "Upkeep",
    "UpkeepParts",
    "archive_audience",
    "artifacts_in_use",
    "begin_import",
    "change_audience",
    "change_import",
    "commit_import",
    "count_audiences",
    "discard_import",
    "display_name",
    "erase_audience",
    "find_audience",
    "find_audience_by_name",
    "get_audience",
    "get_import",
    "get_snapshot",
    "list_audiences",
    "list_imports",
    "list_snapshots",
    "refer_to_audience",
    "refresh_audience",
    "refresh_state",
    "snapshot_by_id",
    "snapshot_to_send",
]
