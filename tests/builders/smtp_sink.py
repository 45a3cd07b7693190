"""postfix's smtp-sink: an independent receiver of mail with faults by option (smtp-sink(1)), and counters of its own.

`-c` makes it print how many sessions, ends and messages it saw; `-d` makes it keep each mail in a file. Both are read
only after it has ended, when they are complete.
"""

import re
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from tests.builders.daemons import Daemon, free_port, room, wait_until
from tests.peers.install import find_program

_RECIPIENT = re.compile(rb"^X-Rcpt-Args: (?:TO:)?<([^>]*)>", re.MULTILINE | re.IGNORECASE)


@dataclass
class SmtpSink:
    folder: Path
    options: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    lives: int = 0

    def __post_init__(self) -> None:
        self._daemon = Daemon([], self.port, self.folder / "said.log")

    def start(self) -> None:
        """Each life keeps its mails in a folder of its own: the sink uses the same names again and stops over it."""
        program = find_program("smtp-sink")
        assert program is not None, "smtp-sink is missing; run `make peers`"
        self.lives += 1
        kept = f"{self.folder}/mail/{self.lives}/m."
        self._daemon.command = [program, "-c", "-d", kept, *self.options, f"127.0.0.1:{self.port}", "128"]
        self._daemon.start()

    def kill(self) -> None:
        self._daemon.end(signal.SIGKILL)

    def wait_for(self, mails: int) -> None:
        wait_until(lambda: len(self._files()) >= mails, f"{mails} mails at smtp-sink")

    def final_mails(self) -> list[EmailMessage]:
        """Those that came whole, with the sink's own `X-` headers before ours. Ends the sink first."""
        self.kill()
        return [message_from_bytes(raw, policy=policy.default) for raw in self._whole()]

    def final_copies(self) -> Counter[str]:
        """How many whole mails each recipient got. Ends the sink first."""
        self.kill()
        return Counter(found.decode() for raw in self._whole() for found in _RECIPIENT.findall(raw))

    def final_counters(self) -> tuple[int, int, int]:
        """Sessions, QUITs and messages by the sink's own count. Ends the sink first."""
        self.kill()
        counted = re.findall(r"sess=(\d+) quit=(\d+) mesg=(\d+)", self._daemon.said)
        sessions, quits, messages = counted[-1] if counted else ("0", "0", "0")
        return int(sessions), int(quits), int(messages)

    def _files(self) -> list[Path]:
        return list((self.folder / "mail").glob("*/m.*"))

    def _whole(self) -> list[bytes]:
        """A mail that was not ended by a dot lacks the empty line at its end."""
        return [raw for raw in (path.read_bytes() for path in self._files()) if raw.endswith(b"\n\n")]


@contextmanager
def running_sink(*options: str) -> Iterator[SmtpSink]:
    with room("smtp-sink") as folder:
        sink = SmtpSink(folder, options)
        sink.start()
        try:
            yield sink
        finally:
            sink.kill()
