"""Files on their way to the service and back."""

from postroad.entrypoints.cli.remote.transfers.progress import passing
from postroad.entrypoints.cli.remote.transfers.saving import Wanted, save

__all__ = ["Wanted", "passing", "save"]
