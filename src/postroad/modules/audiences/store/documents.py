"""Sources and layouts as JSON, for the tables."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from postroad.modules.audiences.model import SOURCES, Layout, Source, SourceType


def source_to_json(source: Source) -> dict[str, Any]:
    return dataclasses.asdict(source)


def source_from_json(source_type: str, kept: Mapping[str, Any]) -> Source:
    kind = SOURCES[SourceType(source_type)]
    known = {field.name for field in dataclasses.fields(kind)}
    source: Source = kind(**{name: value for name, value in kept.items() if name in known})
    return source


def layout_to_json(layout: Layout) -> dict[str, Any]:
    return {"key": list(layout.key), "mapping": dict(layout.mapping), "provider_id": layout.provider_id}


def layout_from_json(kept: Mapping[str, Any]) -> Layout:
    return Layout(tuple(kept["key"]), dict(kept["mapping"]), kept.get("provider_id"))
