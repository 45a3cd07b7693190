"""A linked new send to some recipients of an ended one."""

from postroad.flows.local_runs.orders import ResendOrder
from postroad.flows.local_runs.ports import Surroundings
from postroad.flows.local_runs.views import PreparedSend


def resend(order: ResendOrder, surroundings: Surroundings) -> PreparedSend:
    """Prepares it; `start_send` sends it. UNKNOWN items carry the idempotency key of the source's item.

    Raises SendConflict where the source has not ended, InvalidInput where nobody came to these outcomes.
    """
    raise NotImplementedError
