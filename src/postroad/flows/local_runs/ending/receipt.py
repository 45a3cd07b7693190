"""The signed statement of what a run did.

The body carries the counts and the SHA-256 of the frozen configuration, the audience and the results; the signature is
Ed25519 over the body's canonical JSON (sorted keys, no spaces, UTF-8). It carries the public key for people who file
it, but a check needs the key from elsewhere: a receipt that vouches for itself proves nothing.
"""

import base64
import hashlib
import json
from pathlib import Path

from postroad.flows.local_runs.keeping.folder import SendFolder
from postroad.flows.local_runs.keeping.plan import SendPlan, canonical_json, readable_json
from postroad.flows.local_runs.views import ReceiptCheck, SendSummary
from postroad.foundation.home import Home
from postroad.foundation.installation_key import InstallationKey, is_signed_by
from postroad.foundation.whole_files import write_whole
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.errors import InvalidInput, SendConflict

FORMAT = "postroad-receipt/1"
_HASHED = ("frozen.json", "audience.parquet", "results.parquet", "summary.json")
_COUNTED = ("total", "succeeded", "failed", "unknown", "unsent", "skipped", "retried", "maybeDoubled")


def write_receipt(folder: SendFolder, plan: SendPlan, summary: SendSummary, home: Home) -> None:
    """The same folder and key give the same bytes."""
    key = InstallationKey.load_or_make(home.make().keys)
    counts = summary.counts
    body = {
        "format": FORMAT,
        "runId": plan.run_id,
        "sourceRunId": summary.source_run_id,
        "name": plan.name,
        "state": summary.state.value,
        "reason": summary.reason,
        "confirmedHash": plan.hash,
        "provider": {"id": plan.provider_id, "version": plan.provider_version},
        "engineVersion": plan.engine_version,
        "counts": {
            "total": counts.total,
            "succeeded": counts.succeeded,
            "failed": counts.failed,
            "unknown": counts.unknown,
            "unsent": counts.unsent,
            "skipped": counts.skipped,
            "retried": counts.retried,
            "maybeDoubled": counts.maybe_doubled,
        },
        "import": {
            "rows": summary.rows,
            "accepted": summary.accepted,
            "duplicates": summary.duplicates,
            "rejected": summary.rejected,
        },
        "startedAtMs": summary.started_at_ms,
        "endedAtMs": summary.ended_at_ms,
        "files": {name: hash_file(folder.path / name) for name in _HASHED},
        "publicKey": key.public_pem().decode(),
    }
    signature = base64.b64encode(key.sign(canonical_json(body))).decode()
    write_whole(folder.receipt, readable_json({"body": body, "signature": signature}))


def verify_receipt(receipt: Path, public_key: Path | bytes, folder: Path | None = None) -> ReceiptCheck:
    """Whether the holder of `public_key` signed it, its counts add up and, with `folder`, the files have its hashes.

    The key comes from elsewhere: the one inside the receipt is never trusted. Raises InvalidInput or ConfigInvalid
    where a file cannot be read or the key is none; everything else is a problem in the answer.
    """
    pem = public_key if isinstance(public_key, bytes) else _read(public_key, "publicKey")
    try:
        value = json.loads(_read(receipt, "receipt"))
        body, signature = value["body"], base64.b64decode(value["signature"], validate=True)
        counts = Counts(*(int(body["counts"][name]) for name in _COUNTED))
        stated = {str(name): str(digest) for name, digest in body["files"].items()}
        run_id = str(body["runId"])
        signed = canonical_json(body)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        is_signed_by(pem, b"", b"")
        return ReceiptCheck(False, (f"{receipt} is not a receipt",), "", Counts())
    problems = []
    if not is_signed_by(pem, signed, signature):
        problems.append("the signature is not by this key, or the receipt was changed")
    if body.get("format") != FORMAT:
        problems.append(f"the format is not {FORMAT}")
    if counts.total != counts.settled:
        problems.append(f"the outcomes add up to {counts.settled}, not to the total of {counts.total}")
    if folder is not None:
        problems += _compare_files(folder, stated)
    return ReceiptCheck(not problems, tuple(problems), run_id, counts, tuple(stated) if folder is not None else ())


def check_results(folder: SendFolder) -> None:
    """Raises SendConflict where `results.parquet` is not the file that the receipt speaks of."""
    body = folder.read(folder.receipt).get("body")
    files = body.get("files") if isinstance(body, dict) else None
    stated = files.get(folder.results.name) if isinstance(files, dict) else None
    if stated != hash_file(folder.results):
        raise SendConflict(
            f"{folder.results} is not the file of {folder.receipt.name}: one of them was changed. Remove both and make "
            f"them anew with: postroad send --resume {folder.path}",
            field="source",
        )


def export_public_key(home: Home) -> bytes:
    """The installation's public key as PEM; made where there is none."""
    return InstallationKey.load_or_make(home.make().keys).public_pem()


def hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _compare_files(folder: Path, stated: dict[str, str]) -> list[str]:
    problems = []
    for name in _HASHED:
        path = folder / name
        if name not in stated:
            problems.append(f"the receipt says nothing about {name}")
        elif not path.is_file():
            problems.append(f"{name} is missing in {folder}")
        elif hash_file(path) != stated[name]:
            problems.append(f"{name} is not the file that the receipt was written for")
    return problems


def _read(path: Path, field: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}", field=field) from error
