"""The states of artifacts, their places and names: every cell of the table."""

import itertools
from dataclasses import replace

import pytest

from postroad.modules.artifacts import Artifact, ArtifactAsked, ArtifactState, ArtifactType, Owner
from postroad.modules.artifacts.model import (
    TRANSITIONS,
    known_content_type,
    location_of,
    refuse_ask,
    shown_file_name,
)
from postroad.vocabulary.refusals import ArtifactNotReady, PostroadError, StateConflict, ValidationFailed

S = ArtifactState
NOW = 1_800_000_000_000

ARTIFACT = Artifact(
    id="a",
    workspace_id="w",
    type=ArtifactType.RESULT,
    owner=Owner("run", "r"),
    backend="local",
    location="x",
    state=S.READY,
    size_bytes=5,
    sha256="",
    content_type="text/csv",
    file_name="x.csv",
    pinned=False,
    legal_hold=False,
    created_by="system:x",
    expires_at_ms=NOW,
    due_at_ms=NOW,
    attempts=0,
    last_error="",
    version=3,
    created_at_ms=1,
    updated_at_ms=1,
)


def _moved(artifact: Artifact, to: ArtifactState) -> Artifact:
    match to:
        case S.READY:
            return artifact.completed(NOW, 5, "")
        case S.FAILED:
            return artifact.failed(NOW, "X")
        case S.DELETING:
            return artifact.marked(NOW)
        case S.DELETED:
            return artifact.removed(NOW)
        case S.UPLOADING:
            raise StateConflict("nothing goes back to UPLOADING")


@pytest.mark.parametrize(("before", "after"), list(itertools.product(S, S)))
def test_every_cell_of_the_table(before: ArtifactState, after: ArtifactState) -> None:
    artifact = replace(ARTIFACT, state=before)
    if after in TRANSITIONS[before]:
        moved = _moved(artifact, after)
        assert (moved.state, moved.version, moved.updated_at_ms) == (after, 4, NOW)
    else:
        with pytest.raises(PostroadError):
            _moved(artifact, after)


@pytest.mark.parametrize("state", S)
def test_only_what_is_ready_can_be_had_and_waiting_helps_for_uploads_alone(state: ArtifactState) -> None:
    artifact = replace(ARTIFACT, state=state)
    if state is S.READY:
        artifact.require_ready()
        return
    with pytest.raises(ArtifactNotReady) as refused:
        artifact.require_ready()
    assert (refused.value.retry_after_s is not None) == (state is S.UPLOADING)


def test_neither_a_pin_nor_a_hold_lets_a_file_go() -> None:
    with pytest.raises(StateConflict, match="pinned"):
        replace(ARTIFACT, pinned=True).marked(NOW)
    with pytest.raises(StateConflict, match="legal hold"):
        replace(ARTIFACT, legal_hold=True, pinned=True).marked(NOW)


def test_a_place_says_month_and_kind_and_nothing_that_a_person_wrote() -> None:
    assert location_of("w-1", ArtifactType.SNAPSHOT, "a-1", NOW) == "workspaces/w-1/snapshot/2027/01/a-1"
    for odd in ("../x", "", "a/b", ".", "a b", "x" * 65):
        with pytest.raises(ValidationFailed):
            location_of(odd, ArtifactType.SNAPSHOT, "a-1", NOW)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("客户 名单.xlsx", "客户 名单.xlsx"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\a\\list.csv", "list.csv"),
        ("a\x00b\r\nc\u202e.csv", "abc.csv"),
        ("", "file"),
        (" .. ", "file"),
        ("x" * 300 + ".csv", "x" * 196 + ".csv"),
    ],
)
def test_a_file_name_is_what_can_be_seen_of_it(given: str, shown: str) -> None:
    assert shown_file_name(given) == shown


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("text/csv; charset=utf-8", "text/csv"),
        ("APPLICATION/JSON", "application/json"),
        ("", "application/octet-stream"),
        ("text/html\r\nx: y", "application/octet-stream"),
        ("nonsense", "application/octet-stream"),
    ],
)
def test_a_content_type_is_plain(given: str, kept: str) -> None:
    assert known_content_type(given) == kept


@pytest.mark.parametrize(("size", "sha256"), [(101, ""), (-1, ""), (5, "ABC"), (5, "0" * 63), (5, "G" * 64)])
def test_what_cannot_be_is_refused_before_a_byte_comes(size: int, sha256: str) -> None:
    ask = ArtifactAsked("w", ArtifactType.IMPORT, Owner("workspace", "w"), "x", size_bytes=size, sha256=sha256)
    with pytest.raises(ValidationFailed):
        refuse_ask(ask, largest_bytes=100)
