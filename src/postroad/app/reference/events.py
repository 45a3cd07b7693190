"""The page of every event, from the catalogue."""

from postroad.app.reference.markdown import member_notes, page, paragraph
from postroad.vocabulary.events import EventName

_INTRODUCTION = """
An event says what happened, in the past tense. It is written in the transaction of the change it tells of, so there is
no change without its event and no event without its change. Its payload carries ids, values and digests, never
secrets, texts, recipients or paths.
"""


def events_page() -> str:
    notes = member_notes(EventName)
    sections = [f"## {name.value}\n\n{paragraph(notes[name.name])}" for name in EventName]
    return page("Events", paragraph(_INTRODUCTION), *sections)
