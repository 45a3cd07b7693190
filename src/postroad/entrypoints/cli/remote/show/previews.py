"""Messages as people would get them."""

from rich.text import Text

from postroad.entrypoints.cli.remote.access.service import Wire
from postroad.entrypoints.cli.remote.show import cells
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say

_LONGEST_PART = 2000
CANNOT_BE_MADE = 3


def all_of(preview: Wire, *, as_json: bool) -> int:
    """Every sample of a preview; the exit code."""
    if as_json:
        console.print_json(preview)
    else:
        if preview["exampleAccount"]:
            console.tell(say("An example stands in for the account; give --account to see it with yours."), "dim")
        for sample in preview["samples"]:
            rendered, problem = sample["rendered"], sample["problem"]
            if rendered is not None:
                message(sample["row"], rendered)
            else:
                refusal(sample["row"], problem["message"])
    return 0 if all(sample["rendered"] is not None for sample in preview["samples"]) else CANNOT_BE_MADE


def refusal(row: int, problem: str) -> None:
    """Why the message cannot be made for somebody; row 0 is nobody of a spreadsheet."""
    said = cells.plain(problem)
    console.tell(say("row {row}: {message}", row=row, message=said) if row else said, "red")


def message(row: int, rendered: Wire) -> None:
    """`rendered` has headline, parts and warnings."""
    headline = cells.plain(rendered["headline"])
    console.tell(say("row {row} → {headline}", row=row, headline=headline) if row else f"→ {headline}", "bold")
    for name, text in rendered["parts"].items():
        shown = cells.block(text if len(text) <= _LONGEST_PART else text[:_LONGEST_PART] + " …")
        console.people.print(Text.assemble("  ", (f"{cells.plain(name)}: ", "dim"), shown.replace("\n", "\n    ")))
    for warning in rendered["warnings"]:
        console.tell(f"  {cells.plain(warning)}", "yellow")
