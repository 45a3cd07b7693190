"""From a message configuration to letters: compiled once per run, filled in once per recipient.

What no row can change is encoded at compile time: static headers, static parts, fixed attachments, the boundaries.
What is left per row is a list of small makers, run in order. Addresses are parsed after the template was filled, so a
value can change an address but never add one.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from postroad.providerkit import templates
from postroad.providerkit.templates import Template
from postroad.providers.smtp.mail import mime
from postroad.providers.smtp.mail.addresses import AddressInvalid, Mailbox, mailbox
from postroad.providers.smtp.mail.attachments import AttachedFile, AttachmentFolder, FileUnusable, media_type
from postroad.providers.smtp.mail.letter import STAMP_BYTES, Letter
from postroad.spi import Preview, Recipient, Rendered, RenderError
from postroad.vocabulary.errors import ConfigInvalid
from postroad.vocabulary.values import RecipientValue

Fields = Mapping[str, RecipientValue]
Maker = Callable[[Fields], bytes]
Piece = bytes | Maker
_File = Callable[[Fields], tuple[bytes, bytes | AttachedFile] | None]
"""Headers and content of an attachment for a row; None where the row has none."""

OWN_HEADERS = frozenset(
    {
        *("from", "to", "cc", "bcc", "reply-to", "sender", "subject", "date", "message-id", "mime-version"),
        *("received", "return-path", "list-unsubscribe", "list-unsubscribe-post", "auto-submitted"),
    }
)
"""Made by us or by the servers on the way; `headers` may not hold them, nor anything that starts with Content-."""

_URL = re.compile(r"[!-;=?-~]+")
_URL_LENGTH = 900
_HEADER_LENGTH = 4000


class LetterRenderer:
    """Compiles on construction. Raises TemplateInvalid or ConfigInvalid, naming the field."""

    def __init__(self, message: Mapping[str, Any], default_sender: str, folder: AttachmentFolder) -> None:
        self._max_bytes: int = message.get("maxBytes", 26_214_400)
        self._folder = folder
        self._from = _Address(message.get("from") or default_sender, "from")
        if not self._from.source:
            raise ConfigInvalid(
                "from: neither the message nor the account names a sender; give one of them", field="from"
            )
        self._to = _Address(message.get("to", "{{ email }}"), "to")
        self._cc = [_Address(source, f"cc[{at}]") for at, source in enumerate(message.get("cc", ()))]
        self._bcc = [_Address(source, f"bcc[{at}]") for at, source in enumerate(message.get("bcc", ()))]
        self._reply_to = _Address(message.get("replyTo", ""), "replyTo")
        self._envelope_from = _Address(message.get("envelopeFrom", ""), "envelopeFrom")
        self._headers = self._compile_headers(message)
        self._boundary = "=_" + hashlib.blake2b(repr(sorted(message.items())).encode(), digest_size=12).hexdigest()
        self._body = self._compile_body(message)
        self._files = [self._compile_file(at, given) for at, given in enumerate(message.get("attachments", ()))]

    def render(self, recipient: Recipient) -> Rendered:
        fields = recipient.fields
        sender, to = self._from.make(fields), self._to.make(fields)
        cc, bcc = self._all(self._cc, fields), self._all(self._bcc, fields)
        reply_to = self._reply_to.make_optional(fields)
        envelope_from = self._envelope_from.make_optional(fields) or sender
        head = [mime.mailbox_header("From", [sender]), mime.mailbox_header("To", [to])]
        head += [mime.mailbox_header("Cc", cc)] if cc else []
        head += [mime.mailbox_header("Reply-To", [reply_to])] if reply_to else []
        head += _filled(self._headers, fields)
        pieces = self._join(head, _filled(self._body, fields), self._attached(fields))
        size = STAMP_BYTES + sum(p.encoded_size if isinstance(p, AttachedFile) else len(p) for p in pieces)
        if size > self._max_bytes:
            raise RenderError("maxBytes", f"the mail has {size} bytes; maxBytes allows {self._max_bytes}")
        letter = Letter(sender, envelope_from, to, (*cc, *bcc), pieces, size)
        return Rendered(letter, keys=(f"domain:{to.domain}",), size_bytes=size)

    def preview(self, rendered: Rendered) -> Preview:
        letter = rendered.content
        assert isinstance(letter, Letter)
        return letter.preview(rendered.warnings)

    def _all(self, addresses: "list[_Address]", fields: Fields) -> list[Mailbox]:
        made = (address.make_optional(fields) for address in addresses)
        return [box for box in made if box is not None]

    def _compile_headers(self, message: Mapping[str, Any]) -> list[Piece]:
        made = [_text_header("Subject", message["subject"], "subject")]
        for name, source in message.get("headers", {}).items():
            if name.lower() in OWN_HEADERS or name.lower().startswith("content-"):
                raise ConfigInvalid(f"headers.{name}: this header is made by us; take it out", field=f"headers.{name}")
            made.append(_text_header(name, source, f"headers.{name}"))
        made += _unsubscribe_headers(message.get("unsubscribe", {}))
        if message.get("autoSubmitted", True):
            made.append(mime.verbatim_header("Auto-Submitted", "auto-generated"))
        return [*made, mime.verbatim_header("MIME-Version", "1.0")]

    def _compile_body(self, message: Mapping[str, Any]) -> list[Piece]:
        """The text, the HTML, or both as alternatives, with their headers."""
        parts = []
        if "text" in message:
            parts.append(_text_part(templates.text(message["text"], "text"), "plain"))
        if "html" in message:
            parts.append(_text_part(templates.html(message["html"], "html"), "html"))
        if len(parts) == 1:
            return parts
        inner = self._boundary + "_a"
        opened = mime.opening(inner)
        head = mime.multipart_head("alternative", inner)
        return [head + opened, parts[0], opened, parts[1], mime.closing(inner)]

    def _compile_file(self, at: int, given: Mapping[str, Any]) -> _File:
        where = f"attachments[{at}]"
        path = templates.text(given["path"], f"{where}.path")
        name = templates.header(given["name"], f"{where}.name") if "name" in given else None
        optional, content_type = given.get("optional", False), given.get("contentType", "")
        fixed: bytes | None = None
        if path.is_static:
            try:
                fixed = mime.base64_lines(self._folder.read(path.source, self._max_bytes))
            except FileUnusable as unusable:
                raise ConfigInvalid(f"{where}.path: {unusable}", field=f"{where}.path") from None

        def make(fields: Fields) -> tuple[bytes, bytes | AttachedFile] | None:
            source = path.render(fields)
            if optional and not source:
                return None
            try:
                content = fixed if fixed is not None else self._folder.find(source)
            except FileUnusable as unusable:
                raise RenderError(_blamed(path, fields), f"{where}.path: {unusable}") from None
            shown = (name.render(fields) if name else "") or source.replace("\\", "/").rpartition("/")[2]
            return mime.attachment_head(shown, content_type or media_type(shown)), content

        return make

    def _attached(self, fields: Fields) -> list[tuple[bytes, bytes | AttachedFile]]:
        return [made for file in self._files if (made := file(fields)) is not None]

    def _join(
        self, head: list[bytes], body: list[bytes], files: list[tuple[bytes, bytes | AttachedFile]]
    ) -> tuple[bytes | AttachedFile, ...]:
        """Bytes up to the first large piece, that piece, bytes up to the next. Base64 needs no dot-stuffing."""
        if not files:
            return (mime.dot_stuffed(b"".join(head + body)),)
        opened = mime.opening(self._boundary)
        pieces: list[bytes | AttachedFile] = []
        waiting = [*head, mime.multipart_head("mixed", self._boundary), opened, *body]
        for file_head, content in files:
            waiting += [opened, file_head]
            pieces += [mime.dot_stuffed(b"".join(waiting)), content]
            waiting = []
        return (*pieces, mime.closing(self._boundary))


class _Address:
    """A template that makes one mailbox. A static one is parsed once."""

    def __init__(self, source: str, where: str) -> None:
        self.source = source
        self._template = templates.header(source, where)
        self._fixed: Mailbox | None = None
        if source and self._template.is_static:
            try:
                self._fixed = mailbox(source)
            except AddressInvalid as invalid:
                raise ConfigInvalid(f"{where}: {invalid}", field=where) from None

    def make(self, fields: Fields) -> Mailbox:
        return self._fixed or self._parse(self._template.render(fields), fields)

    def make_optional(self, fields: Fields) -> Mailbox | None:
        """None where the template comes out empty."""
        if self._fixed is not None or not self.source:
            return self._fixed
        made = self._template.render(fields)
        return self._parse(made, fields) if made.strip() else None

    def _parse(self, made: str, fields: Fields) -> Mailbox:
        try:
            return mailbox(made)
        except AddressInvalid as invalid:
            raise RenderError(_blamed(self._template, fields), f"{self._template.where}: {invalid}") from None


def _blamed(template: Template, fields: Fields) -> str:
    """The field that most likely holds the fault: the only one, or the one with an address in it."""
    names = sorted(template.names)
    if len(names) != 1:
        names = [name for name in names if "@" in str(fields.get(name, ""))] or [template.where]
    return names[0]


def _filled(pieces: list[Piece], fields: Fields) -> list[bytes]:
    return [piece if isinstance(piece, bytes) else piece(fields) for piece in pieces]


def _once_if_static(template: Template, make: Callable[[str], bytes]) -> Piece:
    if template.is_static:
        return make(template.render({}))
    return lambda fields: make(template.render(fields))


def _text_header(name: str, source: str, where: str) -> Piece:
    template = templates.header(source, where)
    if template.is_static and any(sign in source for sign in "\r\n\0"):
        raise ConfigInvalid(f"{where}: it holds a line break or a NUL; a header is one line", field=where)
    if template.is_static:
        return mime.text_header(name, source.strip())

    def make(fields: Fields) -> bytes:
        value = template.render(fields).strip()
        if len(value) > _HEADER_LENGTH:
            wrong = f"{where}: the result has {len(value)} characters; a header may have {_HEADER_LENGTH}"
            raise RenderError(_blamed(template, fields), wrong)
        return mime.text_header(name, value)

    return make


def _text_part(template: Template, subtype: str) -> Piece:
    return _once_if_static(template, lambda value: mime.text_part(value, subtype))


def _unsubscribe_headers(given: Mapping[str, Any]) -> list[Piece]:
    """List-Unsubscribe (RFC 2369) and its one-click companion (RFC 8058), which needs an https URL of the row's own."""
    places = [templates.url_query(given[name], f"unsubscribe.{name}") for name in ("url", "mailto") if name in given]
    if not places:
        return []
    one_click = "url" in given and given.get("oneClick", True)
    if one_click and places[0].is_static:
        raise ConfigInvalid(
            "unsubscribe.url: one-click needs a URL that says who unsubscribes; put a field into it, such as "
            "{{ token }}, or set oneClick to false",
            field="unsubscribe.url",
        )

    def make(fields: Fields) -> bytes:
        made = [place.render(fields) for place in places]
        for place, url in zip(places, made, strict=True):
            if not _URL.fullmatch(url) or len(url) > _URL_LENGTH:
                wrong = f"{place.where}: the result is no URL of plain ASCII under {_URL_LENGTH} characters"
                raise RenderError(_blamed(place, fields), wrong)
        return mime.verbatim_header("List-Unsubscribe", ",\r\n ".join(f"<{url}>" for url in made))

    headers: list[Piece] = [make]
    if one_click:
        headers.append(mime.verbatim_header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
    return headers
