"""How many messages a text becomes on a phone, what that costs, and how it is cut and encoded.

A text that fits the GSM 03.38 alphabet takes septets: 160 in one message, 153 in each part of a longer one; a character
of the extension table takes two and is never cut apart. Any other text is UCS-2, in UTF-16BE units: 70 and 67; a
surrogate pair (an emoji) takes two and is never cut apart. Mainland China counts every text by 70 and 67 characters
whatever its alphabet: ask with `Alphabet.UCS2`. Sources: 3GPP TS 23.038 §6.2.1, TS 23.040 §9.2.3.24.1.
"""

from dataclasses import dataclass
from enum import StrEnum

ESCAPE = 0x1B

_BASIC = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_EXTENSION = {
    "\f": 0x0A, "^": 0x14, "{": 0x28, "}": 0x29, "\\": 0x2F, "[": 0x3C, "~": 0x3D, "]": 0x3E, "|": 0x40, "€": 0x65,
}  # fmt: skip
_SEPTET = {character: bytes([code]) for code, character in enumerate(_BASIC) if code != ESCAPE}
_SEPTET |= {character: bytes([ESCAPE, code]) for character, code in _EXTENSION.items()}


class Alphabet(StrEnum):
    GSM7 = "GSM7"
    UCS2 = "UCS2"


SINGLE = {Alphabet.GSM7: 160, Alphabet.UCS2: 70}
PART = {Alphabet.GSM7: 153, Alphabet.UCS2: 67}


@dataclass(frozen=True, slots=True)
class SmsSize:
    """`units` are septets or UTF-16 units; `parts` is what the sender pays for and what a rate budget takes."""

    alphabet: Alphabet
    units: int
    parts: int

    def price(self, per_part: float) -> float:
        return self.parts * per_part


def alphabet_of(text: str) -> Alphabet:
    return Alphabet.GSM7 if all(character in _SEPTET for character in text) else Alphabet.UCS2


def size(text: str, alphabet: Alphabet | None = None) -> SmsSize:
    """Counts a text; an empty one is one part. `alphabet` forces the count, None finds the cheapest that fits."""
    chosen = alphabet or alphabet_of(text)
    units = sum(_widths(text, chosen))
    return SmsSize(chosen, units, 1 if units <= SINGLE[chosen] else len(split(text, chosen)))


def split(text: str, alphabet: Alphabet | None = None) -> list[str]:
    """The texts of the parts, in order; one where it fits whole. Room for the header of a part is left."""
    chosen = alphabet or alphabet_of(text)
    widths = _widths(text, chosen)
    if sum(widths) <= SINGLE[chosen]:
        return [text]
    parts: list[str] = []
    start = used = 0
    for position, width in enumerate(widths):
        if used + width > PART[chosen]:
            parts.append(text[start:position])
            start, used = position, 0
        used += width
    return [*parts, text[start:]]


def encode(text: str, alphabet: Alphabet) -> bytes:
    """One septet per octet for GSM7, UTF-16BE for UCS2. Raises ValueError naming a character that does not fit."""
    if alphabet is Alphabet.UCS2:
        return text.encode("utf-16-be")
    try:
        return b"".join([_SEPTET[character] for character in text])
    except KeyError as error:
        raise ValueError(f"the character {error.args[0]!r} is not in the GSM 03.38 alphabet") from None


def _widths(text: str, alphabet: Alphabet) -> list[int]:
    if alphabet is Alphabet.UCS2:
        return [1 if character <= "\uffff" else 2 for character in text]
    return [len(_SEPTET.get(character, b"?")) for character in text]
