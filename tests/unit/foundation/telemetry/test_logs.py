"""Log lines: the fields they have, in which order, and that nothing breaks them."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from postroad.foundation.telemetry import bound, configure_logs, logger


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield io.StringIO()
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def _json(lines: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def test_a_line_has_the_promised_fields_in_the_promised_order(lines: io.StringIO) -> None:
    configure_logs(level="info", form="json", instance_id="i1", to=lines)
    with bound(traceId="t1", workspaceId="w1"):
        logger("postroad.runs").info("run.started", message="the run began", total=3, providerId="http", runId="r1")
    (line,) = _json(lines)
    assert list(line) == [
        "timestamp",
        "level",
        "service",
        "instanceId",
        "traceId",
        "workspaceId",
        "runId",
        "providerId",
        "event",
        "message",
        "total",
    ]
    assert str(line["timestamp"]).endswith("Z")


def test_lines_of_libraries_pass_the_same_way(lines: io.StringIO) -> None:
    configure_logs(level="info", form="json", instance_id="i1", to=lines)
    with bound(traceId="t1"):
        logging.getLogger("uvicorn.error").warning("listening with token=%s", "abcdef", extra={"runId": "r1"})
    (line,) = _json(lines)
    assert (line["event"], line["traceId"], line["runId"]) == ("uvicorn.error", "t1", "r1")
    assert "abcdef" not in str(line)


def test_an_error_brings_its_traceback_without_secrets(lines: io.StringIO) -> None:
    configure_logs(level="info", form="json", instance_id="i1", to=lines)
    try:
        int("https://me:hunter2@db/x")
    except ValueError:
        logger("x").exception("tick.failed")
    (line,) = _json(lines)
    assert "ValueError" in str(line["exception"])
    assert "hunter2" not in lines.getvalue()


def test_what_lies_below_the_level_is_not_written(lines: io.StringIO) -> None:
    configure_logs(level="warning", form="json", instance_id="i1", to=lines)
    logger("x").info("run.started")
    logging.getLogger("y").info("hello")
    assert lines.getvalue() == ""


def test_text_from_outside_cannot_forge_a_line(lines: io.StringIO) -> None:
    configure_logs(level="info", form="console", instance_id="i1", to=lines)
    logger("x").info("user.signed_in", message="a\n2026-01-01T00:00:00Z INFO forged\x1b[2J", name="b\nc")
    (line,) = lines.getvalue().splitlines()
    assert "\\u001b[2J" in line


def test_a_line_for_people_is_short_and_its_traceback_is_set_apart(lines: io.StringIO) -> None:
    configure_logs(level="info", form="console", instance_id="i1", to=lines)
    try:
        int("x")
    except ValueError:
        logger("x").exception("tick.failed", message="going on", runId="r1")
    first, *rest = lines.getvalue().splitlines()
    assert first.split(" ", 1)[1] == 'ERROR   tick.failed going on runId="r1"'
    assert all(row.startswith("  | ") for row in rest)


def test_values_that_are_no_json_are_written_as_words(lines: io.StringIO) -> None:
    configure_logs(level="info", form="json", instance_id="i1", to=lines)
    logger("x").info("odd", value=object(), path=io.StringIO, number=float("nan"))
    assert _json(lines)[0]["event"] == "odd"
    assert "NaN" not in lines.getvalue()


def test_auto_is_json_where_nobody_looks_on(lines: io.StringIO) -> None:
    configure_logs(level="info", form="auto", instance_id="i1", to=lines)
    logger("x").info("run.started")
    assert _json(lines)[0]["event"] == "run.started"
