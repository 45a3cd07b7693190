"""The door to an import."""

from collections.abc import Callable

from postroad.foundation.whole_files import storage_refusals
from postroad.recipients.children import run_child
from postroad.recipients.intake.wire import report_from_wire, request_to_wire
from postroad.recipients.reading.query import database_kind, postgres_target
from postroad.recipients.report import ImportReport
from postroad.recipients.request import ImportRequest, QueryInput
from postroad.vocabulary.errors import EgressDenied


def import_audience(
    request: ImportRequest,
    *,
    resolve_checked: Callable[[str, int], str] | None = None,
    on_progress: Callable[[int], None] | None = None,
    on_start: Callable[[Callable[[], None]], None] | None = None,
) -> ImportReport:
    """Imports in a child process and blocks until it is done.

    `resolve_checked(host, port)` gives the one address a PostgreSQL query may connect to, or raises EgressDenied;
    without it such a query is refused. `on_progress` gets the number of rows read so far, on the calling thread.
    `on_start` gets a function that ends the import from any thread: it then raises PostroadError, with no snapshot.
    Raises AudienceInvalid, also where not one row was accepted; `errors.csv` then says why. A crash leaves the old
    snapshot or the new one, never half of one.
    """
    address = None
    if isinstance(request.source, QueryInput) and database_kind(request.source) == "postgresql":
        if resolve_checked is None:
            raise EgressDenied("queries over the network are not allowed here", field="query.database")
        address = resolve_checked(*postgres_target(request.source))
    with storage_refusals(request.out_dir):
        request.out_dir.mkdir(parents=True, exist_ok=True)
    wire = request_to_wire(request, address)
    return report_from_wire(run_child("postroad.recipients.import_child", wire, on_progress, on_start))
