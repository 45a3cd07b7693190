"""wrk with one thread, 64 connections and one fixed body: what one core of C can push into the receiver."""

import re
import shutil
import subprocess
from pathlib import Path

from benchmarks.loads.aiohttp_loop import body_of
from benchmarks.machine import SENDER, on_core
from benchmarks.recipe import IN_FLIGHT

_ROW = {"email": "user7@example7.com", "name": "张三7", "city": "上海", "amount": "7.07", "note": "hello, 您好 7"}
_RATE = re.compile(r"^Requests/sec:\s+([0-9.]+)$", re.MULTILINE)


def is_there() -> bool:
    return shutil.which("wrk") is not None


def requests_per_s(url: str, folder: Path, seconds: int) -> float:
    """Raises RuntimeError where anything but 200 came back."""
    (folder / "body.json").write_bytes(body_of(_ROW))
    script = folder / "post.lua"
    script.write_text(
        'wrk.method = "POST"\n'
        f'local file = io.open("{folder / "body.json"}", "rb")\n'
        'wrk.body = file:read("*a")\n'
        'wrk.headers["Content-Type"] = "application/json"\n'
    )
    command = ["wrk", "-t1", f"-c{IN_FLIGHT}", f"-d{seconds}s", "-s", str(script), f"{url}/send"]
    with on_core(SENDER):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = _RATE.search(done.stdout)
    if found is None or "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise RuntimeError(f"wrk: {done.stdout.strip() or done.stderr.strip()}")
    return float(found.group(1))
