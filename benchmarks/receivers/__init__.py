"""What takes the requests: nginx where it is installed, else a bare server of ours. Always on the last core.

All contenders of a run talk to the same receiver, which answers every request with the same 200.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.receivers import bare, nginx
from benchmarks.receivers.certificate import write_certificate

BODY = b'{"code": "0"}'


@dataclass(frozen=True, slots=True)
class Receiver:
    url: str
    tls_url: str
    ca_file: str
    name: str


@contextmanager
def open_receiver(folder: Path) -> Iterator[Receiver]:
    """Serves while the block lasts, over TCP and over TLS, on ports that were free."""
    write_certificate(folder)
    nginx_path = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    serving = nginx.serve(nginx_path, folder, BODY) if nginx_path else bare.serve(folder, BODY)
    with serving as (port, tls_port):
        yield Receiver(
            f"http://127.0.0.1:{port}",
            f"https://127.0.0.1:{tls_port}",
            str(folder / "ca.pem"),
            "nginx" if nginx_path else "bare",
        )
