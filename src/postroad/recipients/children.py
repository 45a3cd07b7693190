"""Work in a child process over three pipes, so that its memory and its crashes stay its own.

The parent writes one JSON line to the child's stdin and keeps the pipe open: when it closes, because the parent is gone
or has had enough, the child exits at once. The child answers with JSON lines: progress, then a result or an error of
our tree. Whatever else it prints goes to its stderr, of which the end is shown if it dies.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import postroad
from postroad.foundation.secret_lookup import PREFIX
from postroad.vocabulary.errors import PostroadError

Report = Callable[[int], None]
OnStart = Callable[[Callable[[], None]], None]
_SHOWN_BYTES = 2_000
_KEPT_BACK = (PREFIX, "POSTROAD_DATABASE_PASSWORD", "POSTROAD_DATABASE_PASSWORD_FILE", "POSTROAD_DATABASE_URL", "PG")


def run_child(
    module: str, request: dict[str, Any], on_progress: Report | None = None, on_start: OnStart | None = None
) -> dict[str, Any]:
    """Blocks until `python -m module` has answered. Raises the error it answered with, as if it were raised here.

    `on_start` gets a function that kills the child from any thread; this call then raises PostroadError.
    """
    with tempfile.TemporaryFile() as stderr:
        child = subprocess.Popen(  # noqa: S603  (run: the command is a list, no shell parses it; until 2027-11-30)
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=child_environment(),
        )
        try:
            if on_start is not None:
                on_start(child.kill)
            return _converse(child, request, on_progress, module)
        except BrokenPipeError:
            child.wait()
            raise _died(child, stderr, module) from None
        except _SilentEnd:
            raise _died(child, stderr, module) from None
        finally:
            child.kill()
            child.wait()
            for pipe in child.stdin, child.stdout:
                if pipe is not None:
                    _close(pipe)


class _SilentEnd(Exception):
    pass


def _converse(
    child: "subprocess.Popen[bytes]", request: dict[str, Any], on_progress: Report | None, module: str
) -> dict[str, Any]:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps(request).encode() + b"\n")
    child.stdin.flush()
    for line in child.stdout:
        message = json.loads(line)
        if "result" in message:
            result: dict[str, Any] = message["result"]
            return result
        if "error" in message:
            raise _error_from_wire(message["error"])
        if on_progress is not None:
            on_progress(message["progress"])
    child.wait()
    raise _SilentEnd(module)


def _close(pipe: Any) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        return


def _died(child: "subprocess.Popen[bytes]", stderr: Any, module: str) -> PostroadError:
    stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, stderr.tell() - _SHOWN_BYTES))
    said = [line.strip() for line in stderr.read().decode(errors="replace").splitlines()]
    words = [line for line in said if line.strip("^~ ")]
    if child.returncode < 0:
        end = f"signal {-child.returncode}; it may have needed more memory than there is"
    else:
        end = f"exit code {child.returncode}"
    return PostroadError(f"the process {module} ended early ({end})" + (f". It said: {words[-1]}" if words else ""))


def child_environment() -> dict[str, str]:
    """Ours without the secrets in it: this child needs none, and a dump of it shall hold none.

    What libpq takes from `PG…` and from a password file of ours goes too: a query names its server, and whoever names
    the server would be shown the password.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_KEPT_BACK)}
    return {**kept, "PGPASSFILE": os.devnull, "PYTHONPATH": _python_path(), "PYTHONUTF8": "1"}


def _python_path() -> str:
    here = str(Path(postroad.__file__).parents[1])
    return os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])


def serve_parent(work: Callable[[dict[str, Any], Report], dict[str, Any]]) -> None:
    """The child's whole life: one request, one answer."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    request = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_leave_with_parent, daemon=True).start()

    def say(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message).encode() + b"\n")

    try:
        say({"result": work(request, lambda count: say({"progress": count}))})
    except PostroadError as error:
        say({"error": _error_to_wire(error)})


def _leave_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(3)


def _error_to_wire(error: PostroadError) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "field": error.field, "row": error.row}


def _error_from_wire(wire: dict[str, Any]) -> PostroadError:
    kinds = {PostroadError.code: PostroadError}
    left = [PostroadError]
    while left:
        for kind in left.pop().__subclasses__():
            kinds.setdefault(kind.code, kind)
            left.append(kind)
    return kinds.get(wire["code"], PostroadError)(wire["message"], field=wire["field"], row=wire["row"])
