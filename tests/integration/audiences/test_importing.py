"""From an upload to a preview: what is received, read, shown, changed and refused."""

import os
from dataclasses import replace

import orjson
import pytest
from tests.builders.databases import OTHER_WORKSPACE, WORKSPACE
from tests.integration.audiences.desk import Desk, at

from postroad.modules import audiences
from postroad.modules.artifacts import ArtifactPolicy
from postroad.modules.audiences import FileSource, ImportAsk, ImportState, InlineSource, Layout, ReadingRules
from postroad.recipients import ImportLimits, import_audience
from postroad.vocabulary.refusals import (
    AccessDenied,
    Overloaded,
    QuotaExceeded,
    ResourceNotFound,
    StateConflict,
    ValidationFailed,
)
from postroad.vocabulary.roles import Role

PEOPLE = "手机号,n\n13800000001,a\n13800000001,b\nx,c\n13800000002,=1+1\n"
MOBILE = {
    "type": "object",
    "properties": {"mobile": {"type": "string", "pattern": r"^1\d{10}$"}},
    "required": ["mobile"],
}


def test_a_file_is_read_in_the_background_and_its_preview_shown(desk: Desk) -> None:
    desk.around.schemas["sms"] = MOBILE
    begun = desk.received(PEOPLE, key=["mobile"], provider_id="sms")
    assert (begun.state, begun.upload is not None) == (ImportState.UPLOADED, True)

    parsed = desk.read_through(begun, read=import_audience)

    assert parsed.state is ImportState.PARSED
    assert parsed.report is not None
    counts = {name: parsed.report[name] for name in ("rows", "accepted", "duplicates", "rejected")}
    assert counts == {"rows": 4, "accepted": 2, "duplicates": 1, "rejected": 1}
    assert parsed.report["columns"][0] == {"name": "手机号", "also": ["mobile"], "guessed": True}
    assert (parsed.rows_read, parsed.is_being_read, parsed.version) == (4, False, 2)
    preview = desk.showing.preview(desk.sender, parsed.id)
    assert [row["fields"]["n"] for row in preview["accepted"]] == ["a", "=1+1"]
    assert [(one["row"], one["code"]) for one in preview["problems"]] == [(4, "PATTERN"), (3, "DUPLICATE")]


def test_no_recipient_stands_in_the_database(sqlite_desk: Desk) -> None:
    sqlite_desk.around.schemas["sms"] = MOBILE
    parsed = sqlite_desk.read_through(sqlite_desk.received(PEOPLE, key=["mobile"], provider_id="sms"))
    sqlite_desk.committed(parsed, "Customers")
    kept = b"".join(path.read_bytes() for path in sqlite_desk.folder.glob("postroad.db*"))
    assert b"1380000000" not in kept


def test_whole_tables_leave_formula_safe_and_audited(sqlite_desk: Desk) -> None:
    desk = sqlite_desk
    desk.around.schemas["sms"] = MOBILE
    parsed = desk.read_through(desk.received(PEOPLE, key=["mobile"], provider_id="sms"))
    with desk.showing.errors_csv(desk.sender, parsed.id) as file:
        errors = file.read().decode("utf-8-sig").splitlines()
    with desk.showing.accepted_csv(desk.sender, parsed.id) as file:
        accepted = file.read().decode().splitlines()
    assert list(desk.work.iterdir()) == []
    assert [line.split(",")[0] for line in errors] == ["row", "4", "3"]
    assert accepted == ["row,手机号,n", "2,13800000001,a", "5,13800000002,'=1+1"]
    exported = [entry for entry in desk.databases.audit.entries if entry.action == "audience_import.exported"]
    assert [entry.details["what"] for entry in exported] == ["errors.csv", "accepted.csv"]


def test_no_more_tables_are_written_at_once_than_there_is_memory_for(sqlite_desk: Desk) -> None:
    audience = sqlite_desk.audience()
    showing = replace(sqlite_desk.showing, longest_wait_s=0)
    with showing.tables, showing.tables, pytest.raises(Overloaded):
        showing.snapshot_csv(sqlite_desk.sender, audience.id, 1)
    with showing.snapshot_csv(sqlite_desk.sender, audience.id, 1) as file:
        assert file.read().startswith(b"row,number,name")


def test_rows_of_a_request_keep_their_kinds(sqlite_desk: Desk) -> None:
    desk = sqlite_desk
    rows = [{"name": "Bo", "age": 7, "vip": True, "note": None}, {"name": "Li", "age": 8, "vip": False, "note": "x"}]
    begun = desk.reception.import_rows(desk.sender, ImportAsk(InlineSource(len(rows))), rows)
    audience = desk.committed(desk.read_through(begun), "Two")
    shown = desk.showing.rows(desk.sender, audience.id, 1)
    assert [row.fields for row in shown.rows] == rows


@pytest.mark.parametrize("count", [0, 1_001])
def test_rows_of_a_request_are_one_to_a_thousand(sqlite_desk: Desk, count: int) -> None:
    with pytest.raises(ValidationFailed, match="1 to 1,000"):
        sqlite_desk.reception.import_rows(sqlite_desk.sender, ImportAsk(InlineSource(count)), [{"a": 1}] * count)


def test_an_input_without_a_usable_row_fails_and_says_why(sqlite_desk: Desk) -> None:
    desk = sqlite_desk
    desk.around.schemas["sms"] = MOBILE
    failed = desk.read_through(desk.received("mobile\nx\ny\n", provider_id="sms"))
    assert failed.state is ImportState.FAILED
    assert failed.reason is not None
    assert (failed.reason.code, failed.reason.row) == ("AUDIENCE_INVALID", 2)
    assert "all 2 rows of the table were rejected: 2 × PATTERN in 'mobile'" in failed.reason.message
    with desk.showing.errors_csv(desk.sender, failed.id) as file:
        assert len(file.read().splitlines()) == 3
    with pytest.raises(StateConflict, match="once it is PARSED"):
        desk.showing.preview(desk.sender, failed.id)


def test_an_empty_table_fails_and_says_why(sqlite_desk: Desk) -> None:
    failed = sqlite_desk.read_through(sqlite_desk.received("name,phone\n"))
    assert failed.reason is not None
    assert failed.reason.message == "the table has no rows below its header in row 1"


def test_a_changed_mapping_is_read_again(sqlite_desk: Desk) -> None:
    desk = sqlite_desk
    parsed = desk.read_through(desk.received("a,b\n1,2\n1,3\n"))
    assert parsed.report is not None
    assert parsed.report["accepted"] == 2
    layout = Layout(key=("phone",), mapping={"phone": "a"})
    changed = desk.changed(parsed, parsed.source, layout)
    assert (changed.state, changed.report, changed.version) == (ImportState.UPLOADED, None, 3)
    assert parsed.staged is not None
    assert not desk.is_kept(parsed.staged.artifact_id)
    again = desk.read_through(changed)
    assert again.report is not None
    assert (again.report["accepted"], again.report["duplicates"]) == (1, 1)
    assert again.report["columns"][0] == {"name": "a", "also": ["phone"], "guessed": False}


def test_a_failed_import_can_be_read_in_another_way(sqlite_desk: Desk) -> None:
    desk = sqlite_desk
    failed = desk.read_through(desk.received("a;b\n1;2\n", mapping={"x": "nowhere"}))
    assert failed.state is ImportState.FAILED
    source = FileSource("people.csv", delimiter=";")
    desk.changed(failed, source, Layout())
    assert desk.read_through(failed).state is ImportState.PARSED


def test_a_discarded_import_leaves_nothing_behind(desk: Desk) -> None:
    parsed = desk.read_through(desk.received("a\n1\n"))
    gone = desk.write(lambda uow: audiences.discard_import(uow, at(parsed), desk.keeper))
    assert gone.state is ImportState.DISCARDED
    assert parsed.upload is not None
    assert parsed.staged is not None
    assert not desk.is_kept(parsed.upload.artifact_id)
    assert not desk.is_kept(parsed.staged.artifact_id)
    with pytest.raises(StateConflict):
        desk.write(lambda uow: audiences.discard_import(uow, at(gone), desk.keeper))


def test_a_file_of_another_format_is_known_by_its_bytes_and_its_name(sqlite_desk: Desk) -> None:
    desk = sqlite_desk
    lines = b"\n".join(orjson.dumps({"name": name}) for name in ("Bo", "Li"))
    assert desk.read_through(desk.received(lines, "../../etc/people.jsonl")).report["format"] == "jsonl"  # type: ignore[index]
    assert desk.read_through(desk.received("Bo\nLi\n", "people.txt")).report["format"] == "txt"  # type: ignore[index]


def test_more_than_the_limit_is_refused_while_it_comes(sqlite_desk: Desk) -> None:
    desk = sqlite_desk
    desk.rules = ReadingRules(limits=ImportLimits(max_file_bytes=20))
    with pytest.raises(ValidationFailed, match="larger than 20 bytes"):
        desk.received("a\n" * 100)
    assert list(desk.work.iterdir()) == []


def test_an_empty_file_is_refused(sqlite_desk: Desk) -> None:
    with pytest.raises(ValidationFailed, match="the file is empty"):
        sqlite_desk.received("")


def test_the_quota_of_the_workspace_holds_for_uploads_and_for_what_is_read(sqlite_desk: Desk) -> None:
    desk = sqlite_desk
    desk.policies.policy = ArtifactPolicy(quota_bytes=10)
    with pytest.raises(QuotaExceeded):
        desk.received("a\n" * 100)
    failed = desk.read_through(desk.made_up(100))
    assert failed.reason is not None
    assert failed.reason.code == "QUOTA_EXCEEDED"
    assert list(desk.work.iterdir()) == []


def test_nothing_is_received_from_those_who_may_not_import(desk: Desk) -> None:
    ask = ImportAsk(FileSource("people.csv"))
    viewer = audiences.Sender(desk.databases.member(Role.VIEWER), WORKSPACE)
    stranger = audiences.Sender(desk.databases.member(Role.ADMIN, OTHER_WORKSPACE), WORKSPACE)
    with pytest.raises(AccessDenied):
        desk.reception.open(viewer, ask)
    with pytest.raises(ResourceNotFound):
        desk.reception.open(stranger, ask)
    with pytest.raises(ResourceNotFound):
        desk.reception.open(desk.sender, ImportAsk(FileSource("people.csv"), audience_id="nowhere"))


def test_what_a_killed_service_left_is_removed_after_a_day(sqlite_desk: Desk) -> None:
    desk = sqlite_desk
    begun = desk.received("a\n1\n")
    for name in ("incoming-1", "reading-2"):
        left = desk.work / name
        left.mkdir() if name.startswith("reading") else left.write_text("half")
        os.utime(left, (1, 1))
    fresh = desk.work / "incoming-3"
    fresh.write_text("half")
    os.utime(fresh, (desk.databases.clock.now_ms() / 1000,) * 2)
    desk.databases.clock.advance(s=24 * 3600 - 1)
    desk.upkeep().tick()
    assert [path.name for path in desk.work.iterdir()] == ["incoming-3"]
    assert desk.import_now(begun.id).state is ImportState.UPLOADED
    desk.databases.clock.advance(s=1)
    desk.upkeep().tick()
    forgotten = desk.import_now(begun.id)
    assert (forgotten.state, forgotten.reason and forgotten.reason.code) == (ImportState.DISCARDED, "FORGOTTEN")
    assert begun.upload is not None
    assert not desk.is_kept(begun.upload.artifact_id)
