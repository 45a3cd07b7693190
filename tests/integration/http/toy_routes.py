"""An owner that exists for tests: it fails, is slow, and reads bodies."""

import threading

from postroad.entrypoints.http.composition import HttpComposition
from postroad.entrypoints.http.conventions import Asked, Caller, RepeatKey, Router, Shown
from postroad.vocabulary.errors import AccountingBroken


class Note(Asked):
    text: str


class Said(Shown):
    text: str


class Gate:
    """Lets a test hold requests inside a use case."""

    entered = threading.Semaphore(0)
    open = threading.Event()


def add_routes(router: Router, _: HttpComposition) -> None:
    @router.public.get("/toys/broken")
    async def break_toy(caller: Caller) -> Said:
        raise RuntimeError("the password is hunter2")

    @router.public.get("/toys/bug")
    async def find_bug(caller: Caller) -> Said:
        raise AccountingBroken("5 are not 6")

    @router.public.post("/toys/notes")
    async def take_note(caller: Caller, body: Note) -> Said:
        return Said(text=body.text)

    @router.post("/toys/known")
    async def take_known_note(caller: Caller, body: Note, key: RepeatKey) -> Said:
        return Said(text=body.text)

    @router.public.get("/toys/slow")
    async def wait_for_gate(caller: Caller) -> Said:
        def work() -> str:
            Gate.entered.release()
            Gate.open.wait(10)
            return "done"

        return Said(text=await caller.run(work))
