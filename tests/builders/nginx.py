"""A real nginx on a free loopback port: a front that is told how to behave, and behind it a service that counts.

The front hands everything to the service through a socket file and logs how it answered. What reached the service
stands in a log of its own: one line is one copy, written as soon as it is answered. The header
`X-Recipient` names the recipient.
"""

import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.builders.daemons import Daemon, free_port, room, unprivileged, wait_until
from tests.peers.install import find_program

_FIELDS = (
    "$http_x_recipient",
    "$status",
    "$connection",
    "$ssl_protocol",
    "$sent_http_transfer_encoding",
    "$ssl_client_s_dn",
)
_CONFIGURATION = """\
daemon off;
worker_processes 2;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
events {{ worker_connections 512; }}
http {{
  log_format who '{generation}{fields}';
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  {http}
  server {{
    listen 127.0.0.1:{port}{tls};
    access_log {folder}/front.log who;
    {server}
    location / {{ {place} proxy_pass http://unix:{folder}/service.sock; }}
  }}
  server {{
    listen unix:{folder}/service.sock;
    access_log {folder}/copies.log who;
    client_max_body_size 0;
    lingering_close off;
    default_type application/json;
    location / {{ {service} }}
  }}
}}
"""


@dataclass(frozen=True)
class Answered:
    """One line of the front's log."""

    generation: int
    recipient: str
    status: int
    connection: str
    tls: str
    coding: str
    client: str


@dataclass
class Behaviour:
    """Directives by where they stand: `http`, the front's `server` and its `place`, and what the `service` does."""

    http: str = ""
    server: str = ""
    place: str = ""
    service: str = "return 200 '{\"ok\": true}';"
    certificate: Path | None = None
    """PEM with key and certificate; the front then speaks TLS."""


@dataclass
class Nginx:
    folder: Path
    behaviour: Behaviour
    port: int = field(default_factory=free_port)
    generation: int = 0
    """Of the configuration: 1 at the start, one more with every reload."""

    def __post_init__(self) -> None:
        program = find_program("nginx")
        assert program is not None, "nginx is missing; run `make peers`"
        where = ["-p", str(self.folder), "-e", str(self.folder / "error.log"), "-c", str(self.folder / "nginx.conf")]
        self._command = [program, *where]
        self._daemon = Daemon(self._command, self.port, self.folder / "said.log")

    def start(self) -> None:
        """The same port every time. What a killed one left behind is taken away first."""
        (self.folder / "service.sock").unlink(missing_ok=True)
        self._configure()
        self._daemon.start()

    def stop(self) -> None:
        """At once: what is in flight is cut."""
        self._daemon.end(signal.SIGTERM)

    def kill(self) -> None:
        """All its processes. What was answered last may be missing in the logs."""
        self._daemon.end(signal.SIGKILL)

    def reload(self, behaviour: Behaviour | None = None) -> None:
        """Returns when the new workers are asked for; the old ones finish what they have."""
        self.behaviour = behaviour or self.behaviour
        self._configure()
        subprocess.run([*self._command, "-s", "reload"], check=True, cwd="/", **unprivileged())

    def final_answers(self) -> list[Answered]:
        """Stops first: an answer is seen before its line is written."""
        self.stop()
        return [
            Answered(int(generation), recipient, int(status), *rest)
            for generation, recipient, status, *rest in self._lines("front.log")
        ]

    def final_copies(self) -> Counter[str]:
        """How many requests of each recipient reached the service. Stops first, as above."""
        self.stop()
        return Counter(line[1] for line in self._lines("copies.log"))

    def wait_for(self, copies: int) -> None:
        wait_until(lambda: len(self._lines("copies.log")) >= copies, f"{copies} requests at nginx")

    def _configure(self) -> None:
        self.generation += 1
        made = self.behaviour
        tls = f"ssl_certificate {made.certificate}; ssl_certificate_key {made.certificate};" if made.certificate else ""
        text = _CONFIGURATION.format(
            folder=self.folder,
            generation=self.generation,
            fields="".join(f"\\t{name}" for name in _FIELDS),
            http=made.http,
            port=self.port,
            tls=" ssl" if tls else "",
            server=f"{tls} {made.server}",
            place=made.place,
            service=made.service,
        )
        (self.folder / "nginx.conf").write_text(text, encoding="utf-8")

    def _lines(self, name: str) -> list[list[str]]:
        path = self.folder / name
        return [line.split("\t") for line in path.read_text("utf-8").splitlines()] if path.exists() else []


@contextmanager
def running_nginx(behaviour: Behaviour | None = None, *, folder: Path | None = None) -> Iterator[Nginx]:
    """`folder` is a room made before, with what the behaviour names in it."""
    with room("nginx") as made:
        nginx = Nginx(folder or made, behaviour or Behaviour())
        nginx.start()
        try:
            yield nginx
        finally:
            nginx.stop()
