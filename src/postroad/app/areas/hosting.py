"""Runs on this machine: the host of embedded workers, its folders, and what people see of a run under way."""

from functools import cached_property
from pathlib import Path

from postroad.app.areas.runs import RunsArea
from postroad.app.hosting.live_items import HostedItems
from postroad.app.hosting.outside import PlannedSecrets, ResultFiles
from postroad.app.hosting.run_folders import RunFolders
from postroad.flows.hosting import Clearing, Host, HostLimits, HostNeeds
from postroad.flows.local_runs import loop_factory
from postroad.flows.run_results import LiveItems
from postroad.foundation.home import Home
from postroad.foundation.ids import uuid7
from postroad.foundation.whole_files import storage_refusals, sync_folder, write_whole
from postroad.kernel.service import BackgroundService

_LONGEST_DRAIN_S = 15.0
"""Shorter than a lease lives without being renewed."""
WORKER_FILE = "worker.id"


class HostingArea(RunsArea):
    @cached_property
    def host(self) -> Host:
        said = self.settings.worker.embedded
        limits = HostLimits(
            shards=said.max_runs,
            concurrency=said.max_concurrency,
            progress_every_s=self.settings.events.progress_interval_s,
            drain_s=min(_LONGEST_DRAIN_S, self.settings.server.stop_grace_s / 2),
        )
        database = self.background_database
        needs = HostNeeds(
            database=database,
            runs=self.run_surroundings,
            place=self.run_folders,
            secrets=PlannedSecrets(database, self.keys),
            keeper=ResultFiles(database, self._keeper_over(database)),
            wakeups=self.wakeups,
            clock=self.clock,
            loop_factory=loop_factory(),
        )
        return Host(worker_of(self.settings.data_dir), limits, needs)

    @cached_property
    def run_folders(self) -> RunFolders:
        data = self.settings.data_dir
        return RunFolders(
            runs=data / "runs",
            home=Home(data / "installation"),
            files=self._keeper_over(self.background_database),
            factories=self.catalogue,
            networks=self.settings.security.allowed_networks,
            clock=self.clock,
        )

    @cached_property
    def live_items(self) -> LiveItems:
        return HostedItems(self.run_folders)

    def background_services(self) -> list[BackgroundService]:
        said = self.settings.retention
        database = self.background_database
        clearing = Clearing(database, self.run_folders, round(said.logs_s * 1000), self.clock)
        return [
            *super().background_services(),
            BackgroundService("run-folders", said.sweep_interval_s, clearing.tick),
        ]

    def start_work(self) -> None:
        super().start_work()
        if self.settings.worker.embedded.enabled:
            self.host.start()

    def begin_stop(self) -> None:
        if self.settings.worker.embedded.enabled:
            self.host.ask_to_stop()
        super().begin_stop()

    def stop_work(self, grace_s: float) -> bool:
        whole = not self.settings.worker.embedded.enabled or self.host.stop(grace_s)
        return super().stop_work(grace_s) and whole


def worker_of(data: Path) -> str:
    """The name of this data folder as a worker, made once: a new start takes up what the last one left, and no other
    service has the same. Raises StorageFull, StorageFailed."""
    file = data / WORKER_FILE
    if file.is_file():
        return file.read_text(encoding="ascii").strip()
    with storage_refusals(file):
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_folder(data)
    name = f"embedded-{uuid7()}"
    write_whole(file, f"{name}\n".encode(), 0o600)
    return name
