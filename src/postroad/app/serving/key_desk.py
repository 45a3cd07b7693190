"""The key ring of a service from outside: looked at, rotated, relieved of what nobody needs.

The service may run meanwhile: it reads the file again once a minute and wraps its secrets under the active version. A
version is dropped only when no stored secret names it, and no sooner than every service has read the ring: one that had
not would go on encrypting with a key that is gone.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from postroad.app.areas.vault import needed_keys
from postroad.entrypoints.cli.composition import KeyVersion, ServeOptions
from postroad.foundation.clock import SystemClock
from postroad.foundation.keyring import KeyRing
from postroad.foundation.service_settings import Settings, load_settings
from postroad.vocabulary.clock import Clock
from postroad.vocabulary.errors import KeysUnusable
from postroad.vocabulary.refusals import ResourceNotFound, StateConflict

READ_BY_ALL_S = 180
"""Services read the ring once a minute; so long after a change everybody has."""


class ServiceKeys:
    """Fulfils the commands' `KeyDesk`."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    @staticmethod
    def of(options: ServeOptions) -> "ServiceKeys":
        """Raises ConfigInvalid."""
        return ServiceKeys(load_settings(options.config, options.environment, options.flags), SystemClock())

    @property
    def file(self) -> Path:
        return self._settings.keys.file

    def versions(self) -> Sequence[KeyVersion]:
        ring = KeyRing.load(self.file)
        needed = needed_keys(self._settings)
        ring.require(needed)
        return [KeyVersion(name, name == ring.active, name in needed) for name in ring.versions]

    def rotate(self, *, signing: bool) -> str:
        self._must_be_ours()
        return KeyRing.load(self.file).rotate(signing=signing)

    def drop(self, version: str) -> None:
        self._must_be_ours()
        ring = KeyRing.load(self.file)
        if version == ring.active:
            raise StateConflict(f"{version} is the active version; rotate first, and drop it when nothing needs it")
        if version not in ring.versions:
            known = ", ".join(ring.versions)
            raise ResourceNotFound(f"the key ring {self.file} has no version {version}; it has {known}")
        if version in needed_keys(self._settings):
            raise StateConflict(
                f"stored secrets still need {version}; a running service encrypts them anew within minutes after a "
                "rotation"
            )
        left_s = READ_BY_ALL_S - (self._clock.now_ms() / 1000 - self.file.stat().st_mtime)
        if left_s > 0:
            raise StateConflict(
                f"the key ring was changed a moment ago and a service may not have read it yet; try again in "
                f"{round(left_s) + 1} s"
            )
        ring.drop(version)

    def _must_be_ours(self) -> None:
        """A file written by somebody else could not be read by the service any more."""
        try:
            owner = self.file.stat().st_uid
        except OSError:
            return
        if owner != os.geteuid():
            raise KeysUnusable(
                f"the key ring {self.file} belongs to another user; run this as the user that the service runs as",
                field="keys.file",
            )
