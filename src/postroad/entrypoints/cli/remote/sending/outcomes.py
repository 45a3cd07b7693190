"""What became of everybody in a run: a page at a time, as CSV, and the files of its end."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from postroad.entrypoints.cli.remote.access.service import Listed, Service, Wire, path_of
from postroad.entrypoints.cli.remote.sending.finding import get_run
from postroad.entrypoints.cli.remote.show import runs, tables
from postroad.entrypoints.cli.remote.transfers import Wanted as WantedFile
from postroad.entrypoints.cli.remote.transfers import save
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.vocabulary.errors import InvalidInput
from postroad.vocabulary.refusals import ArtifactNotReady, ResourceNotFound

_FIELDS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    outcomes: list[str]
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    limit: int
    cursor: str | None
    command: Sequence[str]
    """The command line, to say how the list goes on."""


@dataclass(frozen=True, slots=True)
class Fetch:
    folder: Path | None
    names: list[str]
    force: bool


def tell(service: Service, run_text: str, wanted: Wanted, place: Place, *, as_json: bool) -> None:
    run = get_run(service, run_text)
    path = f"{path_of('runs', run['id'])}/items"
    query = {"outcome": wanted.outcomes, "text": wanted.text or None}
    found = service.listed(path, query, limit=place.limit, cursor=place.cursor)
    tables.listing(found, runs.item_columns(_fields(found)), place.command, as_json=as_json)
    if run["counts"]["open"] and not as_json:
        console.tell(say("The run goes on; this is what is known so far."), "dim")


def export(service: Service, run_text: str, wanted: Wanted, out: Path, *, force: bool) -> None:
    run = get_run(service, run_text)
    path = f"{path_of('runs', run['id'])}/artifacts/result-export"
    kept = service.post(path, {"outcomes": wanted.outcomes, "text": wanted.text})
    content = f"{path_of('artifacts', kept['artifactId'])}/content"
    save(service, WantedFile(content, sha256=kept["sha256"], size_bytes=kept["sizeBytes"]), out, force=force)


def files(service: Service, run_text: str, fetch: Fetch, *, as_json: bool) -> None:
    """Lists the files, or fetches them. Raises ArtifactNotReady before they are made, ResourceNotFound for a name."""
    run = get_run(service, run_text)
    found: list[Wire] = service.ask("GET", f"{path_of('runs', run['id'])}/artifacts").value
    if fetch.folder is None:
        runs.files(found, as_json=as_json)
        return
    if not found:
        raise ArtifactNotReady(say("there are no results yet; watch the run: postroad runs watch {run}", run=run["id"]))
    missing = set(fetch.names) - {one["name"] for one in found}
    if missing:
        known = ", ".join(one["name"] for one in found)
        raise ResourceNotFound(say("there is no file {name}; there are: {known}", name=min(missing), known=known))
    _make(fetch.folder)
    for one in found:
        if not fetch.names or one["name"] in fetch.names:
            _fetch(service, one, fetch)
    if as_json:
        console.print_json(found)


def _fetch(service: Service, one: Wire, fetch: Fetch) -> None:
    assert fetch.folder is not None
    path = path_of("artifacts", one["id"])
    name = Path(str(service.get(path)["fileName"])).name or str(one["name"])
    wanted = WantedFile(f"{path}/content", sha256=one["sha256"], size_bytes=one["sizeBytes"])
    save(service, wanted, fetch.folder / name, force=fetch.force)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{folder}: {error.strerror}", field="--out") from error


def _fields(found: Listed) -> list[str]:
    """The first fields of the recipients: by what people know them."""
    return list(found.items[0]["fields"])[:_FIELDS_SHOWN] if found.items else []
