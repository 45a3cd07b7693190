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
    AUTHORIZATION = "AUTHORIZATION"
    INVALID_REQUEST = "INVALID_REQUEST"
    RECIPIENT_INVALID = "RECIPIENT_INVALID"
    RATE_LIMITED = "RATE_LIMITED"
    TEMPORARY_REMOTE = "TEMPORARY_REMOTE"
    PERMANENT_REMOTE = "PERMANENT_REMOTE"
    NETWORK = "NETWORK"
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"
    INTERNAL = "INTERNAL"
    UNKNOWN = "UNKNOWN"


RUN_FATAL = frozenset({Category.AUTHENTICATION, Category.AUTHORIZATION})
"""The account, not the recipient, is wrong: the run stops fast and undispatched items are UNSENT."""

RETRIED_BY_DEFAULT = frozenset({Category.RATE_LIMITED, Category.TEMPORARY_REMOTE, Category.NETWORK})
"""Categories tried again unless the provider's answer says otherwise. Source: spec wepush §11.2."""
