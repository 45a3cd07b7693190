"""Audiences: what receives, reads, shows and forgets recipients."""

from functools import cached_property
from pathlib import Path

from postroad.app.areas.audience_adapters import AudienceSurroundings, AudienceUsesIn, KeptFiles
from postroad.app.areas.channels import ChannelsArea
from postroad.app.areas.files import FilesArea
from postroad.app.areas.vault import VaultArea
from postroad.egress import Egress
from postroad.entrypoints.http.audiences import AudienceParts
from postroad.foundation.ids import uuid7
from postroad.kernel.service import BackgroundService
from postroad.modules.audiences import (
    IMPORTS_TOPIC,
    ImportReader,
    ReaderParts,
    ReadingRules,
    Reception,
    Showing,
    Upkeep,
    UpkeepParts,
)
from postroad.recipients import ImportLimits

_READING_S, _UPKEEP_S = 2.0, 300.0


class AudiencesArea(ChannelsArea, FilesArea, VaultArea):
    @cached_property
    def reading_rules(self) -> ReadingRules:
        said = self.settings.audiences
        limits = ImportLimits(max_file_bytes=self.settings.limits.upload_bytes)
        return ReadingRules(said.database_folders, limits, said.longest_reading_s)

    @cached_property
    def audiences(self) -> AudienceParts:
        keeper = KeptFiles(self.artifacts)
        return AudienceParts(
            Reception(self.database, keeper, self.reading_rules, self._work_folder, uuid7),
            Showing(self.database, keeper, self._work_folder, uuid7),
            self.reading_rules,
            keeper,
            AudienceUsesIn(),
        )

    @cached_property
    def import_reader(self) -> ImportReader:
        return ImportReader(
            ReaderParts(
                database=self.background_database,
                keeper=self._background_files,
                surroundings=AudienceSurroundings(
                    self.background_database, self.keys, self.catalogue.factory, Egress(self.address_policy)
                ),
                rules=self.reading_rules,
                clock=self.clock,
                work_folder=self._work_folder,
                name=uuid7(),
            )
        )

    def begin_stop(self) -> None:
        self.import_reader.stop()
        super().begin_stop()

    def background_services(self) -> list[BackgroundService]:
        upkeep = Upkeep(
            UpkeepParts(
                self.background_database,
                self._background_files,
                AudienceUsesIn(),
                self.clock,
                self._work_folder,
                imports_kept_ms=round(self.settings.retention.imports_s * 1000),
                snapshots_kept_ms=round(self.settings.retention.snapshots_s * 1000),
            )
        )
        return [
            *super().background_services(),
            BackgroundService("audience-imports", _READING_S, self.import_reader.tick, (IMPORTS_TOPIC,)),
            BackgroundService("audience-upkeep", _UPKEEP_S, upkeep.tick),
        ]

    @property
    def _work_folder(self) -> Path:
        return self.settings.data_dir / "work" / "audiences"

    @cached_property
    def _background_files(self) -> KeptFiles:
        return KeptFiles(self._keeper_over(self.background_database))
