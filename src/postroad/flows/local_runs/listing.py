"""Past sends and the state of one."""

from pathlib import Path

from postroad.flows.local_runs.ports import Surroundings
from postroad.flows.local_runs.views import SendView


def list_sends(surroundings: Surroundings, limit: int = 100) -> list[SendView]:
    """The newest sends first, as far as their folders still exist."""
    raise NotImplementedError


def open_send(folder: Path) -> SendView:
    """The state of one send. Raises InvalidInput where the folder holds none."""
    raise NotImplementedError
