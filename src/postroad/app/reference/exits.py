"""The page of what commands end with."""

from postroad.app.reference.markdown import page, paragraph, table
from postroad.flows.local_runs import EXIT_CODES, INTERRUPTED_EXIT_CODE
from postroad.vocabulary.transitions import RunState

_ENDS = {
    RunState.SUCCEEDED: "everyone was reached",
    RunState.FAILED: "the run could not go on: the account was refused, the disk is full, or a fault of the program",
    RunState.PARTIAL: "finished, and not everyone was reached; also a dry run or an audience check that found faults",
    RunState.CANCELLED: "cancelled by a person or by SIGTERM, or not confirmed",
}
_USAGE = (
    "nothing was begun: the command line, a file, a secret or the confirmation cannot be used; the message says why"
)
_INTERRUPTED = "stopped hard and unfinished; `postroad send --resume FOLDER` goes on; or watching was stopped"

_SERVICE = """
`jobs run`, `runs watch` and `runs resend` end as the run at the service did. With 130 somebody stopped watching: the
run goes on there. Every other command of a service ends with 0, with 2 where it was refused, with 1 where the service
could not be reached or could not do it now.
"""
_CHECKS = """
A check without a run, such as `receipt verify`, `message test-send`, `accounts test` or `drill crash`, ends with 0
where all is well and with 1 where it is not.
"""


def exit_codes_page() -> str:
    rows = {EXIT_CODES[state]: (state.lower(), meaning) for state, meaning in _ENDS.items()}
    rows |= {2: ("refused", _USAGE), INTERRUPTED_EXIT_CODE: ("interrupted", _INTERRUPTED)}
    lines = [(str(number), name, meaning) for number, (name, meaning) in sorted(rows.items())]
    return page(
        "Exit codes",
        table(("Code", "State", "Meaning"), lines),
        paragraph(_CHECKS),
        paragraph(_SERVICE),
    )
