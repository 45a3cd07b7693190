"""Files and rows are received: written to the disk first, kept as an artifact, and only then written down.

Nothing of this happens inside a transaction but the last step. A crash before it leaves a file that the upkeep removes,
or an artifact that runs out after a day; the caller has no answer and uploads again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.modules.audiences.commands.begin_import import ImportAsk, NewImport, admit_import, begin_import
from postroad.modules.audiences.model import FileSource, Import, Upload
from postroad.modules.audiences.parts.incoming_file import IncomingFile
from postroad.modules.audiences.parts.reading_rules import ReadingRules
from postroad.modules.audiences.ports import ArtifactKeeper, FileNote, KeptAs
from postroad.vocabulary.refusals import ValidationFailed

MOST_ROWS = 1_000
IMPORTS_TOPIC = "audience-imports"
"""The topic of `Wakeups` that tells of an import to be read."""
INCOMING = "incoming-"
_LONGEST_NAME = 255

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends something, and for which request."""

    principal: Principal
    workspace_id: str
    correlation_id: str = ""
    source_address: str = ""


@dataclass(frozen=True, slots=True)
class Reception:
    database: Database
    keeper: ArtifactKeeper
    rules: ReadingRules
    work_folder: Path
    new_id: Callable[[], str]

    def open(self, sender: Sender, ask: ImportAsk) -> IncomingFile:
        """Where a file is to be written; nothing is received from callers that may not import. Blocks.

        Raises what `begin_import` raises, before a byte of the file was read.
        """
        self.rules.check(ask.source, ask.layout)
        self.database.read(
            sender.principal, lambda reading: admit_import(reading, sender.workspace_id, ask.audience_id)
        )
        self.work_folder.mkdir(parents=True, exist_ok=True)
        return IncomingFile(self.work_folder / f"{INCOMING}{self.new_id()}", self.rules.limits.max_file_bytes)

    def import_file(self, sender: Sender, ask: ImportAsk, incoming: IncomingFile) -> Import:
        """The import of a file that was received whole. Blocks. Raises also QuotaExceeded, StorageFull."""
        name = ask.source.file_name if isinstance(ask.source, FileSource) else "rows.jsonl"
        digest, import_id = incoming.finish(), self.new_id()
        artifact_id = self.keeper.adopt(FileNote(sender.workspace_id, import_id, KeptAs.IMPORT, name), incoming.path)
        return self._begun(sender, ask, import_id, Upload(artifact_id, digest, incoming.size_bytes))

    def import_rows(self, sender: Sender, ask: ImportAsk, rows: Sequence[Mapping[str, Value]]) -> Import:
        """The import of up to a thousand rows that came in the request. Blocks."""
        if not 1 <= len(rows) <= MOST_ROWS:
            said = f"rows must hold 1 to {MOST_ROWS:,} rows, not {len(rows):,}; upload a file for more"
            raise ValidationFailed.of("rows", "OUT_OF_RANGE", said)
        try:
            lines = b"".join(orjson.dumps(row) + b"\n" for row in rows)
        except orjson.JSONEncodeError:
            said = "rows hold text, whole numbers of 64 bits, numbers, true, false and null"
            raise ValidationFailed.of("rows", "UNREADABLE", said) from None
        with self.open(sender, ask) as incoming:
            incoming.write(lines)
            return self.import_file(sender, ask, incoming)

    def import_other(self, sender: Sender, ask: ImportAsk) -> Import:
        """The import of a query or a number of made-up rows: nothing is received. Blocks."""
        return self._begun(sender, ask, self.new_id())

    def _begun(self, sender: Sender, ask: ImportAsk, import_id: str, upload: Upload | None = None) -> Import:
        begun = self.database.write(
            sender.principal,
            lambda uow: begin_import(uow, NewImport(sender.workspace_id, import_id, ask, upload), self.rules),
            correlation_id=sender.correlation_id,
            source_address=sender.source_address,
        )
        self.database.wakeups.notify(IMPORTS_TOPIC)
        return begun


def display_name(text: str) -> str:
    """A file's name as it may be shown: its last part, without what cannot be printed."""
    last = text.replace("\\", "/").rpartition("/")[2]
    return "".join(character for character in last if character.isprintable())[:_LONGEST_NAME]
