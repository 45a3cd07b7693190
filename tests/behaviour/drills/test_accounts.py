"""The sender's account against the receiver's: each kind of fault is found, and named by an example."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from postroad.flows.drills.accounts import OUTCOMES, Comparison, compare


def _compared(folder: Path, said: Mapping[str, Sequence[str]], copies: Mapping[str, int]) -> Comparison:
    for outcome in OUTCOMES:
        rows = "".join(f"{number},{who}\n" for number, who in enumerate(said.get(outcome, ())))
        (folder / f"{outcome}.csv").write_text(f"sequence,id\n{rows}", encoding="utf-8")
    return compare(folder, "id", {"a", "b", "c"}, copies)


def test_an_unknown_may_have_arrived_or_not(tmp_path: Path) -> None:
    compared = _compared(tmp_path, {"succeeded": ["a"], "unknown": ["b", "c"]}, {"a": 1, "c": 1})
    assert (compared.lost, compared.doubled, compared.misreported, compared.examples) == (0, 0, 0, ())
    assert compared.counts == {"succeeded": 1, "failed": 0, "unknown": 2, "unsent": 0, "skipped": 0}


@pytest.mark.parametrize(
    ("said", "copies", "fault"),
    [
        ({"succeeded": ["a", "b"]}, {"a": 1, "b": 1}, "lost c: [], 0 copies"),
        ({"succeeded": ["a", "b", "c"]}, {"a": 1, "b": 1}, "lost c: ['succeeded'], 0 copies"),
        (
            {"succeeded": ["a", "b", "c"], "failed": ["c"]},
            {"a": 1, "b": 1},
            "lost c: ['succeeded', 'failed'], 0 copies",
        ),
        ({"succeeded": ["a", "b", "c"]}, {"a": 1, "b": 1, "c": 2}, "doubled c: 2 copies, ['succeeded']"),
        ({"succeeded": ["a", "b"], "unsent": ["c"]}, {"a": 1, "b": 1, "c": 1}, "misreported c: ['unsent'], 1 copies"),
        ({"succeeded": ["a", "b", "c"]}, {"a": 1, "b": 1, "c": 1, "x": 1}, "misreported x: None, 1 copies"),
    ],
)
def test_each_fault_is_counted_once_and_shown(
    tmp_path: Path, said: Mapping[str, Sequence[str]], copies: Mapping[str, int], fault: str
) -> None:
    compared = _compared(tmp_path, said, copies)
    assert compared.examples == (fault,)
    assert compared.lost + compared.doubled + compared.misreported == 1
