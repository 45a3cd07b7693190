"""The process an import runs in: `python -m postroad.recipients.import_child`, spoken to by `children`."""

import gc
from typing import Any

from postroad.recipients.children import Report, serve_parent
from postroad.recipients.intake.pipeline import import_into
from postroad.recipients.intake.wire import report_to_wire, request_from_wire


def _work(wire: dict[str, Any], report: Report) -> dict[str, Any]:
    request, address = request_from_wire(wire)
    return report_to_wire(import_into(request, address, report))


if __name__ == "__main__":
    gc.freeze()
    gc.disable()  # blocks hold no cycles, and collecting over them costs a quarter of the time
    serve_parent(_work)
