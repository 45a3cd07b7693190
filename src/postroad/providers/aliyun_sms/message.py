"""An SMS by an approved template: compiled once, made once per row, counted in parts where the vendor's text is known.

Aliyun holds the text; we send its variables. `previewText`, a copy of that text, is only for counting and showing:
signature and text together, 70 characters in one part, 67 in each of several (providerkit/sms).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from postroad.providerkit import sms
from postroad.providerkit.templates import json_structure, text
from postroad.providers.aliyun_sms.config import PLACE
from postroad.providers.aliyun_sms.numbers import normalised
from postroad.spi import Preview, Price, Recipient, Rendered, RenderError

UNCOUNTED = "parts are not counted; copy the vendor's template text into previewText"


@dataclass(slots=True)
class Sms:
    """What one number gets. `params` is a JSON object of texts."""

    phone: str
    sign_name: str
    params: bytes
    shown: str
    """The text as it will read on the phone, or empty where the vendor's text is not known."""


class SmsMessage:
    """`postroad.spi.Renderer`. The content of a `Rendered` is an `Sms`; its cost is the number of parts."""

    def __init__(self, message: Mapping[str, Any], price: Price | None) -> None:
        """Raises TemplateInvalid."""
        self._phone = text(message["phone"], "phone")
        self._sign_name = text(message["signName"], "signName")
        self._params = json_structure(message.get("templateParam", {}), "templateParam")
        self._template_code: str = message["templateCode"]
        self._preview_text: str = message.get("previewText", "")
        self._batch_key = self._template_code if message.get("batch", False) else ""
        self._price = price

    def render(self, recipient: Recipient) -> Rendered:
        fields = recipient.fields
        try:
            phone = normalised(self._phone.render(fields))
        except ValueError as error:
            field = next(iter(sorted(self._phone.names)), "phone")
            raise RenderError(field, f"phone: the value {error}") from None
        sign_name = self._sign_name.render(fields)
        params = self._params.render(fields)
        shown = self._text(sign_name, params) if self._preview_text else ""
        return Rendered(
            Sms(phone, sign_name, params, shown),
            keys=(f"recipient:{phone}", f"sender:{sign_name}"),
            cost=sms.size(shown, sms.Alphabet.UCS2).parts,
            size_bytes=len(shown.encode()) if shown else len(params),
            warnings=() if shown else (UNCOUNTED,),
            batch_key=self._batch_key,
        )

    def preview(self, rendered: Rendered) -> Preview:
        content = rendered.content
        assert isinstance(content, Sms)
        parts = {"signature": content.sign_name, "template": self._template_code, "variables": content.params.decode()}
        if content.shown:
            parts |= {"text": content.shown, "parts": str(rendered.cost)}
            if self._price is not None:
                parts["price"] = f"{rendered.cost * self._price.per_part:.4f} {self._price.currency}"
        return Preview(f"SMS to {content.phone}", parts, rendered.cost, rendered.size_bytes, rendered.warnings)

    def _text(self, sign_name: str, params: bytes) -> str:
        values: dict[str, str] = orjson.loads(params)
        return f"【{sign_name}】" + PLACE.sub(lambda place: str(values[place[1]]), self._preview_text)
