"""The fast HTTP/1.1 client: it knows what left the host.

`exchange` takes an idle connection that is provably alive, or opens one to a checked address, hands the whole request
to the socket in one write and waits for the answer. It never raises for what a remote can do: a failure is an `Answer`
with a `Fault`, and `sent` says how much of the request had left. One sweeper keeps all deadlines. No redirects, no
decompression, no cookies, no retries.
"""

from postroad.egress.transport.answer import Answer, Sent
from postroad.egress.transport.exchange import HttpTransport
from postroad.egress.transport.request import RequestShape, Target, WireRequest

__all__ = ["Answer", "HttpTransport", "RequestShape", "Sent", "Target", "WireRequest"]
