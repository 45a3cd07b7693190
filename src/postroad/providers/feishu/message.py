"""The message of a robot: compiled once into JSON by structure, made once per row, refused where Feishu would refuse.

Size is judged here, on the encoded bytes with room for the signature, so that a dry run finds a message that is too
long before anything is sent; nothing is cut. A value of a row that would open a mention (`<at …>`) is refused too: in
a text or a card it would ping people the author never named, and Feishu has no escape for it.
"""

import json
from collections.abc import Mapping
from typing import Any

from postroad.providerkit.templates import json_structure
from postroad.providers.feishu.config import CONTENT_FIELDS
from postroad.spi import Preview, Recipient, Rendered, RenderError
from postroad.vocabulary.errors import TemplateInvalid
from postroad.vocabulary.values import RecipientValue

BODY_LIMIT_BYTES = 20 * 1024
SIGNATURE_BYTES = len(b'"timestamp":"1700000000","sign":"","') + 43
"""What `signed` adds to a body."""

_MENTION = "<at"
_PLACES = {
    "text": "body.content.text",
    "post": "body.content.post",
    "interactive": "body.card",
    "image": "body.content.image_key",
    "share_chat": "body.content.share_chat_id",
    "raw": "body",
}
"""Message type → where its field stands in the body, as the templates name it."""


class RobotMessage:
    """`postroad.spi.Renderer`. The content of a `Rendered` is the body, bytes that begin with `{`."""

    def __init__(self, message: Mapping[str, Any], *, is_signed: bool, where: str) -> None:
        """Raises TemplateInvalid. `where` is where it goes, as a preview shows it."""
        kind: str = message["type"]
        self._field = CONTENT_FIELDS[kind]
        self._place = _PLACES[kind]
        try:
            source = _body(message)
            self._body = json_structure(source, "body")
        except TemplateInvalid as error:
            raise TemplateInvalid(self._named(error.message), field=self._named(error.field)) from None
        self._names = tuple(sorted(self._body.names))
        written = json.dumps(source)
        self._mentions_written = written.lower().count(_MENTION)
        self._is_straight = "{%" not in written
        self._reads_any_field = "fields" in written
        self._limit = BODY_LIMIT_BYTES - (SIGNATURE_BYTES if is_signed else 0)
        self._where = where

    def render(self, recipient: Recipient) -> Rendered:
        try:
            body = self._body.render(recipient.fields)
        except RenderError as error:
            raise RenderError(self._named(error.field), self._named(error.message)) from None
        blamed = self._mentioning(body, recipient.fields)
        if blamed is not None:
            raise RenderError(
                blamed, f"the field {blamed!r} holds a mention ({_MENTION} …); write mentions into the message instead"
            )
        if len(body) > self._limit:
            raise RenderError(
                self._longest(recipient),
                f"the message has {len(body)} bytes and Feishu takes {self._limit}; it is never cut: shorten the text",
            )
        return Rendered(body, size_bytes=len(body))

    def preview(self, rendered: Rendered) -> Preview:
        body = rendered.content
        assert isinstance(body, bytes)
        message = json.loads(body)
        shown = json.dumps(message, ensure_ascii=False, indent=2)
        if self._field == "text":
            shown = message["content"]["text"]
        return Preview(
            f"Feishu robot at {self._where}",
            {"type": str(message["msg_type"]), "body": shown},
            size_bytes=rendered.size_bytes,
            warnings=rendered.warnings,
        )

    def _mentioning(self, body: bytes, fields: Mapping[str, RecipientValue]) -> str | None:
        """The field that brought a mention its author did not write; None where there is none.

        Usually one value holds it. Where a message is made straight (no loops or branches), more mentions than were
        written give away one that was put together from several values.
        """
        found = body.lower().count(_MENTION.encode())
        if not found:
            return None
        for name in fields if self._reads_any_field else self._names:
            value = fields.get(name)
            if isinstance(value, str) and _MENTION in value.lower():
                return name
        if self._is_straight and found > self._mentions_written:
            return next(iter(self._names), "")
        return None

    def _named(self, text: str) -> str:
        """A place in the vendor's body by the name it has in our configuration."""
        return self._field + text[len(self._place) :] if text.startswith(self._place) else text

    def _longest(self, recipient: Recipient) -> str:
        """The field to look at first: the one with the most text."""
        return max(self._names, key=lambda name: len(str(recipient.fields.get(name, ""))), default="")


def signed(body: bytes, timestamp_s: int, sign: str) -> bytes:
    """The body with the two fields of the signature in front. `body` is an object with at least one field."""
    return b'{"timestamp":"%d","sign":"%b",%b' % (timestamp_s, sign.encode(), body[1:])


def _body(message: Mapping[str, Any]) -> dict[str, Any]:
    kind: str = message["type"]
    match kind:
        case "raw":
            raw: dict[str, Any] = message["body"]
            return raw
        case "interactive":
            return {"msg_type": kind, "card": message["card"]}
        case "post":
            return {"msg_type": kind, "content": {"post": message["post"]}}
        case "image":
            return {"msg_type": kind, "content": {"image_key": message["imageKey"]}}
        case "share_chat":
            return {"msg_type": kind, "content": {"share_chat_id": message["shareChatId"]}}
    return {"msg_type": kind, "content": {"text": message["text"]}}
