"""What callers ask of a local run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from postroad.vocabulary.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class SendOrder:
    """A job file and what was said beside it.

    `overrides` are dotted fields of the job file with values of the same shapes: `{"policies.rate": "20/s",
    "audience.file": "people.xlsx"}`; they win. Paths in the file are relative to the file, paths in `overrides` to the
    working folder. Without `job` the overrides alone must make a whole job.
    """

    job: Path | None = None
    overrides: Mapping[str, object] = field(default_factory=dict)
    out: Path | None = None
    """The folder of the send; made. None gives `sends/<date>-<job>-<n>` in the working folder."""
    workers: int = 1
    again: bool = False
    """Send although the same confirmation hash was sent, or begun, before."""


@dataclass(frozen=True, slots=True)
class ResumeOrder:
    """What a resume may change: secrets (by the surroundings), rate and concurrency."""

    folder: Path
    overrides: Mapping[str, object] = field(default_factory=dict)
    """Dotted fields as in SendOrder. One that repeats what is frozen is accepted; any other is a SendConflict."""
    job: Path | None = None
    """A job file to compare with the frozen send; None compares nothing."""
    wait_s: float = 3.0
    """How long to wait for somebody who holds the folder before AlreadyRunning."""


@dataclass(frozen=True, slots=True)
class ResendOrder:
    """A linked new send to the recipients of `source` that came to one of `only`."""

    source: Path
    only: frozenset[Outcome]
    overrides: Mapping[str, object] = field(default_factory=dict)
    """Rate and concurrency only, as for a resume."""
    out: Path | None = None
    workers: int = 1
    again: bool = False


@dataclass(frozen=True, slots=True)
class AudienceOrder:
    """An audience to look at: of a job, of overrides (`audience.file`, …), or of both."""

    job: Path | None = None
    overrides: Mapping[str, object] = field(default_factory=dict)
    errors_file: Path | None = None
    """Gets the rows that were left out."""
    accepted_file: Path | None = None
    """Gets the rows that were accepted."""
