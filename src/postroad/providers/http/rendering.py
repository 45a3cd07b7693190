"""One message compiled: from a row to a path, the headers that change, and a body.

What no row can change is made once: a static path, a static header block, a static body. The session adds the rest of
the head (method, host, fixed headers, authentication), also made once.
"""

from collections.abc import Callable
from urllib.parse import quote

from postroad.egress import encode_headers
from postroad.providerkit import templates
from postroad.providerkit.templates import Template
from postroad.providerkit.templates.source import segments
from postroad.providerkit.templates.template import Fields
from postroad.providers.http.auth import shown_headers
from postroad.providers.http.config import Account, Headers, Message
from postroad.spi import Preview, Recipient, Rendered, RenderError

_CONTENT_TYPES = {
    "JSON": "application/json",
    "FORM": "application/x-www-form-urlencoded",
    "TEXT": "text/plain; charset=utf-8",
}


class Wire:
    """The private content of a rendered message: what one request has of its own."""

    __slots__ = ("body", "extra", "path")

    def __init__(self, path: bytes, extra: bytes, body: bytes) -> None:
        self.path = path
        self.extra = extra
        self.body = body


class HttpRenderer:
    """Raises TemplateInvalid, naming the field of the message. Pure; holds no secret."""

    def __init__(self, account: Account, message: Message) -> None:
        self._message = message
        self._where = f"{message.method} {account.base.scheme}://{account.target.authority}"
        self.fixed_headers, changing = split_headers(account, message)
        self._auth_shown = shown_headers(account.auth)
        self._idempotency = account.idempotency_header
        self._headers = [(name, templates.header(value, f"headers.{name}")) for name, value in changing]
        self._path = _path_maker(account.base_path, message)
        self._body = _body_maker(message)
        self._max_body_bytes = message.max_body_bytes

    def render(self, recipient: Recipient) -> Rendered:
        fields = recipient.fields
        body = self._body(fields)
        if self._max_body_bytes and len(body) > self._max_body_bytes:
            raise RenderError(
                "bodyTemplate", f"the body has {len(body)} bytes; maxBodyBytes allows {self._max_body_bytes}"
            )
        extra = self._extra(fields) if self._headers else b""
        return Rendered(Wire(self._path(fields), extra, body), (), 1, len(body))

    def preview(self, rendered: Rendered) -> Preview:
        wire = rendered.content
        assert isinstance(wire, Wire)
        lines = [f"{name}: {value}" for name, value in [*self.fixed_headers, *self._auth_shown]]
        if self._idempotency:
            lines.append(f"{self._idempotency}: (key of the recipient)")
        lines += wire.extra.decode().splitlines()
        parts = {"headers": "\n".join(lines)} if lines else {}
        if self._message.body_type != "NONE":
            parts["body"] = wire.body.decode()
        headline = self._where + wire.path.decode()
        return Preview(headline, parts or {"path": wire.path.decode()}, 1, rendered.size_bytes, rendered.warnings)

    def _extra(self, fields: Fields) -> bytes:
        return encode_headers([(name, template.render(fields)) for name, template in self._headers])


def split_headers(account: Account, message: Message) -> tuple[Headers, Headers]:
    """Headers that never change, and those with templates. The message wins over the account's defaults."""
    merged = {name.lower(): (name, value) for name, value in account.default_headers}
    own = {name.lower(): (name, value) for name, value in message.headers}
    merged |= own
    if message.body_type != "NONE":
        merged.setdefault("content-type", ("Content-Type", _CONTENT_TYPES[message.body_type]))
    changing = tuple(pair for key, pair in own.items() if not Template(pair[1], f"headers.{pair[0]}").is_static)
    return tuple(pair for pair in merged.values() if pair not in changing), changing


def _body_maker(message: Message) -> Callable[[Fields], bytes]:
    if message.body_type == "NONE":
        return lambda _fields: b""
    if message.body_type == "JSON":
        return templates.json_structure(message.body, "bodyTemplate").render
    if message.body_type == "FORM":
        assert isinstance(message.body, dict)
        return templates.form(message.body, "bodyTemplate").render
    template = templates.text(str(message.body), "bodyTemplate")
    return lambda fields: template.render(fields).encode()


def _path_maker(base_path: str, message: Message) -> Callable[[Fields], bytes]:
    """Path and query in one. Where all of it is text and `{{ field }}`, it is one template."""
    path = templates.url_path(base_path + message.path, "path")
    queries = [(quote(name, safe=""), value, f"query.{name}") for name, value in message.query.items()]
    start = "&" if "?" in message.path else "?"
    joined = _simple_query(queries)
    if joined is not None:
        whole = templates.url_path(path.source + (start + joined if joined else ""), "path")
        if whole.is_static:
            fixed = whole.source.encode()
            return lambda _fields: fixed
        return lambda fields: whole.render(fields).encode()
    pairs = [(name, templates.text(value, where)) for name, value, where in queries]

    def made(fields: Fields) -> bytes:
        query = "&".join([f"{name}={quote(template.render(fields), safe='')}" for name, template in pairs])
        return (path.render(fields) + start + query).encode()

    return made


def _simple_query(queries: list[tuple[str, str, str]]) -> str | None:
    """The query as the source of a `url_path` template; None where a value needs more than `{{ field }}`."""
    shown: list[str] = []
    for name, value, _ in queries:
        pieces = segments(value)
        if pieces is None:
            return None
        text = quote(pieces.literals[0], safe="")
        for field, literal in zip(pieces.names, pieces.literals[1:], strict=True):
            text += "{{ " + field + " }}" + quote(literal, safe="")
        shown.append(f"{name}={text}")
    return "&".join(shown)
