"""The pages for a browser: the way in, the first administrator, the live reference of the API.

Small files of our own, read once; nothing comes from elsewhere, so they work without the internet and under a policy
that allows scripts and styles of this origin only.
"""

import hashlib
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_PAGES = {"/": "landing.html", "/setup": "setup.html", "/password": "password.html", "/api/reference": "reference.html"}
_ASSETS = ("page.css", "words.js", "landing.js", "setup.js", "reference.js")
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


def routes() -> list[BaseRoute]:
    paths = {**_PAGES, **{f"/assets/{name}": name for name in _ASSETS}}
    return [_route(path, name) for path, name in paths.items()]


def _route(path: str, name: str) -> BaseRoute:
    content = (files("postroad.entrypoints.http") / "pages" / name).read_bytes()
    headers = {
        "content-security-policy": _POLICY,
        "cache-control": "no-cache",
        "etag": f'"{hashlib.sha256(content).hexdigest()[:16]}"',
    }
    media_type = _TYPES[name.rpartition(".")[2]]

    async def page(request: Request) -> Response:
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=media_type)

    return Route(path, page)
