"""Live streams (server-sent events): one reader for each topic, any number of watchers.

A topic is a persisted sequence of events: those of one run, or the feed of a workspace. While somebody watches it, one
task reads what is new and keeps it, encoded once, in a ring of bytes. Each watcher walks along that ring at its own
speed; nothing is copied per watcher and nothing queues up for a slow one. Who comes back with `Last-Event-ID` first
reads what it missed from the database, page by page. Who falls off the ring is cut off and comes back the same way.
Events that retention has removed cannot be made up: `event: cursor-expired` says so and the client loads the whole
picture anew. Source: spec wepush §24.4, WHATWG HTML §9.2.
"""

from postroad.entrypoints.http.streams.hub import StreamHub, StreamTimes
from postroad.entrypoints.http.streams.log import BEGINNING, EventLog, LoggedEvent, Place, Portion
from postroad.entrypoints.http.streams.response import EventStream
from postroad.entrypoints.http.streams.resuming import LastEventId

__all__ = [
    "BEGINNING",
    "EventLog",
    "EventStream",
    "LastEventId",
    "LoggedEvent",
    "Place",
    "Portion",
    "StreamHub",
    "StreamTimes",
]
