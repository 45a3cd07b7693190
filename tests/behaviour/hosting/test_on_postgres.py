"""The same on PostgreSQL, and two instances of the service that share one."""

import itertools
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from tests.behaviour.hosting.conftest import post_in
from tests.builders.hosted_runs import Post, loopback_settings, sending_service
from tests.builders.http_receiver import HttpReceiver
from tests.builders.postgres_server import PostgresServer
from tests.builders.service import RunningService, composed

from postroad.foundation.service_settings import Settings

_NUMBERS = itertools.count(1)


def _settings(server: PostgresServer, folder: Path, **flags: str) -> Settings:
    return loopback_settings(
        folder,
        environment={"POSTROAD_DATABASE_PASSWORD": server.password},
        **{"worker.embedded.maxRuns": "1", **flags},
    )


@pytest.fixture(scope="module")
def url(postgres_server: PostgresServer) -> str:
    """A database of its own."""
    name = f"hosting_{next(_NUMBERS)}"
    with psycopg.connect(postgres_server.url(), password=postgres_server.password, autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
    return postgres_server.url(name)


@pytest.fixture(scope="module")
def service(
    postgres_server: PostgresServer, url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("one")
    with sending_service(folder, _settings(postgres_server, folder, **{"database.url": url})) as running:
        yield running


def test_a_run_goes_on_over_a_restart_and_ends_well(post: Post, receiver: HttpReceiver) -> None:
    run = post.started(post.job(40, rate="40/s"))
    receiver.wait_for(10)
    post.obeyed(run["id"], "concurrency", target=3)
    post.restart()
    ended = post.judged(run["id"], receiver.copies, 0)
    assert (ended["state"], ended["shards"][0]["epoch"]) == ("SUCCEEDED", 2)


def test_two_instances_share_the_accounts_and_each_ends_what_it_began(
    service: RunningService, postgres_server: PostgresServer, url: str, tmp_path: Path
) -> None:
    mine = service.composition.settings
    shared = {"keys.file": str(mine.keys.file), "artifacts.directory": str(mine.artifacts.directory)}
    settings = _settings(postgres_server, tmp_path, **{"database.url": url, **shared})
    with HttpReceiver(slow_s=0.05) as receiver, closing(composed(tmp_path, settings=settings)) as other:
        post = post_in(service, tmp_path, receiver)
        one, two = post.account(), post.account()
        other.start_work()
        try:
            runs = [post.started(post.job(25, account=who, rate={"account": "20/s"})) for who in (one, one, two)]
            ended = [post.ended(run["id"]) for run in runs]
        finally:
            assert other.stop_work(20)

    assert [run["counts"]["succeeded"] for run in ended] == [25, 25, 25]
    assert set(receiver.copies.values()) == {3}
    assert receiver.most_in_any(0.95) <= 20 + 20
    workers = [run["leases"][0]["workerId"] for run in ended]
    assert set(workers) == {service.composition.host.worker_id, other.host.worker_id}
    assert post.outcomes(runs[0]["id"]) == {"SUCCEEDED": 25}
