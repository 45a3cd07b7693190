"""What the check of a receipt found."""

from collections.abc import Collection

from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.flows.local_runs import ReceiptCheck


def check(found: ReceiptCheck, *, as_json: bool) -> None:
    if found.ok:
        console.tell(
            say("The receipt holds: the signature, the sum, and {files}.", files=_listed(found.files_checked)), "green"
        )
    for problem in found.problems:
        console.complain(problem)
    names = ("total", *console.OUTCOME_STYLES)
    counts = {name: getattr(found.counts, name) for name in names}
    console.tell("  ".join(f"{say(name)} {console.number(value)}" for name, value in counts.items()), "dim")
    if as_json:
        console.print_json({"ok": found.ok, "runId": found.run_id, "problems": list(found.problems), **counts})


def _listed(files: Collection[str]) -> str:
    return ", ".join(sorted(files)) or say("no file beside it")
