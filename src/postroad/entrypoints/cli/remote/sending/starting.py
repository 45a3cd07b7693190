"""From a confirmation to a run: show what would be sent, ask, start exactly that, watch.

A start that breaks off on the way is asked again under the same key, so that it is one run whatever arrived. Every
function answers the exit code.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from postroad.entrypoints.cli.remote.access.kinds import JOBS
from postroad.entrypoints.cli.remote.access.naming import get_one
from postroad.entrypoints.cli.remote.access.service import Service, Wire, path_of
from postroad.entrypoints.cli.remote.sending.finding import get_run
from postroad.entrypoints.cli.remote.sending.watching import watch
from postroad.entrypoints.cli.remote.show import confirmations
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.show.confirming import Choice, ask
from postroad.entrypoints.cli.texts import say
from postroad.foundation.ids import uuid7
from postroad.vocabulary.errors import EgressFailed, InvalidInput, SendConflict

NOT_CONFIRMED = 4
_SHORTEST_HASH = 8
_TRIES, _PAUSE_S = 4, 1.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the command line said to the questions before a start."""

    yes: bool
    hash: str | None = None
    again: bool = False
    reason: str = ""
    detach: bool = False
    """Start it and leave."""
    as_json: bool = False


def run_job(service: Service, name: str, policies: Mapping[str, Any], answer: Answer) -> int:
    """Raises InvalidInput where nobody can confirm, SendConflict for another hash or what was sent before."""
    _must_be_answerable(answer)
    job = get_one(service, JOBS, name)
    path = path_of("jobs", job["id"])
    overrides = dict(policies) or None
    confirmed = service.post(f"{path}/run-confirmation", {"policyOverrides": overrides})
    confirmations.of_job(confirmed)
    _check(confirmed, answer)
    if answer.hash is None and not _agreed(answer):
        return NOT_CONFIRMED
    body = {
        "policyOverrides": overrides,
        "reason": answer.reason,
        "confirmationToken": confirmed["confirmationToken"],
    }
    return _started(service, f"{path}/runs", body, answer)


def rehearse_job(service: Service, name: str, policies: Mapping[str, Any], answer: Answer) -> int:
    """A dry run at the service: everybody's message is made, nothing is sent. Its hash goes to standard output."""
    job = get_one(service, JOBS, name)
    path = path_of("jobs", job["id"])
    overrides = dict(policies) or None
    confirmed = service.post(f"{path}/run-confirmation", {"policyOverrides": overrides})
    confirmations.of_job(confirmed)
    body = {"policyOverrides": overrides, "reason": answer.reason, "dryRun": True}
    code = _started(service, f"{path}/runs", body, answer)
    if not answer.as_json:
        console.results.print(confirmed["hash"])
    return code


def resend(service: Service, run_text: str, outcomes: list[str], answer: Answer) -> int:
    """Raises InvalidInput where nobody can confirm."""
    _must_be_answerable(answer)
    source = get_run(service, run_text, may_be_latest=False)
    path = path_of("runs", source["id"])
    confirmed = service.post(f"{path}/retry-confirmation", {"outcomes": outcomes})
    confirmations.of_resend(confirmed)
    if not _agreed(answer):
        return NOT_CONFIRMED
    body = {"outcomes": outcomes, "confirmationToken": confirmed["confirmationToken"], "reason": answer.reason}
    return _started(service, f"{path}/retries", body, answer)


def _must_be_answerable(answer: Answer) -> None:
    if not (answer.yes or answer.hash or sys.stdin.isatty()):
        raise InvalidInput(say("a run must be confirmed: give --yes"), field="--yes")


def _check(confirmed: Wire, answer: Answer) -> None:
    said = (answer.hash or "").strip().lower()
    if answer.hash is not None and (len(said) < _SHORTEST_HASH or not confirmed["hash"].startswith(said)):
        raise SendConflict(
            say(
                "the confirmed hash is {said}, this run has {hash}: something changed since, look at it again",
                said=repr(answer.hash),
                hash=confirmed["hash"],
            ),
            field="--confirm",
        )
    earlier = confirmed["sameAs"]
    asks = not (answer.yes or answer.hash)
    if earlier is not None and not answer.again and not asks:
        raise SendConflict(
            say(
                "run {run} sent the very same to the same people; to send it once more give --again", run=earlier["id"]
            ),
            field="--again",
        )


def _agreed(answer: Answer) -> bool:
    if answer.yes or ask(can_test=False) is Choice.SEND:
        return True
    console.tell(say("Nothing was sent."))
    return False


def _started(service: Service, path: str, body: object, answer: Answer) -> int:
    begun = _asked_again(service, lambda key: service.post(path, body, key=key))
    console.tell(say("Run {run} is taken: recipients {n}", run=begun["id"], n=console.number(begun["total"])), "green")
    if answer.detach:
        console.tell(say("Watch it: postroad runs watch {run}", run=begun["id"]), "dim")
        if answer.as_json:
            console.print_json(begun)
        return 0
    return watch(service, service.get(path_of("runs", begun["id"])), as_json=answer.as_json)


def _asked_again(service: Service, start: Callable[[str], Wire]) -> Wire:
    """Raises EgressFailed where nobody can say whether it was started."""
    key = uuid7()
    for tried in range(1, _TRIES + 1):
        try:
            return start(key)
        except EgressFailed as failed:
            if tried == _TRIES:
                raise EgressFailed(
                    say(
                        "{error}. Whether the run was started is not known; see: postroad runs list",
                        error=failed.message,
                    )
                ) from failed
            service.wait(_PAUSE_S * tried)
    raise AssertionError
