"""Previews of messages on the wire."""

from typing import Any

from pydantic import Field

from postroad.entrypoints.http.conventions import Asked, Shown
from postroad.entrypoints.http.wire.messages import MOST_REVISIONS
from postroad.flows.message_preview import Draft, FromAudience, People, PreviewAsk, PreviewResult, SavedMessage
from postroad.modules.messages import Sample
from postroad.vocabulary.refusals import ValidationFailed

FieldValue = str | int | float | bool | None


class RowsAsked(Asked):
    audience_id: str = Field(max_length=128)
    rows: list[int] = Field(default_factory=list, max_length=20)
    """As the spreadsheet counts; empty takes the first `limit`."""
    limit: int = Field(default=3, ge=1, le=20)


class _Whom(Asked):
    account_id: str | None = Field(default=None, max_length=128)
    """Without one the example of the provider's schema stands in."""
    recipients: list[dict[str, FieldValue]] | None = Field(default=None, max_length=20)
    """Made-up people, as fields. Give these or `audience`."""
    audience: RowsAsked | None = None

    def whom(self) -> People | FromAudience:
        """Raises ValidationFailed unless exactly one of the two is given."""
        if (self.recipients is None) == (self.audience is None):
            raise ValidationFailed.of("recipients", "ONE_OF", "give either recipients or an audience")
        if self.recipients is not None:
            return People(self.recipients)
        assert self.audience is not None
        return FromAudience(self.audience.audience_id, tuple(self.audience.rows), self.audience.limit)


class PreviewAsked(_Whom):
    revision: int | None = Field(default=None, ge=1, le=MOST_REVISIONS)
    """None takes the current one."""

    def ask(self, workspace_id: str, message_id: str) -> PreviewAsk:
        return PreviewAsk(workspace_id, SavedMessage(message_id, self.revision), self.whom(), self.account_id)


class DraftPreviewAsked(_Whom):
    provider_id: str = Field(max_length=40)
    content: dict[str, Any]

    def ask(self, workspace_id: str) -> PreviewAsk:
        return PreviewAsk(workspace_id, Draft(self.provider_id, self.content), self.whom(), self.account_id)


class RenderedShown(Shown):
    """The message as one recipient gets it. `cost` is what is paid for: the parts of an SMS."""

    headline: str
    parts: dict[str, str]
    """Named pieces in order of reading: headers, subject, text, html, body."""
    cost: int
    size_bytes: int
    warnings: list[str]


class SampleProblem(Shown):
    field: str
    message: str
    missing_fields: list[str]
    """All fields that the message asked this recipient for in vain."""


class SampleShown(Shown):
    row: int
    """As the spreadsheet counts; 0 for made-up people."""
    rendered: RenderedShown | None
    problem: SampleProblem | None


class PreviewShown(Shown):
    provider_id: str
    revision: int | None
    """null for a draft"""
    example_account: bool
    """Whether an example stood in for an account."""
    samples: list[SampleShown]


def shown_preview(result: PreviewResult) -> PreviewShown:
    return PreviewShown(
        provider_id=result.provider_id,
        revision=result.revision,
        example_account=result.stands_in,
        samples=[_sample(one) for one in result.samples],
    )


def _sample(sample: Sample) -> SampleShown:
    problem = None
    if sample.preview is None:
        missing = list(sample.missing_fields)
        problem = SampleProblem(field=sample.problem_field, message=sample.problem, missing_fields=missing)
    rendered = None if sample.preview is None else RenderedShown.of(sample.preview)
    return SampleShown(row=sample.row, rendered=rendered, problem=problem)
