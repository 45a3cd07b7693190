"""Percent-encoding as RFC 3986 has it and cloud vendors sign it: only letters, digits and `-_.~` stay."""

from collections.abc import Mapping
from urllib.parse import quote


def encode(value: str) -> str:
    return quote(value, safe="~")


def sorted_query(parameters: Mapping[str, str]) -> str:
    """`k=v` joined by `&`, ordered by name bytewise, both sides encoded."""
    return "&".join(f"{encode(name)}={encode(parameters[name])}" for name in sorted(parameters))
