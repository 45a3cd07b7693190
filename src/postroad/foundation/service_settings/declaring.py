"""How a setting of the service is declared: one dataclass field says its type, default and meaning.

The name in the file is the field's name in camelCase without its unit (`progress_interval_s` → `progressInterval`), the
variable is `POSTROAD_` and the whole path in capitals. The table of all settings, the parser, the page of the
reference and the summary at start are read from these fields, so none of them can forget one.
"""

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from typing import Any

from postroad.foundation.service_settings.kinds import ValueKind

PREFIX = "POSTROAD_"
_UNIT = re.compile(r"_(s|bytes)$")


@dataclass(frozen=True, slots=True)
class ServiceSetting:
    """One setting. `path` is `server.publicBaseUrl`, `attributes` the way to it in `Settings`."""

    path: str
    variable: str
    attributes: tuple[str, ...]
    kind: ValueKind
    default: object
    meaning: str
    is_secret: bool
    is_live: bool


def said(kind: ValueKind, meaning: str, *, is_secret: bool = False, is_live: bool = False) -> dict[str, object]:
    """The metadata of a field. A secret is never read from the file or a flag; `is_live`: no restart needed."""
    return {"kind": kind, "meaning": meaning, "is_secret": is_secret, "is_live": is_live}


def settings_of(section_type: type[Any], path: str = "", attributes: tuple[str, ...] = ()) -> Iterator[ServiceSetting]:
    """Every setting below a section, in the order in which the fields stand."""
    for each in fields(section_type):
        name = name_of(each, path)
        below = (*attributes, each.name)
        inner = section_of(each)
        if inner is not None:
            yield from settings_of(inner, f"{name}.", below)
        else:
            yield _setting(each, name, below)


def _setting(each: Field[Any], path: str, attributes: tuple[str, ...]) -> ServiceSetting:
    assert each.default is not MISSING
    return ServiceSetting(
        path=path,
        variable=PREFIX + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", path).replace(".", "_").upper(),
        attributes=attributes,
        kind=each.metadata["kind"],
        default=each.default,
        meaning=each.metadata["meaning"],
        is_secret=each.metadata["is_secret"],
        is_live=each.metadata["is_live"],
    )


def section_of(each: Field[Any]) -> type[Any] | None:
    """The section that a field holds; None for a setting."""
    factory: object = each.default_factory
    return factory if isinstance(factory, type) and is_dataclass(factory) else None


def name_of(each: Field[Any], path: str) -> str:
    """The name in the file of the field `each` below the section `path` (empty or ending in a dot)."""
    first, *rest = _UNIT.sub("", each.name).split("_")
    return path + first + "".join(part.capitalize() for part in rest)
