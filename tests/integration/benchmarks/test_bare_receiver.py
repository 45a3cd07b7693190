"""The receiver of machines without nginx."""

from pathlib import Path

import pytest
from benchmarks.loads.transport_calls import work
from benchmarks.receivers import BODY, bare
from benchmarks.receivers.certificate import write_certificate


@pytest.mark.parametrize("client", ["ours", "aiohttp"])
def test_it_answers_every_request_of_both_clients_with_and_without_tls(client: str, tmp_path: Path) -> None:
    write_certificate(tmp_path)
    with bare.serve(tmp_path, BODY) as (port, tls_port):
        for url in (f"http://127.0.0.1:{port}", f"https://127.0.0.1:{tls_port}"):
            cost = work({"client": client, "url": url, "ca_file": str(tmp_path / "ca.pem"), "count": 200})
            assert cost["per_s"] > 0
