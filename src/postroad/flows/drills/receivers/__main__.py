"""`python -m postroad.flows.drills.receivers PLAN`: one receiver as a process.

PLAN is JSON: `kind` (http, batch or smtp), `seed`, `odds` by fate, `slowForS`, `throttleForS`. It prints one line
`{"port": …}` when it listens, answers each line on its standard input with its ledger as one line of JSON, and ends
when its standard input closes: a drill that dies leaves no receiver behind.
"""

import asyncio
import json
import sys

from postroad.flows.drills.receivers.http import HttpReceiver, batch_of_phones, one_by_id
from postroad.flows.drills.receivers.ledger import Ledger
from postroad.flows.drills.receivers.smtp import SmtpReceiver
from postroad.flows.drills.receivers.weather import Fate, Weather


async def main(plan_text: str) -> None:
    plan = json.loads(plan_text)
    weather = Weather(
        plan["seed"],
        {Fate(name): float(odds) for name, odds in plan["odds"].items()},
        slow_for_s=plan.get("slowForS", 0.05),
        throttle_for_s=plan.get("throttleForS", 1),
    )
    ledger = Ledger(weather)
    server = await _receiver(plan["kind"], ledger).serve()
    _print({"port": server.sockets[0].getsockname()[1]})
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        _print(ledger.report())
    server.close()


def _receiver(kind: str, ledger: Ledger) -> HttpReceiver | SmtpReceiver:
    if kind == "smtp":
        return SmtpReceiver(ledger)
    if kind == "batch":
        return HttpReceiver(ledger, batch_of_phones, b'{"Code":"OK","Message":"OK","BizId":"1","RequestId":"r"}')
    return HttpReceiver(ledger, one_by_id, b'{"ok":true}')


def _print(value: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
