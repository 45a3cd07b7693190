"""Rates that hold over all runs of an account.

What a run may send in all (`run`) is its own. Every other budget belongs to the account: two runs of one account share
it, so a vendor that counts per robot key or per sender never sees more than its limit. Where runs of one account ask
for different rates of one key, the slowest holds for as long as that run goes on.

A worker asks only for keys that are limited as far as it knows. When another run of the account brings a limit, or a
remote asks one of them for silence, the others are told to ask as well.

A desk knows what it lent itself. What was spent before it was made is told to it from the journals, once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from postroad.engine import Lease, TokenDesk
from postroad.engine.pacing import spent_by
from postroad.flows.hosting.ports import Spent
from postroad.spi import Rate

RUN = "run"
_UNLIMITED = Rate(0, 1.0)
_LOOK_AGAIN_MS = 1000.0

AskFor = Callable[[str], None]


class Budgets:
    """Used on one loop alone."""

    def __init__(self) -> None:
        self._accounts: dict[str, _Account] = {}
        self._runs: dict[str, _Run] = {}
        self._ended: dict[str, _Run] = {}
        """Runs that do not go on here just now; when they do, their desk still knows."""

    def knows(self, run_id: str) -> bool:
        return run_id in self._runs

    def known_since(self, account_id: str) -> int | None:
        """From when on everything that the account spent is known; None where nothing is."""
        account = self._accounts.get(account_id)
        return None if account is None else account.known_since_ms

    def open(self, run_id: str, account_id: str, rates: Mapping[str, Rate], now_ms: int) -> bool:
        """A run begins or goes on here. Whether this process knows nothing of what it spent."""
        account = self._accounts.setdefault(account_id, _Account(now_ms))
        before = self._ended.pop(run_id, None)
        run = before or _Run(account, TokenDesk({}))
        if RUN in rates:
            run.desk.set_rate(RUN, rates[RUN], now_ms)
        run.asks_for = {key for key, rate in rates.items() if rate.count}
        self._runs[run_id] = run
        for key, rate in rates.items():
            if key != RUN:
                self._join(run_id, key, rate, now_ms)
        return before is None

    def recall(
        self, run_id: str, own: Iterable[Spent], of_account: Iterable[Spent], since_ms: int, now_ms: int
    ) -> None:
        """What was spent before this run was opened here: by itself, and since then by the whole account as far as
        `known_since` does not say it is known."""
        run = self._runs[run_id]
        run.desk.rebuild(spent_by(own, now_ms))
        run.account.desk.rebuild(spent_by(of_account, now_ms))
        run.account.known_since_ms = min(run.account.known_since_ms, since_ms)

    def listen(self, run_id: str, ask_for: AskFor) -> Callable[[], None]:
        """`ask_for` is called now and later with each key that a worker of this run does not know to be limited; what
        comes back ends it."""
        run = self._runs[run_id]
        run.listeners.append(ask_for)
        for key in sorted(self.limited_by_others(run_id)):
            ask_for(key)
        return lambda: run.listeners.remove(ask_for)

    def limited_by_others(self, run_id: str) -> frozenset[str]:
        """Keys that a worker of this run does not know to be limited by its plan."""
        run = self._runs[run_id]
        return frozenset((run.told | run.account.limited) - run.asks_for)

    def close(self, run_id: str, now_ms: int) -> None:
        """The run does not go on here just now. What it spent stays spent."""
        run = self._runs.pop(run_id, None)
        if run is not None:
            run.account.leave(run_id, now_ms)
            self._ended[run_id] = run

    def forget(self, run_id: str) -> None:
        """The run has ended for good."""
        self._ended.pop(run_id, None)

    def lend(self, run_id: str, key: str, want: int, now_ms: int) -> Lease:
        run = self._runs[run_id]
        return run.desk.lend(key, want, now_ms) if key == RUN else run.account.lend(key, want, now_ms)

    def slow(self, run_id: str, keys: Sequence[str], until_ms: float) -> None:
        run = self._runs[run_id]
        for key in keys:
            if key == RUN:
                run.desk.slow((key,), until_ms)
                run.tell(key)
            else:
                run.account.slow(key, until_ms)
                self._tell_account(run.account, key)

    def change(self, run_id: str, key: str, rate: Rate, now_ms: int) -> None:
        if key == RUN:
            self._runs[run_id].desk.set_rate(key, rate, now_ms)
        else:
            self._join(run_id, key, rate, now_ms)

    def _join(self, run_id: str, key: str, rate: Rate, now_ms: int) -> None:
        account = self._runs[run_id].account
        account.join(run_id, key, rate, now_ms)
        if key in account.limited:
            self._tell_account(account, key)

    def _tell_account(self, account: "_Account", key: str) -> None:
        for run in self._runs.values():
            if run.account is account:
                run.tell(key)


class _Run:
    def __init__(self, account: "_Account", desk: TokenDesk) -> None:
        self.account = account
        self.desk = desk
        self.asks_for: set[str] = set()
        """Keys that its workers know to be limited from their plan."""
        self.told: set[str] = set()
        self.listeners: list[AskFor] = []

    def tell(self, key: str) -> None:
        if key in self.asks_for or key in self.told:
            return
        self.told.add(key)
        for ask_for in self.listeners:
            ask_for(key)


class _Account:
    def __init__(self, now_ms: int) -> None:
        self.desk = TokenDesk({})
        self.known_since_ms = now_ms
        self._asked: dict[str, dict[str, Rate]] = {}
        """By key: what each run asks for."""
        self._slow_until: dict[str, float] = {}

    @property
    def limited(self) -> set[str]:
        return {key for key, asked in self._asked.items() if any(rate.count for rate in asked.values())}

    def join(self, run_id: str, key: str, rate: Rate, now_ms: int) -> None:
        self._asked.setdefault(key, {})[run_id] = rate
        self._set(key, now_ms)

    def leave(self, run_id: str, now_ms: int) -> None:
        """The last rate of a key stays in the desk, with what was spent, for the next run that asks for it."""
        for key, asked in self._asked.items():
            if asked.pop(run_id, None) is not None and asked:
                self._set(key, now_ms)

    def lend(self, key: str, want: int, now_ms: int) -> Lease:
        limited = self.limited
        if key in limited or key.partition(":")[0] in limited:
            return self.desk.lend(key, want, now_ms)
        blocked = self._slow_until.get(key, 0.0)
        if blocked > now_ms:
            return Lease(0, now_ms, blocked)
        return Lease(0, now_ms + _LOOK_AGAIN_MS, unlimited=True)

    def slow(self, key: str, until_ms: float) -> None:
        self.desk.slow((key,), until_ms)
        self._slow_until[key] = max(until_ms, self._slow_until.get(key, 0.0))

    def _set(self, key: str, now_ms: int) -> None:
        limited = [rate for rate in self._asked[key].values() if rate.count]
        self.desk.set_rate(key, min(limited, key=lambda rate: rate.count / rate.per_s, default=_UNLIMITED), now_ms)
