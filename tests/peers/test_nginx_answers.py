"""What a real nginx answers: being told to slow down, long and chunked answers, bodies it does not take."""

import json

import pytest
from tests.builders.daemons import room
from tests.builders.nginx import Behaviour, running_nginx
from tests.peers.sending import ONCE, check
from tests.peers.web import names, plan, rows

_MEBIBYTE = 1_048_576


def limited(status: int) -> Behaviour:
    """Sixty a second and twenty ahead, then `status` with a second to wait."""
    return Behaviour(
        http="limit_req_zone $server_port zone=all:1m rate=60r/s;",
        server=f"limit_req_status {status}; error_page {status} = @slow; "
        f"location @slow {{ add_header Retry-After 1 always; return {status}; }}",
        place="limit_req zone=all burst=20 nodelay;",
    )


@pytest.mark.parametrize("status", [429, 503])
async def test_who_is_told_to_wait_is_reached_once_afterwards(status: int) -> None:
    with running_nginx(limited(status)) as nginx:
        ran = await plan(nginx, at_once=8).run(rows(60))
        refused = [line for line in nginx.final_answers() if line.status == status]
        check(ran.outcomes, names(60), nginx.final_copies())
    assert (ran.summary.succeeded, ran.summary.retried) == (60, len(refused))
    assert 1 <= len(refused) <= 8 * 4
    doubtful = len({line.recipient for line in refused}) if status == 503 else 0
    assert ran.summary.maybe_doubled == doubtful


def answer_of(size: int) -> str:
    return json.dumps({"padding": "x" * (size - 30), "ok": True})


@pytest.mark.parametrize("condition", [{}, {"jsonPath": "$.ok", "equals": True}], ids=["status", "value at its end"])
async def test_an_answer_of_a_megabyte_is_an_answer(condition: dict[str, object]) -> None:
    with room("nginx-files") as files:
        (files / "answer.json").write_text(answer_of(_MEBIBYTE - 10))
        behaviour = Behaviour(
            place="proxy_method GET; proxy_set_body '';", service=f"root {files}; try_files /answer.json =404;"
        )
        with running_nginx(behaviour) as nginx:
            ran = await plan(nginx, message={"successCondition": condition}, retry=ONCE).run(rows(40))
            check(ran.outcomes, names(40), nginx.final_copies())
    assert ran.summary.succeeded == 40


async def test_an_answer_too_long_to_be_read_for_its_value_is_doubt_and_not_asked_again() -> None:
    with room("nginx-files") as files:
        (files / "answer.json").write_text(answer_of(2 * _MEBIBYTE))
        behaviour = Behaviour(
            place="proxy_method GET; proxy_set_body '';", service=f"root {files}; try_files /answer.json =404;"
        )
        with running_nginx(behaviour) as nginx:
            condition = {"successCondition": {"jsonPath": "$.ok", "equals": True}}
            ran = await plan(nginx, message=condition).run(rows(10))
            copies = nginx.final_copies()
            check(ran.outcomes, names(10), copies)
    assert (ran.summary.unknown, copies.total()) == (10, 10)


async def test_chunked_answers_are_read_to_their_end_and_the_connection_is_kept() -> None:
    chunked = Behaviour(place="ssi on; ssi_types application/json;")
    with running_nginx(chunked) as nginx:
        condition = {"successCondition": {"jsonPath": "$.ok", "equals": True}}
        ran = await plan(nginx, message=condition, retry=ONCE).run(rows(300))
        lines = nginx.final_answers()
        check(ran.outcomes, names(300), nginx.final_copies())
    assert ran.summary.succeeded == 300
    assert {line.coding for line in lines} == {"chunked"}
    assert len({line.connection for line in lines}) <= 4


async def test_a_body_that_is_too_large_fails_for_its_row_alone() -> None:
    people = [{"id": f"p{n}", "text": "x" * (3_000_000 if n % 5 == 0 else 10)} for n in range(40)]
    with running_nginx(Behaviour(server="client_max_body_size 1k;")) as nginx:
        ran = await plan(nginx, message={"bodyTemplate": {"text": "{{ text }}"}}, retry=ONCE).run(people)
        check(ran.outcomes, names(40), nginx.final_copies())
    refused = [item for item in ran.items.values() if item.outcome == "FAILED"]
    assert (ran.summary.succeeded, len(refused)) == (32, 8)
    assert {(item.category, item.code) for item in refused} == {("INVALID_REQUEST", "HTTP_413")}
