"""Rates that hold over all runs of an account.

What a run may send in all (`run`) is its own. Every other budget belongs to the account: two runs of one account share
it, so a vendor that counts per robot key or per sender never sees more than its limit. Where runs of one account ask
for different rates of one key, the slowest holds for as long as that run goes on. A restart learns from the journals
what was spent before it.
"""

from collections.abc import Iterable, Mapping, Sequence

from postroad.engine import Lease, TokenDesk
from postroad.engine.pacing import spent_by
from postroad.flows.hosting.ports import Spent
from postroad.spi import Rate

RUN = "run"


class Budgets:
    def __init__(self) -> None:
        self._accounts: dict[str, _Account] = {}
        self._runs: dict[str, TokenDesk] = {}
        self._account_of: dict[str, str] = {}

    def knows(self, run_id: str) -> bool:
        return run_id in self._runs

    def open(
        self, run_id: str, account_id: str, rates: Mapping[str, Rate], spent: Iterable[Spent], now_ms: int
    ) -> None:
        """A run begins or goes on here. Opened again it changes nothing."""
        if run_id in self._runs:
            return
        times = sorted(spent)
        own = TokenDesk({RUN: rates[RUN]} if RUN in rates else {})
        own.rebuild(spent_by(times, now_ms))
        self._runs[run_id] = own
        self._account_of[run_id] = account_id
        account = self._accounts.setdefault(account_id, _Account())
        account.join(run_id, {key: rate for key, rate in rates.items() if key != RUN}, now_ms)
        account.desk.rebuild(spent_by(times, now_ms))

    def close(self, run_id: str, now_ms: int) -> None:
        """The run does not go on here. What it spent of its account stays spent."""
        self._runs.pop(run_id, None)
        account_id = self._account_of.pop(run_id, None)
        if account_id is not None:
            self._accounts[account_id].leave(run_id, now_ms)

    def lend(self, run_id: str, key: str, want: int, now_ms: int) -> Lease:
        return self._desk(run_id, key).lend(key, want, now_ms)

    def slow(self, run_id: str, keys: Sequence[str], until_ms: float) -> None:
        for key in keys:
            self._desk(run_id, key).slow((key,), until_ms)

    def change(self, run_id: str, key: str, rate: Rate, now_ms: int) -> None:
        if key == RUN:
            self._runs[run_id].set_rate(key, rate, now_ms)
        else:
            self._accounts[self._account_of[run_id]].join(run_id, {key: rate}, now_ms)

    def _desk(self, run_id: str, key: str) -> TokenDesk:
        return self._runs[run_id] if key == RUN else self._accounts[self._account_of[run_id]].desk


class _Account:
    def __init__(self) -> None:
        self.desk = TokenDesk({})
        self._asked: dict[str, dict[str, Rate]] = {}
        """By key: what each run asks for."""

    def join(self, run_id: str, rates: Mapping[str, Rate], now_ms: int) -> None:
        for key, rate in rates.items():
            self._asked.setdefault(key, {})[run_id] = rate
            self._set(key, now_ms)

    def leave(self, run_id: str, now_ms: int) -> None:
        """The last rate of a key stays: what comes next begins under it until it says otherwise."""
        for key, asked in self._asked.items():
            if asked.pop(run_id, None) is not None and asked:
                self._set(key, now_ms)

    def _set(self, key: str, now_ms: int) -> None:
        limited = [rate for rate in self._asked[key].values() if rate.count]
        slowest = min(limited, key=lambda rate: rate.count / rate.per_s, default=Rate(0, 1.0))
        self.desk.set_rate(key, slowest, now_ms)
