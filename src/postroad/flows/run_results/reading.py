"""Items and receipts, read from the files of a run."""

import json
from dataclasses import dataclass, replace
from typing import Any

from postroad.flows.run_results.asks import ItemsAsk
from postroad.flows.run_results.ports import ResultsNeeds
from postroad.kernel.authz import Principal, Resource
from postroad.kernel.pages import Listing, Page
from postroad.kernel.uow import Reading
from postroad.modules import runs
from postroad.modules.runs import RESULTS, Run
from postroad.recipients import Chosen, ItemRow, list_items
from postroad.vocabulary.refusals import ArtifactNotReady

RECEIPT = "receipt"


@dataclass(frozen=True, slots=True)
class RunItems:
    page: Page[ItemRow]
    is_complete: bool
    """False while the run has no results: only what is known so far is here, and a later look may show more."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """`body` and `signature` as they were signed; the public key that checks them comes from elsewhere."""

    run_id: str
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Found:
    run: Run
    listing: Listing


def list_run_items(principal: Principal, ask: ItemsAsk, needs: ResultsNeeds) -> RunItems:
    """In order of sequence. Blocks while a file is read.

    Raises ResourceNotFound, ValidationFailed for a cursor of another list, ArtifactNotReady where results are deleted.
    """
    found = needs.database.read(principal, lambda reading: _find(reading, ask))
    listing, run = found.listing, found.run
    after = int(listing.position[0]) if listing.position is not None else -1
    rows = _rows(run, ask.wanted.chosen, after, listing.rows_wanted, needs)
    return RunItems(listing.page(rows, lambda row: (row.sequence,)), is_complete=not run.results_wanted)


def read_receipt(principal: Principal, workspace_id: str, run_id: str, needs: ResultsNeeds) -> Receipt:
    """Raises ResourceNotFound, ArtifactNotReady while the run has none."""
    run = needs.database.read(principal, lambda reading: runs.get_run(reading, workspace_id, run_id))
    artifact_id = _artifact_of(run, RECEIPT)
    with needs.files.opened(workspace_id, artifact_id) as path:
        return Receipt(run_id, json.loads(path.read_bytes()))


def results_of(run: Run) -> str:
    """The artifact with the results. Raises ArtifactNotReady."""
    return _artifact_of(run, RESULTS)


def _find(reading: Reading, ask: ItemsAsk) -> _Found:
    run = runs.get_run(reading, ask.workspace_id, ask.run_id)
    listed = Resource(ask.workspace_id, "run_item", ask.run_id)
    return _Found(run, Listing.open(reading.cursors, ask.page, listed, ask.wanted.as_filters()))


def _rows(run: Run, chosen: Chosen, after: int, limit: int, needs: ResultsNeeds) -> tuple[ItemRow, ...]:
    if run.results_wanted:
        return needs.live.page(run, chosen, after, limit)
    with needs.files.opened(run.workspace_id, results_of(run)) as path:
        return list_items(path, chosen=replace(chosen, first=max(chosen.first, after + 1)), limit=limit).items


def _artifact_of(run: Run, name: str) -> str:
    found = run.artifacts.get(name)
    if found is None:
        said = "has no" if run.is_final else f"is {run.state.value} and has no"
        raise ArtifactNotReady(f"run {run.id} {said} {name}{'' if run.is_final else ' yet'}")
    return str(found["id"])
