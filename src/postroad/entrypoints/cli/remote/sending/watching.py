"""Watching a run to its end at the terminal, and what to exit with."""

from postroad.entrypoints.cli.remote.access.service import Service, Wire
from postroad.entrypoints.cli.remote.sending.following import follow
from postroad.entrypoints.cli.remote.show import endings, live
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.flows.local_runs import EXIT_CODES, INTERRUPTED_EXIT_CODE
from postroad.vocabulary.transitions import RunState


def watch(service: Service, run: Wire, *, as_json: bool) -> int:
    """Shows the run until its end, then how it ended; the exit code. Ctrl-C stops the watching alone."""
    watcher = live.LiveRun(as_json=as_json)
    try:
        ended = follow(service, run, watcher)
    except KeyboardInterrupt:
        watcher.close()
        _tell_left(str(run["id"]))
        return INTERRUPTED_EXIT_CODE
    finally:
        watcher.close()
    endings.ended(ended, as_json=as_json)
    return EXIT_CODES.get(RunState(ended["state"]), 1)


def _tell_left(run_id: str) -> None:
    console.tell(
        say("You stopped watching; the run goes on. Watch it again: postroad runs watch {run}", run=run_id), "yellow"
    )
    console.tell(say("End it: postroad runs cancel {run}", run=run_id))
