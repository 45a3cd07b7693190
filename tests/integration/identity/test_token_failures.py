"""A token whose calls are refused again and again: counted over an hour, disabled once, enabled by its owner."""

import threading

import pytest
from tests.builders.people import House

from postroad.kernel.authz import Principal
from postroad.kernel.uow import Reading
from postroad.modules import identity
from postroad.modules.identity import IssuedToken, TokenStatus
from postroad.vocabulary.refusals import AuthenticationRequired, ResourceNotFound
from postroad.vocabulary.roles import Role

SERVICE = Principal.system("open-api")


def _refused(house: House, issued: IssuedToken) -> bool:
    return house.database.write(SERVICE, lambda uow: identity.note_open_failure(uow, issued.token.id))


def _status(house: House, owner: Principal, issued: IssuedToken) -> TokenStatus:
    def work(reading: Reading) -> TokenStatus:
        return identity.get_token(reading, house.workspace_id, issued.token.id).status(house.clock.now_ms())

    return house.database.read(owner, work)


def test_of_refusals_at_once_exactly_one_disables_the_token(house: House) -> None:
    owner = house.member("anna", Role.OPERATOR)
    issued = house.token(owner, ["jobs:run"])
    for _ in range(8):
        assert not _refused(house, issued)
    flipped: list[bool] = []
    threads = [threading.Thread(target=lambda: flipped.append(_refused(house, issued))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(flipped) == [False] * 5 + [True]
    assert _status(house, owner, issued) is TokenStatus.DISABLED
    assert [one.resource_id for one in house.audited(action="token.disable")] == [issued.token.id]
    with pytest.raises(AuthenticationRequired):
        house.authenticator.by_token(issued.secret)


def test_refusals_older_than_an_hour_are_not_counted(house: House) -> None:
    issued = house.token(house.member("anna", Role.OPERATOR), ["jobs:run"])
    for _ in range(9):
        _refused(house, issued)
    house.clock.advance(s=3600)
    assert not _refused(house, issued)
    assert house.authenticator.by_token(issued.secret).token_id == issued.token.id


def test_its_owner_alone_enables_it_and_the_count_begins_anew(house: House) -> None:
    owner, admin = house.member("anna", Role.OPERATOR), house.member("root2", Role.ADMIN)
    issued = house.token(owner, ["jobs:run"])
    for _ in range(10):
        _refused(house, issued)
    with pytest.raises(ResourceNotFound):
        house.database.write(admin, lambda uow: identity.enable_token(uow, house.workspace_id, issued.token.id))
    for _ in range(2):
        enabled = house.database.write(
            owner, lambda uow: identity.enable_token(uow, house.workspace_id, issued.token.id)
        )
        assert (enabled.status(house.clock.now_ms()), enabled.version) == (TokenStatus.ACTIVE, 3)
    for _ in range(9):
        assert not _refused(house, issued)
    assert house.authenticator.by_token(issued.secret).token_id == issued.token.id
