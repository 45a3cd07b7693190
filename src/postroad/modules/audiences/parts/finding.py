"""One of something, or the refusal that there is none."""

from postroad.modules.audiences.model import Audience, Import, SnapshotRecord
from postroad.vocabulary.refusals import ResourceNotFound


def one_audience(found: Audience | None) -> Audience:
    if found is None:
        raise ResourceNotFound("there is no such audience in this workspace")
    return found


def one_snapshot(found: SnapshotRecord | None) -> SnapshotRecord:
    if found is None:
        raise ResourceNotFound("this audience has no such snapshot")
    return found


def one_import(found: Import | None) -> Import:
    if found is None:
        raise ResourceNotFound("there is no such import in this workspace")
    return found
