"""The list of past sends."""

from collections.abc import Sequence

from rich.text import Text

from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.show.endings import iso
from postroad.entrypoints.cli.texts import say
from postroad.flows.local_runs import SendView
from postroad.vocabulary.counts import Counts
from postroad.vocabulary.transitions import RunState

_STYLES = {
    RunState.SUCCEEDED: "green",
    RunState.PARTIAL: "yellow",
    RunState.FAILED: "red",
    RunState.CANCELLED: "yellow",
}


def past_sends(sends: Sequence[SendView], *, as_json: bool) -> None:
    if as_json:
        console.print_json([_document(send) for send in sends])
        return
    if not sends:
        console.results.print(say("No sends yet. Start with: postroad init"))
        return
    table = console.plain_table(*map(say, ("begun", "job", "state", "total", "what became of them", "folder")))
    for column in table.columns[:4]:
        column.no_wrap = True
    for send in sends:
        table.add_row(
            console.local_minute(send.frozen_at_ms),
            send.name,
            Text(_state(send), style=_STYLES.get(send.state, "blue")),
            console.number(send.counts.total),
            _became(send.counts),
            console.place(send.folder),
        )
    console.results.print(table)


def _became(counts: Counts) -> Text:
    """The outcomes that somebody came to."""
    text = Text()
    for name, style in console.OUTCOME_STYLES.items():
        value = getattr(counts, name)
        if value:
            text.append(f"{', ' if text else ''}{say(name)} {console.number(value)}", style=style)
    return text


def _state(send: SendView) -> str:
    if send.is_held:
        return say("sending now")
    return say("unfinished, can be resumed") if send.can_resume else say(str(send.state).lower())


def _document(send: SendView) -> dict[str, object]:
    counts = {name: getattr(send.counts, name) for name in ("total", *console.OUTCOME_STYLES)}
    return {
        "runId": send.run_id,
        "name": send.name,
        "begunAt": iso(send.frozen_at_ms),
        "provider": send.provider_id,
        "state": str(send.state),
        "running": send.is_held,
        "canResume": send.can_resume,
        "sourceRunId": send.source_run_id,
        "out": str(send.folder),
        **counts,
    }
