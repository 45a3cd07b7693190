"""`flows.run_results.LiveItems` over the folders of hosted runs."""

from postroad.app.hosting.run_folders import RunFolders
from postroad.modules.runs import Run
from postroad.recipients import Chosen, ItemRow


class HostedItems:
    def __init__(self, folders: RunFolders) -> None:
        self._folders = folders

    def page(self, run: Run, chosen: Chosen, after: int, limit: int) -> tuple[ItemRow, ...]:
        return self._folders.shown.page(self._folders.folder_of(run.id), chosen, after, limit)
