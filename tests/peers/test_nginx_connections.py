"""HTTP to a real nginx: connections that it closes as it likes, and TLS with an authority of our own."""

from collections import Counter
from pathlib import Path

import pytest
from tests.builders.authority import Authority
from tests.builders.daemons import room
from tests.builders.nginx import Behaviour, running_nginx
from tests.peers.sending import ONCE, check
from tests.peers.web import names, plan, rows

from postroad.vocabulary.transitions import RunState


async def test_connections_that_end_after_seven_requests_cost_nobody() -> None:
    with running_nginx(Behaviour(server="keepalive_requests 7;")) as nginx:
        ran = await plan(nginx, retry=ONCE).run(rows(700))
        used = Counter(line.connection for line in nginx.final_answers())
        check(ran.outcomes, names(700), nginx.final_copies())
    assert (ran.summary.state, ran.summary.succeeded) == (RunState.SUCCEEDED, 700)
    assert max(used.values()) == 7
    assert len(used) >= 100


async def test_connections_that_end_while_nobody_needs_them_cost_nobody() -> None:
    with running_nginx(Behaviour(server="keepalive_timeout 50ms;")) as nginx:
        ran = await plan(nginx, retry=ONCE, rate=5, at_once=1).run(rows(12))
        used = {line.connection for line in nginx.final_answers()}
        check(ran.outcomes, names(12), nginx.final_copies())
    assert ran.summary.succeeded == 12
    assert len(used) >= 7


async def test_a_server_without_keep_alive_gets_one_connection_a_request() -> None:
    with running_nginx(Behaviour(server="keepalive_timeout 0;")) as nginx:
        ran = await plan(nginx, retry=ONCE).run(rows(300))
        used = {line.connection for line in nginx.final_answers()}
        check(ran.outcomes, names(300), nginx.final_copies())
    assert (ran.summary.succeeded, len(used)) == (300, 300)


@pytest.mark.parametrize("version", ["TLSv1.2", "TLSv1.3"])
async def test_tls_is_spoken_and_its_connections_are_kept(version: str) -> None:
    with room("nginx-tls") as folder:
        authority = Authority(folder)
        spoken = f"ssl_protocols {version}; keepalive_requests 50;"
        with running_nginx(Behaviour(server=spoken, certificate=authority.issue("127.0.0.1"))) as nginx:
            ran = await plan(nginx, tls={"caFile": str(authority.ca_file)}, retry=ONCE).run(rows(400))
            lines = nginx.final_answers()
            check(ran.outcomes, names(400), nginx.final_copies())
    assert ran.summary.succeeded == 400
    assert {line.tls for line in lines} == {version}
    assert max(Counter(line.connection for line in lines).values()) == 50


async def test_tls_connections_that_end_while_nobody_needs_them_cost_nobody() -> None:
    with room("nginx-tls") as folder:
        authority = Authority(folder)
        behaviour = Behaviour(server="keepalive_timeout 50ms;", certificate=authority.issue("127.0.0.1"))
        with running_nginx(behaviour) as nginx:
            tls = {"caFile": str(authority.ca_file)}
            ran = await plan(nginx, tls=tls, retry=ONCE, rate=5, at_once=1).run(rows(12))
            check(ran.outcomes, names(12), nginx.final_copies())
    assert ran.summary.succeeded == 12


async def test_a_server_that_asks_for_a_certificate_gets_ours(tmp_path: Path) -> None:
    with room("nginx-tls") as folder:
        authority = Authority(folder)
        asks = f"ssl_client_certificate {authority.ca_file}; ssl_verify_client on;"
        with running_nginx(Behaviour(server=asks, certificate=authority.issue("127.0.0.1"))) as nginx:
            own = str(authority.issue("sender.example.org"))
            tls = {"caFile": str(authority.ca_file), "clientCertificate": own}
            ran = await plan(nginx, tls=tls, retry=ONCE).run(rows(20))
            without = await plan(nginx, tls={"caFile": str(authority.ca_file)}, retry=ONCE).run(rows(3))
            clients = {line.client for line in nginx.final_answers() if line.status == 200}
            copies = nginx.final_copies()
    assert (ran.summary.succeeded, without.summary.succeeded, copies.total()) == (20, 0, 20)
    assert clients == {"CN=sender.example.org"}


@pytest.mark.parametrize("names_of", ["127.0.0.1", "example.com"], ids=["unknown authority", "another host"])
async def test_a_server_that_is_not_who_it_should_be_gets_nothing(names_of: str, tmp_path: Path) -> None:
    with room("nginx-tls") as folder:
        authority = Authority(folder)
        trusted = Authority(tmp_path) if names_of == "127.0.0.1" else authority
        with running_nginx(Behaviour(certificate=authority.issue(names_of))) as nginx:
            ran = await plan(nginx, tls={"caFile": str(trusted.ca_file)}, retry=ONCE).run(rows(5))
            lines = nginx.final_answers()
    assert (ran.summary.failed, lines) == (5, [])
    assert {(item.category, item.code) for item in ran.items.values()} == {("NETWORK", "TLS")}
