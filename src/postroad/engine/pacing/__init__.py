"""How fast a run may go, and where items lie that must wait."""

from postroad.engine.pacing.bucket import Bucket
from postroad.engine.pacing.leasing import Lease, LeasedPacer, Lender, TokenDesk
from postroad.engine.pacing.pacer import LocalPacer, Pacer, Wait, effective_rates, spent_by

__all__ = [
    "Bucket",
    "Lease",
    "LeasedPacer",
    "Lender",
    "LocalPacer",
    "Pacer",
    "TokenDesk",
    "Wait",
    "effective_rates",
    "spent_by",
]
