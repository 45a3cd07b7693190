"""Messages on the wire."""

from typing import Any

from pydantic import Field

from postroad.entrypoints.http.conventions import Asked, Instant, PageShown, Shown, stamp
from postroad.kernel.pages import Page
from postroad.modules.messages import Difference, Message, MessageList, MessageResult, MessageView, Revision

MOST_REVISIONS = 2**31 - 1
"""No database holds a higher number."""


class RevisionHead(Shown):
    """A revision without its content."""

    revision: int
    schema_version: str
    content_hash: str
    """SHA-256 over provider, schema version and content."""
    created_by: str
    created_at: Instant = stamp("created_at_ms")


class RevisionShown(RevisionHead):
    message_id: str
    provider_id: str
    content: dict[str, Any]


class RevisionPage(Shown):
    items: list[RevisionHead]
    page: PageShown


class MessageHead(Shown):
    """A message without its content."""

    id: str
    workspace_id: str
    provider_id: str
    name: str
    status: str
    current_revision: int
    version: int
    created_at: Instant = stamp("created_at_ms")
    updated_at: Instant = stamp("updated_at_ms")


class MessageShown(MessageHead):
    content: dict[str, Any]
    """Of the current revision."""
    content_hash: str


class MessageKept(MessageShown):
    """A message after a request, and what that came to: CREATED; REVISED: a new revision; RENAMED: the content is the
    same, so there is none; UNCHANGED: nothing differs, and the version is the old one."""

    outcome: str


class MessagePage(Shown):
    items: list[MessageHead]
    page: PageShown
    counters: dict[str, int]
    """Status → how many fit the other filters."""


class ChangeShown(Shown):
    """One place that differs. `before` is null where it was added, `after` where it was removed."""

    path: str
    kind: str
    before: Any
    after: Any


class DifferenceShown(Shown):
    before: RevisionHead
    after: RevisionHead
    changes: list[ChangeShown]
    """At most 500, in the order of paths."""


class MessageMade(Asked):
    provider_id: str = Field(max_length=40)
    name: str = Field(max_length=500)
    content: dict[str, Any]
    """As the provider's message schema wants it."""
    account_id: str | None = Field(default=None, max_length=128)
    """Checks the content with this account; without one the example of the provider's schema stands in."""


class MessageChanged(Asked):
    """What is not given stays as it is; `content` is replaced as a whole."""

    name: str | None = Field(default=None, max_length=500)
    content: dict[str, Any] | None = None
    account_id: str | None = Field(default=None, max_length=128)


class MessageCopied(Asked):
    name: str | None = Field(default=None, max_length=500)
    """None takes the first free of `… (copy)`, `… (copy 2)`."""
    revision: int | None = Field(default=None, ge=1, le=MOST_REVISIONS)
    """None takes the current one."""


def shown_message(view: MessageView) -> MessageShown:
    return MessageShown.of(_whole(view.message, view.revision))


def shown_result(result: MessageResult) -> MessageKept:
    return MessageKept.of(_whole(result.message, result.revision) | {"outcome": result.outcome.value})


def shown_page(found: MessageList) -> MessagePage:
    return MessagePage(
        items=[MessageHead.of(one) for one in found.page.items],
        page=PageShown.of(found.page),
        counters=found.counters,
    )


def shown_revisions(found: Page[Revision]) -> RevisionPage:
    return RevisionPage(items=[RevisionHead.of(one) for one in found.items], page=PageShown.of(found))


def shown_difference(found: Difference) -> DifferenceShown:
    return DifferenceShown.of(found)


def _whole(message: Message, revision: Revision) -> dict[str, object]:
    names = ("id", "workspace_id", "provider_id", "name", "status", "current_revision", "version")
    times = ("created_at_ms", "updated_at_ms")
    content = {"content": revision.content, "content_hash": revision.content_hash}
    return {name: getattr(message, name) for name in (*names, *times)} | content
