"""The values that pass between engine and provider for one item: plain slotted classes, one of each per item."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.values import RecipientValue


@dataclass(slots=True)
class Recipient:
    """One row of a snapshot. `sequence` counts accepted rows from 0; `row` is the number the spreadsheet shows.

    Treat as read-only: rendering may happen more than once.
    """

    sequence: int
    fields: dict[str, RecipientValue]
    row: int = 0


class RenderError(Exception):
    """The message cannot be made for this recipient: RECIPIENT_INVALID, with the field that is to blame."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


@dataclass(slots=True)
class Rendered:
    """A message made for one recipient, before anything is sent.

    `content` is private to the provider. `keys` names the buckets beside run and account (`domain:example.org`,
    `recipient:138…`). `cost` is the number of tokens it takes of each bucket: an SMS costs its parts.
    """

    content: object
    keys: tuple[str, ...] = ()
    cost: int = 1
    size_bytes: int = 0
    warnings: tuple[str, ...] = ()
    batch_key: str = ""
    """Items with the same key may share one `send_batch`; an empty key is always sent alone."""


@dataclass(slots=True)
class SendRequest:
    """One attempt. `idempotency_key` stays the same over all attempts of an item, and over a re-send of an UNKNOWN."""

    sequence: int
    attempt: int
    rendered: Rendered
    idempotency_key: str
    timeout_s: float
    """What is left for this attempt; the transport keeps it. Past it the answer is a TIMEOUT."""


class Verdict(StrEnum):
    """What the provider knows after one attempt."""

    ACCEPTED = "ACCEPTED"
    """The remote took the message."""
    REFUSED = "REFUSED"
    """The remote answered, and did not take it; or our own side refused before anything left."""
    NOT_SENT = "NOT_SENT"
    """The commit point was not passed: certainly nothing arrived."""
    IN_DOUBT = "IN_DOUBT"
    """The commit point was passed and no usable answer came."""


@dataclass(slots=True)
class SendResult:
    """What one attempt came to. Source: spec wepush §11.1.

    `retry` is the provider's word: True/False override the default of the category, None leaves it to the policy.
    `may_have_left` says whether the remote may hold the message although it was refused (an HTTP 503 came after the
    request was written): a success after such a retry counts as `maybeDoubled`. `summary` is redacted and short.
    `slow_keys` names the buckets that must wait `retry_after_s` for everybody; empty means the account's.
    `stop_run` ends the run (FAILED, rest UNSENT) although the category alone would not: a daily quota is used up.
    """

    verdict: Verdict
    category: Category | None = None
    code: str = ""
    retry: bool | None = None
    retry_after_s: float | None = None
    request_id: str = ""
    summary: str = ""
    may_have_left: bool = False
    slow_keys: tuple[str, ...] = ()
    stop_run: bool = False
    body: bytes | None = None
    """The captured answer, where the message asks for it; capped by the provider."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A rendered message as a person can read it; masked where a secret would stand."""

    headline: str
    """Where it goes: method and address, or the recipient."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """Named pieces in order of reading: headers, subject, text, html, body."""
    cost: int = 1
    size_bytes: int = 0
    warnings: tuple[str, ...] = ()
