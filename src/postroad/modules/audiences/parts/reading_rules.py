"""What the operator of this service allows imports to read."""

from dataclasses import dataclass, field
from pathlib import Path

from postroad.modules.audiences.model import Layout, Source
from postroad.modules.audiences.parts.source_rules import check_layout, check_source
from postroad.recipients import ImportLimits


@dataclass(frozen=True, slots=True)
class ReadingRules:
    database_folders: tuple[Path, ...] = ()
    """Where SQLite and DuckDB files of query sources may lie; none by default."""
    limits: ImportLimits = field(default_factory=ImportLimits)
    longest_s: float = 3_600.0
    """How long reading one import may take."""

    def check(self, source: Source, layout: Layout) -> None:
        """Raises ValidationFailed with the problems of the source, else of the layout."""
        check_source(source, self.database_folders)
        check_layout(layout)
