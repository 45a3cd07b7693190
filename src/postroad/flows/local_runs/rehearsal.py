"""Looking at messages before they leave: the whole audience rendered, single previews, one real test."""

from collections.abc import Callable, Mapping, Sequence

from postroad.flows.local_runs.orders import SendOrder
from postroad.flows.local_runs.ports import Surroundings
from postroad.flows.local_runs.views import DryRunReport, ItemPreview, PreparedSend, TestSendResult
from postroad.vocabulary.values import RecipientValue


def dry_run(
    prepared: PreparedSend, surroundings: Surroundings, progressed: Callable[[int], None] | None = None
) -> DryRunReport:
    """Renders every recipient in flat memory. `progressed` hears how many are done, now and then."""
    raise NotImplementedError


def preview_message(
    prepared: PreparedSend, surroundings: Surroundings, rows: Sequence[int] = (), limit: int = 3
) -> list[ItemPreview]:
    """The message as the recipients of `rows` would get it, or the first `limit` of the audience."""
    raise NotImplementedError


def test_send(order: SendOrder, surroundings: Surroundings, fields: Mapping[str, RecipientValue]) -> TestSendResult:
    """Sends one real message: to the first recipient with `fields` laid over, or to `fields` alone without audience.

    It blocks for at most the send timeout. Nothing is kept.
    """
    raise NotImplementedError
