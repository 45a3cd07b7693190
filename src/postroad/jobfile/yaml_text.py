"""YAML into plain values, without its traps.

Only true and false are booleans, `012` and `2026-11-30` and `1:30` are texts, a key given twice is refused, and so are
anchors and aliases, with which nine lines can grow into gigabytes. Every value's line is kept for messages.
"""

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postroad.jobfile.problems import Findings, join
from postroad.vocabulary.errors import ConfigInvalid

if TYPE_CHECKING:
    import yaml

MAX_BYTES = 4 * 1024 * 1024
_SPREADSHEETS = frozenset({".csv", ".tsv", ".xlsx", ".xls", ".jsonl"})

_MOST_DIGITS = 4000
"""Python reads no longer whole numbers; a longer one stays a text."""
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?\Z")


class Document:
    """The content of one file: `value` and, for each dotted path, the line it stands in."""

    def __init__(self, value: dict[str, Any], lines: dict[str, int]) -> None:
        self.value = value
        self.lines = lines


def read_document(path: Path) -> Document:
    """Raises ConfigInvalid where the file cannot be read or is no YAML mapping, JobInvalid for keys given twice."""
    if path.suffix.lower() in _SPREADSHEETS:
        raise ConfigInvalid(f"{path} is a spreadsheet, not a job file; give it with --audience {path}", field="job")
    if path.is_dir():
        raise ConfigInvalid(
            f"{path} is a folder, not a job file; go on with a send by --resume {path}, "
            f"or send again by --only failed {path}",
            field="job",
        )
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= MAX_BYTES else b""
    except OSError as error:
        raise ConfigInvalid(f"the job file {path} cannot be read: {error.strerror}", field="job") from error
    if size > MAX_BYTES:
        raise ConfigInvalid(f"the job file {path} has {size} bytes; at most {MAX_BYTES} are read", field="job")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigInvalid(
            f"the job file {path} is not UTF-8 (byte {error.start}); save it as UTF-8", field="job"
        ) from None
    return parse_document(text, str(path))


def parse_document(text: str, name: str = "job") -> Document:
    import yaml

    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise ConfigInvalid(f"{name}, line {line}: anchors and aliases are not read; write it out", field="job")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except RecursionError:
        raise ConfigInvalid(f"{name}: lists and mappings lie too deep in one another", field="job") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigInvalid(f"{name}{where}: not YAML: {error.problem or error.context}", field="job") from None
    except yaml.YAMLError:
        raise ConfigInvalid(f"{name}: not YAML: it holds characters that no text has", field="job") from None
    if not isinstance(node, yaml.MappingNode):
        raise ConfigInvalid(f"{name}: must be a mapping with name, provider, message and audience", field="job")
    findings = Findings()
    lines: dict[str, int] = {}
    try:
        value = _value(node, "", findings, lines)
    except RecursionError:
        raise ConfigInvalid(f"{name}: lists and mappings lie too deep in one another", field="job") from None
    findings.raise_if_any(lines)
    assert isinstance(value, dict)
    return Document(value, lines)


def _value(node: "yaml.Node", path: str, findings: Findings, lines: dict[str, int]) -> Any:
    import yaml

    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, findings, lines)
    if isinstance(node, yaml.SequenceNode):
        return [_value(child, join(path, str(index)), findings, lines) for index, child in enumerate(node.value)]
    assert isinstance(node, yaml.ScalarNode)
    if not _is_whole(str(node.value)):
        findings.add(path, "holds half a character (a lone \\ud800 to \\udfff); write the whole one")
        return None
    return _scalar(node)


def _mapping(node: "yaml.MappingNode", path: str, findings: Findings, lines: dict[str, int]) -> dict[str, Any]:
    import yaml

    made: dict[str, Any] = {}
    for key_node, child in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            findings.add(path, f"line {key_node.start_mark.line + 1} has a key that is not a text")
            continue
        key = str(key_node.value)
        if not _is_whole(key):
            findings.add(path, f"line {key_node.start_mark.line + 1} has a key with half a character in it")
            continue
        field = join(path, key)
        if key in made:
            findings.add(field, f"is given twice, in lines {lines[field]} and {key_node.start_mark.line + 1}; keep one")
            continue
        lines[field] = key_node.start_mark.line + 1
        made[key] = _value(child, field, findings, lines)
    return made


def _is_whole(text: str) -> bool:
    """Escapes can write half of a surrogate pair, which no file and no wire can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _scalar(node: "yaml.ScalarNode") -> str | int | float | bool | None:
    text = str(node.value)
    if getattr(node, "style", None) is not None or node.tag == "tag:yaml.org,2002:str":
        return text
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _INTEGER.match(text) and len(text) <= _MOST_DIGITS:
        return int(text)
    if _DECIMAL.match(text) and math.isfinite(number := float(text)):
        return number
    return text
