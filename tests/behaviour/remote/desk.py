"""Somebody at the command line, signed in to a real service of the test's own process."""

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, NoReturn

import pytest
import structlog
from tests.behaviour.cli.office import Office
from tests.builders.hosted_runs import loopback_settings
from tests.builders.service import RunningService, running_service

from postroad.entrypoints.cli.remote.access.kept_session import KeptSession, keep_session
from postroad.foundation.home import Home
from postroad.vocabulary.roles import Role
from postroad.vocabulary.secret import Secret

SignIn = Callable[..., Office]


@pytest.fixture(scope="module", autouse=True)
def silence() -> Iterator[None]:
    """The service of this process would write its log between what the commands say."""

    def drop(_: Any, __: str, ___: MutableMapping[str, Any]) -> NoReturn:
        raise structlog.DropEvent

    structlog.configure(processors=[drop])
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One for all tests of a file, with all its background work; each test makes what it needs under names of its own.

    Messages may go to 127.0.0.1.
    """
    folder = tmp_path_factory.mktemp("service")
    with running_service(folder, settings=loopback_settings(folder)) as running:
        running.composition.start()
        try:
            yield running
        finally:
            running.composition.stop(10)


@pytest.fixture
def desk(office: Office, service: RunningService) -> SignIn:
    """`desk(Role.ADMIN)` is the office with somebody of that role signed in."""

    def sign_in(role: Role | None = Role.OPERATOR, *, system_admin: bool = False) -> Office:
        client = service.client(role, system_admin=system_admin)
        keep(office, service, client.headers["cookie"])
        return office

    return sign_in


def keep(office: Office, service: RunningService, cookie: str) -> None:
    """As if `postroad login` had been run."""
    home = Home(office.folder.parent / "home")
    keep_session(home, KeptSession(service.url, Secret(cookie), "somebody", service.workspace_id, "Work"))
