"""What must be there before the service may be asked for work."""

import os
from collections.abc import Mapping

from postroad.entrypoints.http.operating.health import Check
from postroad.foundation.keyring import KeyRing
from postroad.foundation.service_settings import Settings
from postroad.kernel.authz import Principal
from postroad.kernel.database import Database
from postroad.modules import identity
from postroad.vocabulary.errors import StorageFailed

_ME = Principal.system("health")


def readiness_checks(settings: Settings, database: Database) -> Mapping[str, Check]:
    """`database` reads a table, `keys` reads the key ring again, `artifacts` looks whether files can be written."""

    def artifacts() -> None:
        if not os.access(settings.artifacts.directory, os.W_OK | os.X_OK):
            raise StorageFailed(f"{settings.artifacts.directory} cannot be written")

    return {
        "database": lambda: database.read(_ME, identity.is_setup_needed),
        "keys": lambda: KeyRing.load(settings.keys.file),
        "artifacts": artifacts,
    }
