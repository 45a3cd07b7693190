"""The shapes on the wire: camelCase names, ISO-8601 times in UTC with milliseconds, nothing unknown accepted.

Requests extend `Asked`, answers extend `Shown`. Inside the program times are whole milliseconds since 1970; they become
text here and nowhere else.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import (
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel

_JSON_TIME = {"type": "string", "format": "date-time", "examples": ["2026-08-22T08:30:00.000Z"]}


class Asked(BaseModel):
    """What a request holds. A field that is not known is refused by its name."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True)


class Shown(BaseModel):
    """What an answer holds. `of(view)` reads a view by attribute names; a nested `Shown` reads nested views."""

    model_config = ConfigDict(
        alias_generator=AliasGenerator(serialization_alias=to_camel), from_attributes=True, frozen=True
    )

    @classmethod
    def of(cls, view: object) -> Self:
        return cls.model_validate(view)


def iso(millis: int) -> str:
    """`2026-08-22T08:30:00.000Z`"""
    return datetime.fromtimestamp(millis / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def millis_of(text: str) -> int:
    """Raises ValueError for anything that is not an ISO-8601 instant with an offset."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ValueError("must be a time with its offset, such as 2026-08-22T08:30:00Z")
    return round(moment.timestamp() * 1000)


def _given(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("must be a time with its offset, such as 2026-08-22T08:30:00Z")  # noqa: TRY004  (entrypoints: pydantic reports ValueError; until 2027-11-30)
    return millis_of(value)


Instant = Annotated[int, PlainSerializer(iso, return_type=str), WithJsonSchema(_JSON_TIME)]
"""A time in an answer. The view holds milliseconds: name its attribute by `stamp`."""

GivenInstant = Annotated[int, BeforeValidator(_given), WithJsonSchema(_JSON_TIME)]
"""A time in a request; the model holds milliseconds."""


def stamp(attribute: str) -> Any:
    """`created_at: Instant = stamp("created_at_ms")` shows the view's `created_at_ms` as `createdAt`."""
    return Field(validation_alias=attribute)
