"""The only way out of the process: address policy, the fast HTTP transport, checked streams, the guarded httpx client.

Everything a provider, a subscription or an assistant reaches goes through one `Egress`: the host is read strictly and
once, resolved once, every address is judged, the connection is made to a judged address under the right name, redirects
and proxies of the environment are not followed, time and bytes are bounded. No other HTTP client or socket may appear
elsewhere in the tree.
"""

from postroad.egress.faults import Fault, StreamFailed
from postroad.egress.policy import AddressPolicy
from postroad.egress.resolver import Resolver, SystemResolver
from postroad.egress.streams import Stream
from postroad.egress.tls import TlsOptions
from postroad.egress.transport import Answer, HttpTransport, RequestShape, Sent, Target, WireRequest
from postroad.egress.transport.request import encode_headers
from postroad.egress.url import Url, parse_url
from postroad.egress.way_out import Egress

__all__ = [
    "AddressPolicy",
    "Answer",
    "Egress",
    "Fault",
    "HttpTransport",
    "RequestShape",
    "Resolver",
    "Sent",
    "Stream",
    "StreamFailed",
    "SystemResolver",
    "Target",
    "TlsOptions",
    "Url",
    "WireRequest",
    "encode_headers",
    "parse_url",
]
