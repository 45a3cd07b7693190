"""The parent's side of sealing: which runs are shown, and the child that does it.

The child is started with the first run. It may die, or be killed for the memory: whoever shows or looks next starts it
again, and it begins every run anew.
"""

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from postroad.recipients.children import child_environment

_COMMAND = (sys.executable, "-P", "-m", "postroad.recipients.live.seal_child")


class LiveParts:
    """From any thread; nothing here blocks for longer than a process takes to begin."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown: dict[str, str] = {}
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def show(self, journal: Path, parts: Path) -> None:
        """From now on `parts` follows the journals in the folder `journal`. Shown again it changes nothing."""
        with self._lock:
            if self._stopped or str(parts) in self._shown:
                return
            self._shown[str(parts)] = str(journal)
            if self._is_alive():
                self._tell({"show": str(parts), "journal": str(journal)})
            else:
                self._start()

    def hide(self, parts: Path) -> None:
        """Nobody looks at it any more; its folder goes soon."""
        with self._lock:
            self._shown.pop(str(parts), None)
            if self._is_alive():
                self._tell({"hide": str(parts)})
        if parts.exists() and not self._is_alive():
            shutil.rmtree(parts, ignore_errors=True)

    def revive(self) -> None:
        """Starts the child again where it died."""
        with self._lock:
            if self._shown and not self._stopped and not self._is_alive():
                self._start()

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            if child.stdin is not None:
                child.stdin.close()

    def _is_alive(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def _start(self) -> None:
        if self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()
        self._child = subprocess.Popen(  # noqa: S603  (run: the command is a list, no shell parses it; until 2027-11-30)
            _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=child_environment()
        )
        for parts, journal in self._shown.items():
            self._tell({"show": parts, "journal": journal})

    def _tell(self, order: dict[str, str]) -> None:
        """A child that is gone does not hear it; `revive` notices."""
        assert self._child is not None
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(order).encode() + b"\n")
            self._child.stdin.flush()
        except OSError:
            return
