"""SMS sizes, parts and encodings, against golden values of two independent clients (`vectors/sms.json`)."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.providerkit.sms import Alphabet, SmsSize, encode, size, split

VECTORS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "providers" / "vectors" / "sms.json").read_text("utf-8")
)


def test_gsm_text_is_encoded_as_published() -> None:
    found = VECTORS["gsm0338-unpacked"]
    made = encode(found["inputs"]["text"], Alphabet.GSM7)
    assert made.hex() == found["expected"]["hex"]
    assert size(found["inputs"]["text"]) == SmsSize(Alphabet.GSM7, found["expected"]["octets"], 1)


@pytest.mark.parametrize("name", ["split-gsm7-160", "split-gsm7-161", "split-ucs2-70", "split-ucs2-71"])
def test_long_texts_are_cut_as_published(name: str) -> None:
    found = VECTORS[name]
    character, _, count = found["inputs"]["text"].partition(" x ")
    text = character.strip("'") * int(count)
    parts = [encode(part, size(text).alphabet) for part in split(text)]
    header = 6 if len(parts) > 1 else 0
    assert [len(part) + header for part in parts] == found["expected"]["part_octets"]
    shown = [bytes.fromhex(first)[header:] for first in found["expected"]["first_8_hex"]]
    assert all(part.startswith(begin) for part, begin in zip(parts, shown, strict=True))


def test_regression_a_long_text_is_priced_by_its_parts() -> None:
    """Fault report 43: a long SMS was counted as one."""
    assert size("a" * 161).parts == 2
    assert size("a" * 306).parts == 2
    assert size("a" * 307).parts == 3
    assert size("中" * 71).price(0.05) == pytest.approx(0.10)


def test_regression_an_extension_character_is_not_cut_apart() -> None:
    """Fault report 44: `[` and `{` lost their escape at the end of a part."""
    text = "a" * 152 + "{" + "b" * 20
    assert size(text) == SmsSize(Alphabet.GSM7, 174, 2)
    assert split(text) == ["a" * 152, "{" + "b" * 20]
    assert encode("{[", Alphabet.GSM7) == bytes([0x1B, 0x28, 0x1B, 0x3C])


def test_regression_an_emoji_is_not_cut_apart() -> None:
    """Fault report 44: surrogate pairs were split between parts."""
    text = "中" * 66 + "😀" + "文" * 10
    assert size(text) == SmsSize(Alphabet.UCS2, 78, 2)
    assert split(text) == ["中" * 66, "😀" + "文" * 10]


def test_regression_ucs2_is_big_endian() -> None:
    """Fault report 44: part 2 arrived as rubbish."""
    assert encode("中", Alphabet.UCS2) == b"\x4e\x2d"
    assert encode("😀", Alphabet.UCS2) == b"\xd8\x3d\xde\x00"


def test_one_character_outside_the_alphabet_makes_all_of_it_ucs2() -> None:
    assert size("a" * 69 + "ç") == SmsSize(Alphabet.UCS2, 70, 1)
    assert size("a" * 70 + "ç") == SmsSize(Alphabet.UCS2, 71, 2)


def test_a_caller_can_count_every_text_by_characters() -> None:
    assert size("a" * 71, Alphabet.UCS2).parts == 2
    assert size("", Alphabet.UCS2).parts == 1


def test_a_character_that_does_not_fit_is_named() -> None:
    with pytest.raises(ValueError, match="中"):
        encode("a中", Alphabet.GSM7)


@given(st.text(alphabet=st.sampled_from("aZ é{[€😀中\n"), max_size=400))
def test_the_parts_join_to_the_text_and_each_fits(text: str) -> None:
    found = size(text)
    parts = split(text)
    assert "".join(parts) == text
    assert len(parts) == found.parts
    unit = 1 if found.alphabet is Alphabet.GSM7 else 2
    limit = {Alphabet.GSM7: (160, 153), Alphabet.UCS2: (70, 67)}[found.alphabet][len(parts) > 1]
    assert all(len(encode(part, found.alphabet)) // unit <= limit for part in parts)
