"""One message to one recipient, outside of any run: no journal, no counts, no retry."""

from postroad.flows.local_runs.ports import Surroundings
from postroad.flows.local_runs.preparing.checking import Checked
from postroad.flows.local_runs.views import TestSendResult
from postroad.spi import OpenContext, Recipient, RenderError, SendRequest
from postroad.vocabulary.errors import InvalidInput


class NeverCancelled:
    """A cancellation token for what nobody cancels."""

    is_cancelled = False


async def send_once(checked: Checked, recipient: Recipient, surroundings: Surroundings) -> TestSendResult:
    """Raises InvalidInput where the message cannot be made for this recipient."""
    factory = checked.factory
    renderer = factory.compile(checked.account, checked.message)
    try:
        rendered = renderer.render(recipient)
    except RenderError as error:
        raise InvalidInput(f"the message cannot be made: {error.message}", field=error.field) from error
    timeout = checked.job.policies.send_timeout_s or factory.descriptor.timeouts.send_s
    session = await factory.open(
        OpenContext(checked.account, checked.message, surroundings.secrets, surroundings.clock, NeverCancelled())
    )
    try:
        begun = surroundings.clock.monotonic()
        result = await session.send(SendRequest(0, 1, rendered, f"test-{surroundings.new_id()}", timeout))
        took = surroundings.clock.monotonic() - begun
    finally:
        await session.aclose()
    return TestSendResult(
        verdict=result.verdict,
        category=result.category,
        code=result.code,
        summary=result.summary,
        request_id=result.request_id,
        latency_ms=round(took * 1000),
        preview=renderer.preview(rendered),
        endpoints=checked.endpoints,
    )
