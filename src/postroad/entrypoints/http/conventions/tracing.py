"""The id that ties a request to its log lines, its events and its error: 32 hexadecimal digits.

A caller that traces already (W3C `traceparent`) keeps its id; otherwise one is made.
"""

import os
import re
from collections.abc import Iterable

from starlette.types import Scope

_TRACEPARENT = re.compile(rb"^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$")
_KEY = "postroad.trace_id"


def begin_trace(scope: Scope) -> str:
    """Gives the request its id."""
    scope[_KEY] = _given(scope["headers"]) or os.urandom(16).hex()
    return str(scope[_KEY])


def trace_of(scope: Scope) -> str:
    return str(scope.get(_KEY, ""))


def _given(headers: Iterable[tuple[bytes, bytes]]) -> str:
    for name, value in headers:
        if name == b"traceparent":
            found = _TRACEPARENT.match(value)
            return found[1].decode() if found and found[1].strip(b"0") else ""
    return ""
