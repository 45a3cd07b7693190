"""Rights in a workspace that is archived, or is not there at all."""

import pytest
from tests.builders.people import SYSTEM, House

from postroad.kernel.authz import RULES, Action, Principal, Resource
from postroad.kernel.versions import Expected
from postroad.modules import workspaces
from postroad.modules.workspaces import MoveWorkspace, WorkspaceStatus
from postroad.vocabulary.refusals import ResourceNotFound, StateConflict
from postroad.vocabulary.roles import Role

STAYS_POSSIBLE = {
    Action.RUNS_COMMAND,
    Action.ARTIFACTS_HOLD,
    Action.MEMBERS_WRITE,
    Action.TOKENS_WRITE,
    Action.TOKENS_OWN,
    Action.SYSTEM_ADMIN,
    *(action for action in Action if action.value.endswith(":read")),
}


def _archived(house: House) -> str:
    workspace_id = house.other_workspace()
    ask = MoveWorkspace(workspace_id, WorkspaceStatus.ARCHIVED, Expected(1))
    house.database.write(SYSTEM, lambda uow: workspaces.move_workspace(uow, ask))
    return workspace_id


def _asked(house: House, principal: Principal, action: Action, workspace_id: str) -> None:
    house.database.write(principal, lambda uow: uow.authorize(action, Resource(workspace_id, "thing")))


def test_people_change_nothing_in_an_archived_workspace_but_may_read_stop_and_take_away(house: House) -> None:
    workspace_id = _archived(house)
    house.user("anna", system_admin=True)
    house.join("anna", Role.ADMIN, workspace_id)
    anna = house.sign_in("anna")
    refused = set()
    for action in Action:
        try:
            _asked(house, anna, action, workspace_id)
        except StateConflict:
            refused.add(action)
    assert refused == set(Action) - STAYS_POSSIBLE
    assert refused == {action for action, rule in RULES.items() if not rule.when_archived}


def test_what_the_service_does_by_itself_goes_on_to_its_end(house: House) -> None:
    _asked(house, SYSTEM, Action.RUNS_START, _archived(house))


def test_a_system_administrator_finds_nothing_in_a_workspace_that_is_not_there(house: House) -> None:
    admin = house.administrator()
    for action in (Action.MESSAGES_READ, Action.MESSAGES_WRITE, Action.SYSTEM_ADMIN):
        with pytest.raises(ResourceNotFound):
            _asked(house, admin, action, "missing")
    resource = Resource("missing", "message")
    with pytest.raises(ResourceNotFound):
        house.database.read(admin, lambda reading: reading.authorize(Action.MESSAGES_READ, resource))
    _asked(house, admin, Action.MESSAGES_WRITE, house.workspace_id)
