"""Server-sent events out of pieces cut anywhere."""

import pytest

from postroad.entrypoints.cli.remote.sending.live_events import LiveEvent, LiveEvents

STREAM = (
    ": open\nretry: 2000\n\n"
    'id: 1\nevent: state\ndata: {"to":"RUNNING"}\n\n'
    ": still there\n\n"
    "id:2\nevent:progress\ndata:one\ndata: two ä\n\n"
    "event: end\ndata: {}\n\n"
)
EVENTS = [
    LiveEvent("1", "state", '{"to":"RUNNING"}'),
    LiveEvent("2", "progress", "one\ntwo ä"),
    LiveEvent("", "end", "{}"),
]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
def test_events_are_the_same_wherever_the_pieces_are_cut(step: int, ending: str) -> None:
    content = STREAM.replace("\n", ending).encode()
    events = LiveEvents()
    pieces = [content[at : at + step] for at in range(0, len(content), step)]
    assert [event for piece in pieces for event in events.feed(piece)] == EVENTS


def test_an_event_without_its_empty_line_is_not_told() -> None:
    events = LiveEvents()
    assert list(events.feed(b"id: 1\ndata: x\n")) == []
    assert list(events.feed(b"")) == []
    assert list(events.feed(b"\n")) == [LiveEvent("1", "message", "x")]
