"""A form body: names fixed by the configuration, values made by templates, percent-encoded by the form rules."""

from collections.abc import Mapping
from urllib.parse import quote_plus

from postroad.providerkit.templates.template import Fields, Template


class FormTemplate:
    """`application/x-www-form-urlencoded` bytes, UTF-8."""

    __slots__ = ("_pairs", "_static", "is_static", "names")

    def __init__(self, pairs: list[tuple[str, Template]]) -> None:
        self._pairs = pairs
        self.names = frozenset[str]().union(*(template.names for _, template in pairs))
        self.is_static = all(template.is_static for _, template in pairs)
        self._static = self._made({}) if self.is_static else b""

    def render(self, fields: Fields) -> bytes:
        """Raises RenderError with the field that is to blame."""
        return self._static if self.is_static else self._made(fields)

    def _made(self, fields: Fields) -> bytes:
        return "&".join([f"{name}={_encode(template.render(fields))}" for name, template in self._pairs]).encode()


def form(values: Mapping[str, str], where: str) -> FormTemplate:
    """A form whose field names are literal and whose values are text templates."""
    return FormTemplate([(_encode(name), Template(value, f"{where}.{name}")) for name, value in values.items()])


def _encode(value: str) -> str:
    return quote_plus(value)
