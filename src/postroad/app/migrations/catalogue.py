"""All tables of the service: those of the kernel and those of every module there is."""

import importlib
import importlib.util
import pkgutil

from sqlalchemy import MetaData

import postroad.kernel.breaker
import postroad.kernel.idempotency
import postroad.kernel.limits
import postroad.kernel.outbox
import postroad.modules
from postroad.kernel.tables import metadata


def whole_catalogue() -> MetaData:
    """Imports what defines tables, and gives the one catalogue."""
    for room in pkgutil.iter_modules(postroad.modules.__path__, "postroad.modules."):
        if importlib.util.find_spec(f"{room.name}._tables") is not None:
            importlib.import_module(f"{room.name}._tables")
    return metadata
