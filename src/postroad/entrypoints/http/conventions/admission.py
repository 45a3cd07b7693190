"""Reads what a request shows of itself, and refuses what would be unsafe to accept.

Tokens come in `Authorization: Bearer pst_…` alone: a URL is written into logs and histories, so a token in a query is
refused, not ignored. People come with the cookie of their session. A browser sends cookies with requests that other
sites make, therefore a changing request that shows a cookie must prove that it comes from our own pages: by an `Origin`
that is ours, or by the header `X-Postroad-CSRF`, which no foreign page can add without a permission (CORS preflight)
that we do not give. `SameSite=Strict` on the cookie is the second wall.
"""

from urllib.parse import urlsplit

from starlette.requests import Request

from postroad.entrypoints.http.composition import HttpComposition, HttpSettings, Presented
from postroad.entrypoints.http.conventions.caller import CallerOf
from postroad.entrypoints.http.conventions.tracing import trace_of
from postroad.kernel.authz import ANONYMOUS
from postroad.vocabulary.refusals import AccessDenied, AuthenticationRequired
from postroad.vocabulary.secret import Secret

TOKEN_PREFIX = "pst_"  # noqa: S105  (entrypoints: the beginning of every token, no secret; until 2027-11-30)
CSRF_HEADER = "x-postroad-csrf"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
PLAIN_COOKIE, SECURE_COOKIE = "postroad_session", "__Host-postroad_session"


def session_cookie(settings: HttpSettings) -> str:
    """The name of the session's cookie. With TLS the browser itself sees to it that no other host can set it."""
    return SECURE_COOKIE if settings.is_secure else PLAIN_COOKIE


async def admit(request: Request, composition: HttpComposition, *, public: bool = False) -> CallerOf:
    """Who calls; anonymous when nothing is shown, and on a public route whatever is shown: who comes with the cookie
    of a session that is over must be able to sign in. Raises AuthenticationRequired, AccessDenied."""
    presented = presented_by(request, composition.http)
    address = request.client.host if request.client else ""
    if public or presented == Presented():
        composition.throttle(f"address:{address}")
        principal = ANONYMOUS
    else:
        principal = await composition.pool.run(lambda: composition.authenticate(presented))
        composition.throttle(principal.actor)
    return CallerOf(principal, trace_of(request.scope), address, presented, composition)


def presented_by(request: Request, settings: HttpSettings) -> Presented:
    """The token or the session a request shows. Raises AuthenticationRequired, AccessDenied."""
    _refuse_tokens_in_queries(request)
    header = request.headers.get("authorization")
    if header is not None:
        return Presented(token=_bearer(header))
    cookie = request.cookies.get(session_cookie(settings))
    if not cookie:
        return Presented()
    if request.method not in SAFE_METHODS:
        refuse_foreign_pages(request, settings)
    return Presented(session=Secret(cookie))


def refuse_foreign_pages(request: Request, settings: HttpSettings) -> None:
    """Raises AccessDenied unless the request comes from our own pages or from a program."""
    origin = request.headers.get("origin")
    if origin is not None:
        if _origin(origin) in (_origin(settings.public_base_url), _own_origin(request)):
            return
        raise AccessDenied(f"the request comes from the page of another site ({origin[:100]})")
    if CSRF_HEADER not in request.headers:
        raise AccessDenied("a changing request with a session cookie needs the header X-Postroad-CSRF: 1")


def _refuse_tokens_in_queries(request: Request) -> None:
    if TOKEN_PREFIX in request.url.query:
        raise AuthenticationRequired(
            "a token in a URL ends in logs and histories and is refused; send it in the header Authorization: Bearer, "
            "and revoke this one"
        )


def _bearer(header: str) -> Secret:
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip().startswith(TOKEN_PREFIX):
        raise AuthenticationRequired("the header Authorization must be `Bearer pst_…` with a token of this service")
    return Secret(token.strip())


def _own_origin(request: Request) -> str:
    return _origin(f"{request.url.scheme}://{request.headers.get('host', '')}")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
