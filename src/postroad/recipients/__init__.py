"""Spreadsheets into snapshots, snapshots into sources, journals into result files.

An audience is a file, not rows of a database. `import_audience` turns a spreadsheet, a query or a number into one
immutable Parquet file and says what became of every row. `SnapshotSource` hands that file to the engine batch by batch.
`export_results` joins it with what the journals say and writes one Parquet file and five CSV files; `list_items` pages
through them. `LiveParts` follows the journals of a run that goes on, for `list_live_items`. Import, export and that run
in child processes that end with their parent.
"""

from postroad.recipients.importing import import_audience
from postroad.recipients.live.pages import LiveRun, list_live_items
from postroad.recipients.live.watching import LiveParts
from postroad.recipients.report import AcceptedSample, ColumnReport, ImportReport, RowProblem, TopReason
from postroad.recipients.request import (
    AudienceInput,
    FileInput,
    ImportLimits,
    ImportRequest,
    QueryInput,
    SyntheticInput,
)
from postroad.recipients.results.exporting import ExportRequest, ResultCounts, ResultFiles, export_results
from postroad.recipients.results.listing import Chosen, ItemPage, ItemRow, list_items, write_items
from postroad.recipients.snapshot import Snapshot, export_accepted, find_recipients, read_recipients
from postroad.recipients.source import SnapshotSource

__all__ = [
    "AcceptedSample",
    "AudienceInput",
    "Chosen",
    "ColumnReport",
    "ExportRequest",
    "FileInput",
    "ImportLimits",
    "ImportReport",
    "ImportRequest",
    "ItemPage",
    "ItemRow",
    "LiveParts",
    "LiveRun",
    "QueryInput",
    "ResultCounts",
    "ResultFiles",
    "RowProblem",
    "Snapshot",
    "SnapshotSource",
    "SyntheticInput",
    "TopReason",
    "export_accepted",
    "export_results",
    "find_recipients",
    "import_audience",
    "list_items",
    "list_live_items",
    "read_recipients",
    "write_items",
]
