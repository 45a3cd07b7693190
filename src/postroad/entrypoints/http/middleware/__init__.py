"""What every request passes before it meets a route: plain ASGI, outermost first.

`Watched` gives the trace id, writes the access log and catches what nobody foresaw; `Guarded` adds the security
headers; `OwnHosts` refuses names that are not ours (DNS rebinding); CORS is Starlette's own.
"""

from postroad.entrypoints.http.middleware.guarded import Guarded
from postroad.entrypoints.http.middleware.hosts import OwnHosts
from postroad.entrypoints.http.middleware.watched import Watched

__all__ = ["Guarded", "OwnHosts", "Watched"]
