"""Whatever a client sends, fit or unfit, the answer is one the contract names. Few examples, always the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.builders.service import RunningService, running_service

from postroad.foundation.service_settings import load_settings
from postroad.vocabulary.roles import Role

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
ENDLESS = {"watchWorkspace", "watchRun"}
ENDS_THE_SESSION = {"signOut", "signOutEverywhere", "revokeSession"}
EXAMPLES = {schemathesis.GenerationMode.POSITIVE: 2, schemathesis.GenerationMode.NEGATIVE: 1}
BOUNDED = settings(
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def unhurried(tmp_path: Path) -> Iterator[RunningService]:
    """With room for many requests of one caller."""
    plenty = {"limits.burst": "100000", "limits.requestsPerSecond": "100000"}
    with running_service(tmp_path, settings=load_settings(flags={"dataDir": str(tmp_path), **plenty})) as service:
        yield service


@pytest.mark.parametrize("mode", EXAMPLES)
def test_every_answer_is_one_the_contract_names(unhurried: RunningService, mode: schemathesis.GenerationMode) -> None:
    document = unhurried.outside.get("/api/openapi.json").json()
    admin = unhurried.client(Role.ADMIN, system_admin=True)
    connection = requests.Session()
    connection.trust_env = False
    connection.headers.update({name: admin.headers[name] for name in ("cookie", "x-postroad-csrf")})
    wrong: list[str] = []
    for found in schemathesis.openapi.from_dict(document).get_all_operations():
        operation = found.ok()
        name = operation.definition.raw["operationId"]
        if name in ENDLESS | ENDS_THE_SESSION:
            continue
        known = {"workspaceId": unhurried.workspace_id} if "{workspaceId}" in operation.path else {}

        @settings(BOUNDED, max_examples=EXAMPLES[mode])
        @given(case=operation.as_strategy(generation_mode=mode, path_parameters=known or None))
        def ask(case: schemathesis.Case) -> None:
            response = case.call(base_url=unhurried.url, session=connection, timeout=10)
            case.validate_response(response, checks=CHECKS)

        try:
            ask()
        except Unsatisfiable:
            assert not operation.definition.raw.get("parameters"), "nothing to get wrong, so nothing is made"
        except Exception as error:  # noqa: BLE001  (tests: every failure is collected; until 2028-01-01)
            wrong.append(f"{name}: {str(error)[:1500]}")
    assert wrong == [], "\n\n".join(wrong)
