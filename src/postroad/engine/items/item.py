"""One recipient on its way. Fresh items carry no history; the first attempt that is to be repeated gives them one."""

from postroad.spi import Recipient, Rendered


class History:
    """What earlier attempts left behind. `deadline_ms` is in active time, which a pause stops."""

    __slots__ = ("category", "code", "deadline_ms", "first_at_ms", "in_doubt", "may_have_left")

    def __init__(self, first_at_ms: float, deadline_ms: float) -> None:
        self.first_at_ms = first_at_ms
        self.deadline_ms = deadline_ms
        self.may_have_left = False
        """The remote answered an attempt and may hold the message all the same."""
        self.in_doubt = False
        """An attempt had no answer and is repeated under an idempotency key."""
        self.category = ""
        self.code = ""


class Item:
    """`attempt` is the number of the attempt that runs or is to run next: 1 for the first.

    `rendered` is None while the item is parked: rendering again is cheaper than keeping 20,000 messages. `careful`
    items need a durable INTENT before they are sent.
    """

    __slots__ = ("attempt", "careful", "cost", "history", "keys", "recipient", "rendered", "sequence", "started_ms")

    def __init__(
        self, recipient: Recipient, rendered: Rendered | None, keys: tuple[str, ...], cost: int, careful: bool
    ) -> None:
        self.recipient = recipient
        self.sequence = recipient.sequence
        self.rendered = rendered
        self.keys = keys
        self.cost = cost
        self.careful = careful
        self.attempt = 1
        self.history: History | None = None
        self.started_ms = 0.0
