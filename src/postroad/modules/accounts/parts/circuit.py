"""The authentication circuit of an account: when its credentials are refused run after run, no further run begins.

It counts runs, not messages: one run that ends because the remote does not know us is one failure. After some in a row
the circuit opens; when the cooldown is over one run is let through as a trial, and its end decides. Whoever mends the
account (another configuration, another secret, a test that the remote passed) or resets it by hand closes it at once.
"""

from dataclasses import dataclass

from postroad.kernel import breaker
from postroad.kernel.authz import Action, Resource
from postroad.kernel.breaker import Circuit, CircuitKey, CircuitRule, CircuitState
from postroad.kernel.uow import Reading, UnitOfWork
from postroad.modules.accounts import store
from postroad.modules.accounts.parts.finding import get
from postroad.vocabulary.events import Aggregate, EventName

RULE = CircuitRule(failures=3, cooldown_ms=15 * 60_000)


@dataclass(frozen=True, slots=True)
class Admission:
    admitted: bool
    until_ms: int | None
    """When a refused run may ask again."""


def get_circuit(reading: Reading, workspace_id: str, account_id: str) -> Circuit:
    """How the circuit stands. Raises ResourceNotFound."""
    reading.authorize(Action.ACCOUNTS_READ, Resource(workspace_id, "account", account_id))
    get(reading, workspace_id, account_id)
    return breaker.state(reading, _key(workspace_id, account_id))


def reset_circuit(uow: UnitOfWork, workspace_id: str, account_id: str) -> None:
    """Closes it by hand; closing a closed one changes nothing. Raises ResourceNotFound."""
    resource = Resource(workspace_id, "account", account_id)
    uow.authorize(Action.ACCOUNTS_WRITE, resource)
    get(uow, workspace_id, account_id)
    if close_circuit(uow, workspace_id, account_id):
        uow.audit("account.circuit_reset", resource)


def close_circuit(uow: UnitOfWork, workspace_id: str, account_id: str) -> bool:
    """What a mended account or a run that the remote let in does. True where it was not closed."""
    flipped = breaker.record_success(uow, _key(workspace_id, account_id))
    if flipped:
        _tell(uow, workspace_id, account_id, "CLOSED")
    return flipped


def circuit_open_until(reading: Reading, workspace_id: str, account_id: str) -> int | None:
    """Until when no run may begin; None where one may, or may try. Looking takes no trial. For flows: asks no right."""
    found = breaker.state(reading, _key(workspace_id, account_id))
    return found.open_until_ms if found.state is CircuitState.OPEN else None


def admit_run(uow: UnitOfWork, workspace_id: str, account_id: str, run_id: str) -> Admission:
    """Whether work of this run may begin. Behind an open circuit whose cooldown is over the first run that asks is the
    trial, with all its shards; the others wait for its end."""
    key = _key(workspace_id, account_id)
    found = breaker.state(uow, key)
    if found.state is CircuitState.CLOSED:
        return Admission(True, None)
    is_trial = found.state is CircuitState.HALF_OPEN and store.trial_run(uow, account_id) == run_id
    if is_trial or breaker.admit(uow, key, RULE):
        store.save_trial_run(uow, account_id, run_id)
        return Admission(True, None)
    return Admission(False, found.open_until_ms)


def run_ended_with_authentication_failure(uow: UnitOfWork, workspace_id: str, account_id: str) -> bool:
    """Counts one failing run. True for the one whose failure opened the circuit. Call once per run."""
    opened = breaker.record_failure(uow, _key(workspace_id, account_id), RULE)
    if opened:
        store.save_trial_run(uow, account_id, None)
        _tell(uow, workspace_id, account_id, "OPEN")
    return opened


def _key(workspace_id: str, account_id: str) -> CircuitKey:
    return CircuitKey(workspace_id, f"account:{account_id}")


def _tell(uow: UnitOfWork, workspace_id: str, account_id: str, state: str) -> None:
    """Each flip is a fact of its own: the version of the account stays."""
    payload = {"accountId": account_id, "state": state}
    flip = Aggregate("account_circuit", uow.new_id(), 1)
    uow.emit(EventName.ACCOUNT_CIRCUIT_CHANGED, flip, payload, workspace_id=workspace_id)
