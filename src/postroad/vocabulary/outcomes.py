"""What can become of an item, and why. The five outcomes of a run always add up to its total."""

from enum import StrEnum


class Outcome(StrEnum):
    """Final state of an item."""

    SUCCEEDED = "SUCCEEDED"
    """The remote said yes."""
    FAILED = "FAILED"
    """The remote, or our own check, said no, and nothing will be tried again."""
    UNKNOWN = "UNKNOWN"
    """The message may have left and nobody told us what became of it. Never sent again without a person's word."""
    UNSENT = "UNSENT"
    """The run ended before the message could leave."""
    SKIPPED = "SKIPPED"
    """Suppressed, or left out by policy, when its turn came."""


class Category(StrEnum):
    """Why a send did not succeed. Source: spec wepush §11.1."""

    AUTHENTICATION = "AUTHENTICATION"
    """The remote does not know who we are: a wrong password, key or signature."""
    AUTHORIZATION = "AUTHORIZATION"
    """The remote knows us and does not let us: the account lacks a right, or is blocked."""
    INVALID_REQUEST = "INVALID_REQUEST"
    """The remote, or our own check, cannot use this message as it is."""
    RECIPIENT_INVALID = "RECIPIENT_INVALID"
    """There is no such recipient, or it takes no messages."""
    RATE_LIMITED = "RATE_LIMITED"
    """Too much at once; the remote may say how long to wait."""
    TEMPORARY_REMOTE = "TEMPORARY_REMOTE"
    """The remote cannot just now, and says so."""
    PERMANENT_REMOTE = "PERMANENT_REMOTE"
    """The remote says no, and asking again would not help."""
    NETWORK = "NETWORK"
    """The line did not come about, or it broke."""
    TIMEOUT = "TIMEOUT"
    """No answer came in the time of an attempt."""
    CANCELLED = "CANCELLED"
    """The run was cancelled before the message could leave."""
    INTERNAL = "INTERNAL"
    """A fault of the program or of a provider; please report it."""
    UNKNOWN = "UNKNOWN"
    """The remote said something that no table explains."""


RUN_FATAL = frozenset({Category.AUTHENTICATION, Category.AUTHORIZATION})
"""The account, not the recipient, is wrong: the run stops fast and undispatched items are UNSENT."""

RETRIED_BY_DEFAULT = frozenset({Category.RATE_LIMITED, Category.TEMPORARY_REMOTE, Category.NETWORK})
"""Categories tried again unless the provider's answer says otherwise. Source: spec wepush §11.2."""
