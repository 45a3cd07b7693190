"""Every error is a problem with a code, a trace id and a way out."""

from tests.builders.service import RunningService


def test_an_unknown_path_is_a_problem(service: RunningService) -> None:
    answer = service.outside.get("/api/v1/nothing")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["code"] == "RESOURCE_NOT_FOUND"
    assert problem["traceId"] == answer.headers["x-trace-id"]


def test_the_contract_is_served(service: RunningService) -> None:
    document = service.outside.get("/api/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    assert "Problem" in document["components"]["schemas"]
