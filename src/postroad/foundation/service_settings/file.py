"""`postroad.yaml` as texts with the lines they stand on. YAML's own idea of types is not asked."""

from dataclasses import dataclass
from pathlib import Path

import yaml

from postroad.vocabulary.errors import ConfigInvalid


@dataclass(frozen=True, slots=True)
class Written:
    """One value as it was given. `where` names the source: `postroad.yaml line 3`, a variable or a flag."""

    text: str
    where: str


def read_file(path: Path) -> dict[str, Written]:
    """Dotted path → value. A list is its items parted by commas; a key without a value counts as not written.

    Raises ConfigInvalid where the file cannot be read or is no YAML of sections.
    """
    try:
        content = path.read_text(encoding="utf-8")
        root = yaml.compose(content, Loader=yaml.SafeLoader)
    except OSError as error:
        raise ConfigInvalid(f"{path} cannot be read: {error.strerror}", field="config") from error
    except UnicodeDecodeError:
        raise ConfigInvalid(f"{path} is not UTF-8 text", field="config") from None
    except yaml.MarkedYAMLError as error:
        line = f" line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigInvalid(f"{path}{line} is not YAML: {error.problem}", field="config") from None
    except (yaml.YAMLError, RecursionError):
        raise ConfigInvalid(f"{path} is not YAML", field="config") from None
    if root is None:
        return {}
    found: dict[str, Written] = {}
    _collect(root, "", path, found)
    return found


def _collect(node: yaml.Node, path: str, file: Path, found: dict[str, Written], depth: int = 0) -> None:
    where = f"{file} line {node.start_mark.line + 1}"
    if isinstance(node, yaml.MappingNode) and depth < 8:
        for key, value in node.value:
            line = f"{file} line {key.start_mark.line + 1}"
            if not isinstance(key, yaml.ScalarNode):
                raise ConfigInvalid(f"{line}: a name is expected before the colon", field=path or "config")
            name = f"{path}.{key.value}" if path else str(key.value)
            if name in found or any(other.startswith(f"{name}.") for other in found):
                raise ConfigInvalid(f"{line}: `{name}` stands there twice", field=name)
            _collect(value, name, file, found, depth + 1)
    elif not path:
        raise ConfigInvalid(f"{where}: sections with names are expected, like `server:`", field="config")
    elif isinstance(node, yaml.SequenceNode):
        if not all(isinstance(item, yaml.ScalarNode) and "," not in item.value for item in node.value):
            raise ConfigInvalid(f"{where}: `{path}` must be a plain list of texts without commas", field=path)
        found[path] = Written(",".join(item.value for item in node.value), where)
    elif isinstance(node, yaml.ScalarNode):
        if node.style is not None or node.value not in ("", "~", "null"):
            found[path] = Written(node.value, where)
    else:
        raise ConfigInvalid(f"{where}: `{path}` is nested too deeply", field=path)
