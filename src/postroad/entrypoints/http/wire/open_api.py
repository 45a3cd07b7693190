"""The open API on the wire."""

from pydantic import Field

from postroad.entrypoints.http.conventions import Asked
from postroad.entrypoints.http.wire.runs.starting import Overrides
from postroad.flows.sending import ProgramStart


class ProgramRunAsked(Asked):
    """May be left out."""

    dry_run: bool = False
    """Renders for everybody and sends nothing."""
    policy_overrides: Overrides = None
    reason: str = Field(default="", max_length=500)

    def ask(self, job_id: str, key: str | None) -> ProgramStart:
        return ProgramStart(job_id, key, self.dry_run, self.policy_overrides, self.reason)
