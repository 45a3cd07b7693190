"""Security headers on every answer. A route that serves pages sets its own Content-Security-Policy, which is kept."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
_UNLESS_SAID = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)
_HSTS = (b"strict-transport-security", b"max-age=31536000")


class Guarded:
    def __init__(self, app: ASGIApp, *, is_secure: bool) -> None:
        self._app = app
        self._always = (*_ALWAYS, _HSTS) if is_secure else _ALWAYS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guard(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = message["headers"]
                names = {name for name, _ in said}
                message["headers"] = [*said, *self._always, *(pair for pair in _UNLESS_SAID if pair[0] not in names)]
            await send(message)

        await self._app(scope, receive, guard)
