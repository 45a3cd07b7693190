"""The run snapshot: what a run is, frozen before the first send and never changed.

It holds the account's configuration without secrets, the message as it was, the audience snapshot by its SHA-256, and
the policies with every default written out. A worker needs nothing else but the secrets that the configuration names,
which are resolved when a shard is leased and are kept nowhere.

The hash is SHA-256 over the canonical JSON (sorted keys, no spaces, UTF-8) of the audience's SHA-256, the message, the
account, the provider's id and version and the policies; for a re-send also the run that it goes back to. It is made as
`postroad send` makes the hash that a person confirms. The audience of a re-send is a part of the source's snapshot,
which the worker cuts out; its hash covers the whole snapshot and the outcomes chosen.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from postroad.kernel.tables import canonical_json
from postroad.spi import ConfigDocument
from postroad.spi.secret_references import references_in
from postroad.vocabulary.outcomes import Outcome

FORMAT = "postroad-run/1"
RESULTS, AUDIENCE, ORIGINS, FROZEN = "results", "audience", "origins", "frozen"
"""Names of a run's artifacts that a re-send of it may read. Only a re-send has the last three, where they were kept."""


@dataclass(frozen=True, slots=True)
class PlannedAudience:
    """`count` recipients get an item. For a re-send they are a part of the file: of the source's whole audience."""

    audience_id: str
    snapshot_id: str
    revision: int
    artifact_id: str
    sha256: str
    count: int
    rows: int
    duplicates: int = 0
    rejected: int = 0


@dataclass(frozen=True, slots=True)
class PlannedAccount:
    account_id: str
    version: int
    name: str
    config: ConfigDocument


@dataclass(frozen=True, slots=True)
class PlannedMessage:
    message_id: str
    revision: int
    name: str
    content: ConfigDocument


@dataclass(frozen=True, slots=True)
class SourceRun:
    """The run that a re-send goes back to, and which of its items are sent again.

    `artifacts` are the files of the source by name: `results` tells who came to which outcome. Where the source was a
    re-send itself, its folder, or `origins` and `frozen`, lead its items on to the keys of the runs before.
    """

    run_id: str
    outcomes: tuple[Outcome, ...]
    artifacts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunPlan:
    snapshot_id: str
    run_id: str
    workspace_id: str
    job_id: str
    job_name: str
    job_version: int
    provider_id: str
    provider_version: str
    engine_version: str
    account: PlannedAccount
    message: PlannedMessage
    audience: PlannedAudience
    policies: Mapping[str, Any]
    """Canonical, as `jobfile.Policies` writes and reads them."""
    shards: tuple[tuple[int, int], ...]
    """Contiguous ranges of sequences, `first` to before `end`."""
    dry_run: bool = False
    source: SourceRun | None = None
    frozen_at_ms: int = 0

    @property
    def total(self) -> int:
        return self.audience.count

    @property
    def hash(self) -> str:
        return confirmation_hash(
            audience_sha256=self.audience.sha256,
            message=self.message.content,
            account=self.account.config,
            provider=(self.provider_id, self.provider_version),
            policies=self.policies,
            source=self.source,
        )

    def to_json(self) -> dict[str, Any]:
        source = self.source
        return {
            "format": FORMAT,
            "snapshotId": self.snapshot_id,
            "runId": self.run_id,
            "workspaceId": self.workspace_id,
            "job": {"id": self.job_id, "name": self.job_name, "version": self.job_version},
            "provider": {"id": self.provider_id, "version": self.provider_version},
            "engineVersion": self.engine_version,
            "account": {
                "id": self.account.account_id,
                "version": self.account.version,
                "name": self.account.name,
                "config": _document_json(self.account.config),
            },
            "message": {
                "id": self.message.message_id,
                "revision": self.message.revision,
                "name": self.message.name,
                "content": _document_json(self.message.content),
            },
            "audience": {
                "id": self.audience.audience_id,
                "snapshotId": self.audience.snapshot_id,
                "revision": self.audience.revision,
                "artifactId": self.audience.artifact_id,
                "sha256": self.audience.sha256,
                "count": self.audience.count,
                "rows": self.audience.rows,
                "duplicates": self.audience.duplicates,
                "rejected": self.audience.rejected,
            },
            "policies": dict(self.policies),
            "shards": [list(shard) for shard in self.shards],
            "dryRun": self.dry_run,
            "source": source
            and {
                "runId": source.run_id,
                "outcomes": [outcome.value for outcome in source.outcomes],
                "artifacts": dict(source.artifacts),
            },
            "frozenAtMs": self.frozen_at_ms,
        }


def plan_of(value: Mapping[str, Any]) -> RunPlan:
    """What `to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    if value["format"] != FORMAT:
        raise ValueError(f"its format is {value['format']}, not {FORMAT}")
    job, provider, account, message = value["job"], value["provider"], value["account"], value["message"]
    audience, source = value["audience"], value["source"]
    return RunPlan(
        snapshot_id=value["snapshotId"],
        run_id=value["runId"],
        workspace_id=value["workspaceId"],
        job_id=job["id"],
        job_name=job["name"],
        job_version=job["version"],
        provider_id=provider["id"],
        provider_version=provider["version"],
        engine_version=value["engineVersion"],
        account=PlannedAccount(account["id"], account["version"], account["name"], _document_of(account["config"])),
        message=PlannedMessage(message["id"], message["revision"], message["name"], _document_of(message["content"])),
        audience=PlannedAudience(
            audience_id=audience["id"],
            snapshot_id=audience["snapshotId"],
            revision=audience["revision"],
            artifact_id=audience["artifactId"],
            sha256=audience["sha256"],
            count=audience["count"],
            rows=audience["rows"],
            duplicates=audience["duplicates"],
            rejected=audience["rejected"],
        ),
        policies=value["policies"],
        shards=tuple((first, end) for first, end in value["shards"]),
        dry_run=value["dryRun"],
        source=source
        and SourceRun(source["runId"], tuple(Outcome(name) for name in source["outcomes"]), source["artifacts"]),
        frozen_at_ms=value["frozenAtMs"],
    )


def confirmation_hash(
    *,
    audience_sha256: str,
    message: ConfigDocument,
    account: ConfigDocument,
    provider: tuple[str, str],
    policies: Mapping[str, Any],
    source: SourceRun | None = None,
) -> str:
    """The value that a person confirms, in hexadecimal digits."""
    covered = {
        "audience": audience_sha256,
        "message": message.value(),
        "account": account.value(),
        "provider": {"id": provider[0], "version": provider[1]},
        "policies": dict(policies),
        **({"source": source.run_id, "outcomes": sorted(source.outcomes)} if source else {}),
    }
    return hashlib.sha256(canonical_json(covered).encode()).hexdigest()


def secrets_named(plan: RunPlan) -> tuple[str, ...]:
    """The references `{"$secret": name}` of account and message, each once."""
    return references_in([plan.account.config.value(), plan.message.content.value()])


def _document_json(document: ConfigDocument) -> dict[str, Any]:
    return {"schemaId": document.schema_id, "schemaVersion": document.schema_version, "value": document.value()}


def _document_of(value: Mapping[str, Any]) -> ConfigDocument:
    return ConfigDocument.of(value["schemaId"], value["schemaVersion"], value["value"])
