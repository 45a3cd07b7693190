"""HTTP for a program that has no event loop of its own: one call after another, in the calling thread.

The guarded client does the work; here its loop is run, and what goes wrong becomes `StreamFailed`. What is allowed is
the policy's, and the one address that the caller was given by a person.
"""

from postroad.egress.calls.calls import Calls
from postroad.egress.calls.listening import Listening
from postroad.egress.calls.reply import Reply

__all__ = ["Calls", "Listening", "Reply"]
