"""A file of the service on this disk: whole and with the announced digest, or not at all.

It is written beside its name and renamed when it is whole. A break leaves a `.part` file that the next try replaces.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from postroad.entrypoints.cli.remote.access.service import Service
from postroad.entrypoints.cli.remote.show import cells
from postroad.entrypoints.cli.remote.transfers.progress import passing
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.foundation.whole_files import storage_refusals
from postroad.vocabulary.errors import EgressFailed, InvalidInput


@dataclass(frozen=True, slots=True)
class Wanted:
    path: str
    """Below the workspace."""
    query: Mapping[str, object] = field(default_factory=dict)
    sha256: str = ""
    """Empty where it is not known beforehand."""
    size_bytes: int | None = None


def save(service: Service, wanted: Wanted, out: Path, *, force: bool = False) -> None:
    """Raises InvalidInput for a file that is there, EgressFailed where other bytes came, and as `Service.download`."""
    if out.exists() and not force:
        raise InvalidInput(say("{file} is there already; give --force to overwrite it", file=out), field="--out")
    part = out.with_name(f".{out.name}.part")
    with storage_refusals(out):
        try:
            with part.open("wb") as file:
                digest = _download(service, wanted, file, out.name)
                file.flush()
                os.fsync(file.fileno())
            if wanted.sha256 and digest != wanted.sha256:
                said = say("{file} came with other bytes than announced; it was not kept, try again", file=out.name)
                raise EgressFailed(said)
            part.replace(out)
        finally:
            part.unlink(missing_ok=True)
    console.tell(say("Written: {file} ({size})", file=console.place(out), size=cells.size(out.stat().st_size)), "green")


def _download(service: Service, wanted: Wanted, file: BinaryIO, name: str) -> str:
    with passing(name, wanted.size_bytes) as passed:
        service.download(wanted.path, file, passed, wanted.query)
    file.flush()
    with open(file.name, "rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()
