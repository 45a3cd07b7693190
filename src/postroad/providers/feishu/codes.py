"""Feishu's codes and what they mean to us.

Feishu answers HTTP 200 to most refusals; the field `code` decides. Every code here is a definite refusal: the message
is not in the group. Sources: vendor guide of the custom robot; codes marked *recalled* are not on that page.
"""

from postroad.providerkit.answers import OutcomeTable, Ruling
from postroad.vocabulary.outcomes import Category

OK = 0
SIGNATURE_REFUSED = "19021"

_C = Category
_SLOW_DOWN = Ruling(_C.RATE_LIMITED, retry=True, retry_after_s=10.0)
"""The answer does not say which limit was met: 5 a second, 100 a minute, or the vendor's own load."""

CODES = OutcomeTable(
    {
        "0": Ruling(None),
        "9499": Ruling(_C.INVALID_REQUEST, retry=False),  # malformed, or above 20 KB
        "19001": Ruling(_C.AUTHENTICATION, retry=False),  # recalled: no such robot
        "19002": Ruling(_C.INVALID_REQUEST, retry=False),  # recalled: msg_type missing or unknown
        SIGNATURE_REFUSED: Ruling(_C.AUTHENTICATION, retry=False),
        "19022": Ruling(_C.AUTHORIZATION, retry=False),
        "19024": Ruling(_C.INVALID_REQUEST, retry=False),
        "11232": _SLOW_DOWN,
        "99991400": _SLOW_DOWN,  # the limit of the whole open platform
    },
    otherwise=Ruling(_C.PERMANENT_REMOTE, retry=False),
)

TOO_MANY_CALLS = _SLOW_DOWN

ADVICE = {
    "9499": "Feishu cannot read the body, or it is above 20 KB",
    "19001": "there is no robot at this address; copy it again from the group",
    "19002": "Feishu does not know this kind of message",
    SIGNATURE_REFUSED: "the signature is refused; check signSecret against the robot's page",
    "19022": "this machine's address is not on the robot's IP list",
    "19024": "the text has none of the keywords the robot asks for",
    "11232": "too many messages",
    "99991400": "too many calls",
}

HARMLESS_REFUSALS = frozenset({"9499", "19002", "19024", "11232", "99991400"})
"""Refusals of a check's empty message that come only after address and signature were found good."""
