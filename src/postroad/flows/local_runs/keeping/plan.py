"""What one send is: the content of `frozen.json`, and the hash that a person confirms.

The hash is SHA-256 over the canonical JSON (sorted keys, no spaces, UTF-8) of the audience's SHA-256, the message, the
account without secrets, the provider's id and version, and the policies; for a re-send also the run that it goes back
to. Two sends with the same hash say the same to the same people in the same way, and for the same reason.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postroad.jobfile import Policies
from postroad.spi import ConfigDocument
from postroad.vocabulary.errors import ConfigInvalid, SendConflict
from postroad.vocabulary.outcomes import Outcome

FORMAT = "postroad-send/1"


@dataclass(frozen=True, slots=True)
class AudienceRecord:
    sha256: str
    rows: int
    accepted: int
    duplicates: int
    rejected: int


@dataclass(frozen=True, slots=True)
class SourceSend:
    """The send that a re-send goes back to."""

    run_id: str
    folder: str
    outcomes: tuple[Outcome, ...]
    origins: tuple[str, ...] = ()
    """The runs that `origins.bin` counts."""


@dataclass(frozen=True, slots=True)
class SendPlan:
    run_id: str
    name: str
    provider_id: str
    provider_version: str
    engine_version: str
    audience: AudienceRecord
    account: ConfigDocument
    message: ConfigDocument
    policies: Policies
    endpoints: tuple[str, ...]
    base: Path
    """The folder that relative paths of attachments start from."""
    shards: tuple[tuple[int, int], ...]
    """Contiguous ranges of sequences, `first` to before `end`."""
    source: SourceSend | None = None
    frozen_at_ms: int = 0

    @property
    def hash(self) -> str:
        covered = {
            "audience": self.audience.sha256,
            "message": self.message.value(),
            "account": self.account.value(),
            "provider": {"id": self.provider_id, "version": self.provider_version},
            "policies": self.policies.canonical(),
            **({"source": self.source.run_id} if self.source else {}),
        }
        return hashlib.sha256(canonical_json(covered)).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """With a digest over all of it: what nobody confirms, such as shards and counts, must not change either."""
        value = self._value()
        return value | {"digest": _digest(value)}

    def _value(self) -> dict[str, Any]:
        source = self.source
        return {
            "format": FORMAT,
            "runId": self.run_id,
            "name": self.name,
            "hash": self.hash,
            "providerId": self.provider_id,
            "providerVersion": self.provider_version,
            "engineVersion": self.engine_version,
            "audience": {
                "sha256": self.audience.sha256,
                "rows": self.audience.rows,
                "accepted": self.audience.accepted,
                "duplicates": self.audience.duplicates,
                "rejected": self.audience.rejected,
            },
            "account": _document_json(self.account),
            "message": _document_json(self.message),
            "policies": self.policies.canonical(),
            "endpoints": list(self.endpoints),
            "base": str(self.base),
            "shards": [list(shard) for shard in self.shards],
            "source": source and _source_json(source),
            "frozenAtMs": self.frozen_at_ms,
        }

    @staticmethod
    def from_json(value: Mapping[str, Any], where: str) -> "SendPlan":
        """Raises SendConflict where it is not what `to_json` wrote, or was changed since."""
        try:
            plan = _plan_of(value)
        except (KeyError, TypeError, ValueError, ConfigInvalid) as error:
            raise SendConflict(f"{where} is not a frozen send ({type(error).__name__}: {error})") from error
        covered = {name: part for name, part in value.items() if name != "digest"}
        if plan.hash != value["hash"] or value.get("digest") != _digest(covered):
            raise SendConflict(f"{where} was changed after it was frozen: its hash no longer fits; nothing is sent")
        return plan


def _digest(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical_json(value)).hexdigest()


def canonical_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def readable_json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def _document_json(document: ConfigDocument) -> dict[str, Any]:
    return {"schemaId": document.schema_id, "schemaVersion": document.schema_version, "value": document.value()}


def _document_of(value: Mapping[str, Any]) -> ConfigDocument:
    return ConfigDocument.of(value["schemaId"], value["schemaVersion"], value["value"])


def _source_json(source: SourceSend) -> dict[str, Any]:
    return {
        "runId": source.run_id,
        "folder": source.folder,
        "outcomes": [outcome.value for outcome in source.outcomes],
        "origins": list(source.origins),
    }


def _source_of(value: Mapping[str, Any]) -> SourceSend:
    return SourceSend(
        run_id=value["runId"],
        folder=value["folder"],
        outcomes=tuple(Outcome(name) for name in value["outcomes"]),
        origins=tuple(value["origins"]),
    )


def _plan_of(value: Mapping[str, Any]) -> SendPlan:
    if value["format"] != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    audience, source = value["audience"], value["source"]
    return SendPlan(
        run_id=value["runId"],
        name=value["name"],
        provider_id=value["providerId"],
        provider_version=value["providerVersion"],
        engine_version=value["engineVersion"],
        audience=AudienceRecord(**{name: audience[name] for name in AudienceRecord.__slots__}),
        account=_document_of(value["account"]),
        message=_document_of(value["message"]),
        policies=Policies.of(value["policies"]),
        endpoints=tuple(value["endpoints"]),
        base=Path(value["base"]),
        shards=tuple((first, end) for first, end in value["shards"]),
        source=source and _source_of(source),
        frozen_at_ms=value["frozenAtMs"],
    )
