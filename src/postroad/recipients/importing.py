"""The door to an import."""

from collections.abc import Callable

from postroad.recipients.report import ImportReport
from postroad.recipients.request import ImportRequest


def import_audience(
    request: ImportRequest,
    *,
    resolve_checked: Callable[[str, int], str] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> ImportReport:
    """Imports in a child process and blocks until it is done.

    `resolve_checked(host, port)` gives the one address a PostgreSQL query may connect to, or raises EgressDenied;
    without it such a query is refused. `on_progress` gets the number of rows read so far, on the calling thread.
    Raises AudienceInvalid, also where not one row was accepted; then `errors.csv` is left beside it.
    """
    raise NotImplementedError
