"""File, then environment, then flags: later ones win, and nothing that nobody knows is passed over in silence."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import Field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from postroad.foundation.home import Home
from postroad.foundation.service_settings.database_url import settled_database
from postroad.foundation.service_settings.declaring import PREFIX, ServiceSetting, name_of, section_of, settings_of
from postroad.foundation.service_settings.file import Written, read_file
from postroad.foundation.service_settings.sections import Settings
from postroad.foundation.settings import SETTINGS
from postroad.vocabulary.errors import ConfigInvalid

SERVICE_SETTINGS: tuple[ServiceSetting, ...] = tuple(settings_of(Settings))
FILE_NAME = "postroad.yaml"

_BY_PATH = {setting.path: setting for setting in SERVICE_SETTINGS}
_BY_VARIABLE = {setting.variable: setting for setting in SERVICE_SETTINGS}
_OTHERS = tuple(setting.name.partition("<")[0] for setting in SETTINGS)
_INJECTED = re.compile(r"POSTROAD_(SERVICE_HOST|SERVICE_PORT\w*|PORT|PORT_\d+_\w+)")
"""What a cluster puts into the environment of every program beside a service called `postroad`."""


class _Section(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


T = TypeVar("T", bound=_Section)


def load_settings(
    config: Path | None = None, environment: Mapping[str, str] | None = None, flags: Mapping[str, str] | None = None
) -> Settings:
    """The settings of this start. `flags` are texts by path, as `{"server.port": "8080"}`.

    Without `config` the file is `postroad.yaml` in the data folder, if it is there. Raises ConfigInvalid for the first
    thing that is wrong, with the file and line, the variable or the flag it stands in.
    """
    given = _from_environment(environment or {})
    for path, text in (flags or {}).items():
        _known(path, _BY_PATH, f"the option for `{path}`")
        given[path] = Written(text, f"the option for `{path}`")
    _refuse_secrets(given, flags or {})
    default_folder = Home.from_environment(environment or {}).root / "service"
    written = _from_file(config, given, default_folder)
    values = {path: _parsed(_BY_PATH[path], value) for path, value in {**written, **given}.items()}
    values.setdefault("dataDir", default_folder.absolute())
    settings = _with(Settings(), values)
    return _settled(settings, {**written, **given})


def _from_environment(environment: Mapping[str, str]) -> dict[str, Written]:
    given = {}
    for variable, text in environment.items():
        if not variable.startswith(PREFIX) or _INJECTED.fullmatch(variable) or _belongs_elsewhere(variable):
            continue
        _known(variable, _BY_VARIABLE, "the environment")
        if text:
            given[_BY_VARIABLE[variable].path] = Written(text, f"the variable {variable}")
    return given


def _belongs_elsewhere(variable: str) -> bool:
    return any(variable == name or (name.endswith("_") and variable.startswith(name)) for name in _OTHERS)


def _from_file(config: Path | None, given: Mapping[str, Written], default_folder: Path) -> dict[str, Written]:
    if config is None:
        folder = _parsed(_BY_PATH["dataDir"], given["dataDir"]) if "dataDir" in given else default_folder
        assert isinstance(folder, Path)
        config = folder / FILE_NAME
        if not config.exists():
            return {}
    written = read_file(config)
    for path, value in written.items():
        _known(path, _BY_PATH, value.where)
        _refuse_secret(_BY_PATH[path], value.where)
    return written


def _known(name: str, known: Iterable[str], where: str) -> None:
    if name in known:
        return
    near = get_close_matches(name, list(known), n=1, cutoff=0.5)
    advice = f"; did you mean `{near[0]}`?" if near else "; docs/reference/service-settings.md lists all of them"
    raise ConfigInvalid(f"{where}: there is no setting `{name}`{advice}", field=name)


def _refuse_secrets(given: Mapping[str, Written], flags: Mapping[str, str]) -> None:
    for path in flags:
        _refuse_secret(_BY_PATH[path], given[path].where)


def _refuse_secret(setting: ServiceSetting, where: str) -> None:
    if setting.is_secret:
        raise ConfigInvalid(
            f"{where}: `{setting.path}` is a secret and may not stand there; set {setting.variable} in the environment",
            field=setting.path,
        )


def _parsed(setting: ServiceSetting, value: Written) -> object:
    try:
        return setting.kind.parse(value.text.strip())
    except ValueError:
        shown = "the value" if setting.is_secret or "url" in setting.path.lower() else f"`{value.text}`"
        raise ConfigInvalid(
            f"{value.where}: {shown} does not fit `{setting.path}`: it must be {setting.kind.said}", field=setting.path
        ) from None


def _with(section: T, values: Mapping[str, object], path: str = "") -> T:
    changed: dict[str, Any] = {}
    for each in fields(section):
        name = name_of(each, path)
        if section_of(each) is not None:
            changed[each.name] = _with(getattr(section, each.name), values, f"{name}.")
        elif name in values:
            changed[each.name] = values[name]
    return replace(section, **changed)


def _settled(settings: Settings, given: Mapping[str, Written]) -> Settings:
    """Makes relative paths absolute and takes the password out of the database address."""
    folder = settings.data_dir
    source = given.get("database.url")
    return replace(
        settings,
        database=settled_database(settings.database, folder, source.where if source else ""),
        keys=replace(settings.keys, file=folder / settings.keys.file),
        artifacts=replace(settings.artifacts, directory=folder / settings.artifacts.directory),
    )
