"""Configurations and contents in files: YAML or JSON, the part alone or a whole job file that has it."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postroad.entrypoints.cli.texts import say
from postroad.jobfile.yaml_text import parse_document, read_document
from postroad.vocabulary.errors import InvalidInput

_STANDARD_INPUT = Path("-")


@dataclass(frozen=True, slots=True)
class Part:
    content: dict[str, Any]
    provider: str | None
    """What the job file says; None for a part alone."""


def read_part(file: Path, name: str) -> Part:
    """`name` is `account` or `message`. Raises ConfigInvalid for what is no YAML mapping, JobInvalid for its traps."""
    value = _read(file)
    inner, provider = value.get(name), value.get("provider")
    if isinstance(inner, dict) and isinstance(provider, str):
        return Part(inner, provider)
    return Part(value, None)


def provider_of(given: str | None, part: Part) -> str:
    """Raises InvalidInput where neither the command line nor the file names one."""
    provider = given or part.provider
    if provider is None:
        raise InvalidInput(say("name the channel with --provider, such as --provider smtp"), field="--provider")
    return provider


def _read(file: Path) -> dict[str, Any]:
    if file == _STANDARD_INPUT:
        return parse_document(sys.stdin.read(), say("standard input")).value
    return read_document(file).value
