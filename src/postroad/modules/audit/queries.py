"""Reading the audit: by an administrator of the workspace, or all of it by a system administrator."""

from collections.abc import Sequence
from dataclasses import asdict

from postroad.kernel.authz import Action, Resource
from postroad.kernel.pages import Listing, Page, PageRequest, Position
from postroad.kernel.uow import Reading
from postroad.modules.audit import store
from postroad.modules.audit.model import AuditEvent, AuditFilter

EXPORTED_AT_ONCE = 1000


def list_audit_events(
    reading: Reading, workspace_id: str | None, page: PageRequest, wanted: AuditFilter
) -> Page[AuditEvent]:
    """Newest first. None for the workspace means all of them, and what belongs to none; system administrators only."""
    resource = admit(reading, workspace_id)
    listing = Listing.open(reading.cursors, page, resource, asdict(wanted))
    rows = store.list_newest(reading.connection, workspace_id, wanted, listing.position, listing.rows_wanted)
    return listing.page(rows, position_of)


def list_for_export(
    reading: Reading, workspace_id: str | None, wanted: AuditFilter, before: Position | None
) -> Sequence[AuditEvent]:
    """The next part of an export, newest first; empty at its end. Asks for the right again each time."""
    admit(reading, workspace_id)
    return store.list_newest(reading.connection, workspace_id, wanted, before, EXPORTED_AT_ONCE)


def position_of(event: AuditEvent) -> Position:
    return (event.occurred_at_ms, event.id)


def admit(reading: Reading, workspace_id: str | None) -> Resource:
    """The list as a resource, for somebody who may read it."""
    resource = Resource(workspace_id or "", "audit")
    reading.authorize(Action.SYSTEM_ADMIN if workspace_id is None else Action.AUDIT_READ, resource)
    return resource
