"""The signed statement of what a run did."""

from pathlib import Path

from postroad.flows.local_runs.views import ReceiptCheck
from postroad.foundation.home import Home


def verify_receipt(receipt: Path, public_key: Path | bytes, folder: Path | None = None) -> ReceiptCheck:
    """Whether the holder of `public_key` signed it, its counts add up and, with `folder`, the files have its hashes.

    The key comes from elsewhere: the one inside the receipt is never trusted.
    """
    raise NotImplementedError


def export_public_key(home: Home) -> bytes:
    """The installation's public key as PEM; made where there is none."""
    raise NotImplementedError
