"""nginx as a receiver: one process in the foreground, its own prefix, loopback only, no logs."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.machine import RECEIVER, on_core

_START_S = 10.0
_CONFIGURATION = """
daemon off;
master_process off;
pid nginx.pid;
error_log error.log crit;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  keepalive_requests 1000000000;
  keepalive_timeout 300s;
  default_type application/json;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.1:{tls_port} ssl;
    ssl_certificate server.pem;
    ssl_certificate_key server.pem;
    ssl_protocols TLSv1.3;
    location / {{ return 200 '{body}'; }}
  }}
}}
"""


@contextmanager
def serve(program: str, folder: Path, body: bytes) -> Iterator[tuple[int, int]]:
    """The plain port and the one for TLS. `folder` holds `server.pem` and gets nginx's own files."""
    port, tls_port = _free_ports()
    conf = folder / "nginx.conf"
    conf.write_text(_CONFIGURATION.format(port=port, tls_port=tls_port, body=body.decode()))
    with on_core(RECEIVER):
        process = subprocess.Popen([program, "-p", str(folder), "-c", str(conf), "-e", str(folder / "error.log")])
    try:
        _wait_for(process, tls_port)
        yield port, tls_port
    finally:
        process.terminate()
        process.wait(timeout=10)


def _free_ports() -> tuple[int, int]:
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        return first.getsockname()[1], second.getsockname()[1]


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    raise RuntimeError("nginx did not start; see its error.log, or take it off the path to measure without it")
