"""A real postfix on a free loopback port, all that it has below one folder: configuration, queue, log, mailboxes.

Only its master needs to be root; it is started as root and its workers step down. It takes mail for `DOMAINS` from this
machine, refuses recipients whose name begins with `missing`, and delivers all others into one Maildir, where
`delivered` reads them back. Nothing is sent anywhere else.
"""

import re
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from tests.builders.daemons import Daemon, free_port, room, wait_until
from tests.peers.install import find_program

DOMAINS = ("example.com", "example.net", "xn--bcher-kva.example")
_MAIN = """\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/mail.log
maillog_file_prefixes = {folder}
myhostname = mail.example.org
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
alias_maps =
alias_database =
default_transport = error:nothing leaves this machine
virtual_mailbox_domains = {domains}
virtual_mailbox_base = {folder}
virtual_mailbox_maps = regexp:{folder}/etc/mailboxes
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
smtputf8_enable = yes
smtpd_tls_received_header = yes
queue_run_delay = 1s
minimal_backoff_time = 1s
{more}
"""
_MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
proxymap unix - - n - - proxymap
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""
_OWN_FOLDERS = (
    "data",
    *(f"queue/{name}" for name in ("active", "bounce", "corrupt", "defer", "deferred", "flush", "hold", "incoming")),
    *(f"queue/{name}" for name in ("maildrop", "pid", "private", "public", "saved", "trace")),
)
_MAILBOXES = "if !/^missing/\n/@/ mailboxes/all/\nendif\n"


@dataclass
class Postfix:
    """`settings` are lines of main.cf."""

    folder: Path
    settings: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        for name in "etc", "queue", "mailboxes":
            (self.folder / name).mkdir()
        (self.folder / "mailboxes").chmod(0o777)
        made = "\n".join(self.settings)
        files = {
            "main.cf": _MAIN.format(folder=self.folder, domains=", ".join(DOMAINS), more=made),
            "master.cf": _MASTER.format(port=self.port),
            "mailboxes": _MAILBOXES,
        }
        for name, text in files.items():
            (self.folder / "etc" / name).write_text(text, encoding="utf-8")
        _make_queue(self.folder)
        master = f"{_compiled_in('daemon_directory')}/master"
        self._daemon = Daemon(
            [master, "-c", f"{self.folder}/etc", "-d"], self.port, self.folder / "said.log", as_whom={}
        )

    def start(self) -> None:
        self._daemon.start()

    def stop(self) -> None:
        """As an operator does: sessions under way are cut."""
        self._daemon.end(signal.SIGTERM)

    def kill(self) -> None:
        """All its processes, with whatever they had in hand."""
        self._daemon.end(signal.SIGKILL)

    def wait_for(self, mails: int) -> None:
        wait_until(lambda: self._log.count(": removed\n") >= mails, f"{mails} mails through postfix")

    def final_mails(self) -> list[EmailMessage]:
        """Everything that was taken, once it is all delivered; then stops. `X-Original-To` is the recipient."""
        wait_until(lambda: not self._queued(), "postfix delivers what it has taken")
        self.stop()
        files = (self.folder / "mailboxes" / "all" / "new").glob("*")
        return [message_from_bytes(path.read_bytes(), policy=policy.SMTPUTF8) for path in files]

    def final_copies(self) -> Counter[str]:
        """How often each recipient's mail was taken. A postfix that was killed may deliver one of them again."""
        taken = {(str(mail["X-Original-To"]), _queue_id(mail)) for mail in self.final_mails()}
        return Counter(recipient for recipient, _ in taken)

    @property
    def _log(self) -> str:
        path = self.folder / "mail.log"
        return path.read_text("utf-8", "replace") if path.exists() else ""

    def _queued(self) -> list[Path]:
        """Files of mails in the queue; one that is still being received belongs to a session and is not among them."""
        places = (self.folder / "queue" / name for name in ("maildrop", "active", "deferred", "hold"))
        received = (path for path in (self.folder / "queue" / "incoming").rglob("*") if path.is_file())
        whole = [path for path in received if path.stat().st_mode & 0o100]
        return whole + [path for place in places for path in place.rglob("*") if path.is_file()]


def _make_queue(folder: Path) -> None:
    """What `postfix check` would make; it takes two seconds."""
    for name in _OWN_FOLDERS:
        path = folder / name
        path.mkdir()
        path.chmod(0o755 if name == "queue/pid" else 0o710 if name == "queue/public" else 0o700)
        if name != "queue/pid":
            shutil.chown(path, "postfix", "postdrop")


def _compiled_in(setting: str) -> str:
    program = find_program("postconf")
    assert program is not None, "postconf is missing; run `make peers`"
    done = subprocess.run([program, "-d", "-h", setting], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _queue_id(mail: EmailMessage) -> str:
    found = re.search(r"\bid (\w+)", str(mail["Received"]))
    assert found is not None, mail["Received"]
    return found[1]


@contextmanager
def running_postfix(*settings: str) -> Iterator[Postfix]:
    with room("postfix", owned=False) as folder:
        postfix = Postfix(folder, settings)
        postfix.start()
        try:
            yield postfix
        finally:
            postfix.stop()
