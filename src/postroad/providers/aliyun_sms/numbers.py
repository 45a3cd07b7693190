"""Phone numbers as Aliyun takes them: eleven digits in mainland China, country code and number elsewhere.

A mainland number may come with `+86`, `0086` or `86`; spaces, dashes, dots, brackets and the invisible marks that come
with copied numbers are taken out. A foreign number must say so with `+` or `00`. Aliyun takes it without the plus, so a
foreign number whose digits look like a mainland one (some of country code 1 do) would reach a stranger in China: it is
refused. Source: vendor page of SendSms, PhoneNumbers.
"""

import re

_PUNCTUATION = re.compile(r"[\s\-\u2010-\u2015.()\uff08\uff09\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")
_MAINLAND = re.compile(r"(?:\+86|0086|86)?(1[3-9][0-9]{9})", re.ASCII)
_ABROAD = re.compile(r"(?:\+|00)([1-9][0-9]{6,14})", re.ASCII)
_LIKE_MAINLAND = re.compile(r"1[3-9][0-9]{9}", re.ASCII)


def normalised(number: str) -> str:
    """The number as it is sent. Raises ValueError that says what is wrong without repeating the number."""
    plain = _PUNCTUATION.sub("", number).replace("＋", "+")
    if mainland := _MAINLAND.fullmatch(plain):
        return mainland[1]
    abroad = _ABROAD.fullmatch(plain)
    if abroad is None:
        raise ValueError(
            f"is no phone number ({len(plain)} characters); write 11 digits, or + and country code for one abroad"
        )
    digits = abroad[1]
    if digits.startswith("86"):
        raise ValueError("has country code 86 but is no mobile number of mainland China")
    if _LIKE_MAINLAND.fullmatch(digits):
        raise ValueError("cannot be told from a number in mainland China once the plus is gone; Aliyun cannot reach it")
    return digits
