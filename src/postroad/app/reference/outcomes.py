"""The page of outcomes, of the reasons behind them, and of the states of a run."""

from collections.abc import Iterator

from postroad.app.reference.markdown import code, member_notes, page, paragraph, table
from postroad.vocabulary.outcomes import RETRIED_BY_DEFAULT, RUN_FATAL, Category, Outcome
from postroad.vocabulary.transitions import RUN, RUN_FINAL, RunState

_INTRODUCTION = """
Every recipient of a send comes to exactly one of five outcomes, and the five always add up to the total.
"""
_REASONS = """
Why a send did not succeed. A category that is tried again is so only while attempts are left and only where nothing
may have been kept by the remote; one that ends the run leaves everyone who was not sent to UNSENT.
"""
_STATES = "A cell that is missing is refused. An end stays an end."


def outcomes_page() -> str:
    notes = member_notes(Outcome)
    sections = [f"### {outcome.value}\n\n{paragraph(notes[outcome.name])}" for outcome in Outcome]
    return page(
        "Outcomes, reasons and states",
        paragraph(_INTRODUCTION),
        "## Outcomes",
        *sections,
        "## Reasons",
        paragraph(_REASONS),
        table(("Category", "Meaning", "Tried again", "Ends the run"), map(_category, Category)),
        "## States of a run",
        paragraph(_STATES),
        table(("State", "Meaning", "What may happen, and what it becomes"), _states()),
    )


def _category(category: Category) -> tuple[str, str, str, str]:
    return (
        code(category.value),
        member_notes(Category)[category.name],
        "yes" if category in RETRIED_BY_DEFAULT else "",
        "yes" if category in RUN_FATAL else "",
    )


def _states() -> Iterator[tuple[str, str, str]]:
    notes = member_notes(RunState)
    for state in RunState:
        steps = ", ".join(f"{event.value} → {after.value}" for event, after in RUN.get(state, {}).items())
        yield code(state.value), notes[state.name], steps or ("an end" if state in RUN_FINAL else "")
