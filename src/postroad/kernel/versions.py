"""Nobody overwrites what he has not seen: a change names the version it was made from.

The version comes in the If-Match header (stale: 412) or in the body (stale: 409); missing is 428. The ETag of a
resource is its version in quotes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from postroad.vocabulary.refusals import PreconditionRequired, ValidationFailed, VersionConflict


class How(StrEnum):
    IF_MATCH = "IF_MATCH"
    BODY = "BODY"


@dataclass(frozen=True, slots=True)
class Expected:
    version: int | None
    how: How = How.IF_MATCH


def expect(current: int, given: Expected, head: Mapping[str, object]) -> None:
    """Raises PreconditionRequired, or VersionConflict with `head`: what a caller may know of the present version."""
    if given.version is None:
        raise PreconditionRequired("say which version you changed: send If-Match with the ETag that you read")
    if given.version != current:
        raise VersionConflict(
            f"it was changed since: version {current} stands, you changed {given.version}; read it again and repeat",
            head={"version": current, **head},
            in_header=given.how is How.IF_MATCH,
        )


def etag(version: int) -> str:
    return f'"{version}"'


def from_etag(text: str | None) -> Expected:
    """What an If-Match header says. Raises ValidationFailed for anything but one strong ETag of ours."""
    if text is None:
        return Expected(None)
    inside = text.strip()
    if len(inside) > 2 and inside[0] == inside[-1] == '"' and inside[1:-1].isascii() and inside[1:-1].isdigit():
        return Expected(int(inside[1:-1][:18]))
    raise ValidationFailed.of("If-Match", "ETAG_INVALID", 'If-Match must be the ETag as it was read, such as "3"')
