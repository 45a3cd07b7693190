"""What is settled of hosted runs that go on. `live/` in the folder of a run holds it while people may look."""

from pathlib import Path

from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.recipients import Chosen, ItemRow, LiveParts, LiveRun, list_live_items

LIVE = "live"


class ShownRuns:
    """From any thread. `page` blocks, the rest returns at once."""

    def __init__(self) -> None:
        self._parts = LiveParts()

    def show(self, path: Path) -> None:
        self._parts.show(SendFolder(path).journal, path / LIVE)

    def hide(self, path: Path) -> None:
        self._parts.hide(path / LIVE)

    def page(self, path: Path, chosen: Chosen, after: int, limit: int) -> tuple[ItemRow, ...]:
        """Settled items behind the sequence `after`, in order; none of a run that was not begun here."""
        folder = SendFolder(path)
        if not folder.is_frozen:
            return ()
        self._parts.revive()
        plan = folder.read_plan()
        live = LiveRun(path / LIVE, folder.snapshot, plan.run_id, plan.audience.sha256)
        return list_live_items(live, chosen, after, limit)

    def stop(self) -> None:
        self._parts.stop()
