"""Previews: saved or draft, for made-up people or rows of an audience."""

from collections.abc import Sequence

import pytest
from tests.builders.configuration import HTTP_CONTENT, Workbench
from tests.builders.databases import WORKSPACE

from postroad.flows.message_preview import (
    Draft,
    FromAudience,
    People,
    PreviewAsk,
    PreviewNeeds,
    PreviewResult,
    RowReader,
    SavedMessage,
    preview_message,
)
from postroad.kernel.uow import Reading
from postroad.spi import Recipient
from postroad.vocabulary.refusals import (
    AccessDenied,
    ProviderConfigInvalid,
    ResourceNotFound,
    ValidationFailed,
)
from postroad.vocabulary.roles import Role

ANN = People([{"name": "Ann"}])


class Rows:
    def reader(self, reading: Reading, workspace_id: str, audience_id: str) -> RowReader:
        if audience_id != "people":
            raise ResourceNotFound("there is no such audience in this workspace")

        def read(rows: Sequence[int], limit: int) -> Sequence[Recipient]:
            return [Recipient(row - 2, {"name": f"Row {row}"}, row) for row in rows or range(2, 2 + limit)]

        return read


def _look(bench: Workbench, what: object, whom: object = ANN, role: Role = Role.OPERATOR, **more: str) -> PreviewResult:
    needs = PreviewNeeds(bench.databases.database, bench.message_needs, Rows())
    return preview_message(bench.databases.member(role), PreviewAsk(WORKSPACE, what, whom, **more), needs)


def test_a_saved_message_is_shown_as_it_would_leave(bench: Workbench) -> None:
    made = bench.message()
    bench.revise(made, {"path": "/other/{{ name }}"})
    current, old = (_look(bench, SavedMessage(made.message.id, number), role=Role.VIEWER) for number in (None, 1))
    assert [one.preview and one.preview.headline for one in (*current.samples, *old.samples)] == [
        "POST https://api.example.com/v1/other/Ann",
        "POST https://api.example.com/v1/send",
    ]
    assert (current.revision, old.revision, current.stands_in) == (2, 1, True)


def test_an_account_gives_its_own_address(bench: Workbench) -> None:
    account = bench.account(config={"baseUrl": "https://shop.example.org"})
    found = _look(bench, Draft("http", HTTP_CONTENT), account_id=account.id)
    assert found.samples[0].preview is not None
    assert found.samples[0].preview.headline == "POST https://shop.example.org/send"
    assert (found.revision, found.stands_in) == (None, False)


def test_parts_of_an_sms_are_counted(bench: Workbench) -> None:
    content = {
        "templateCode": "SMS_1",
        "signName": "Shop",
        "phone": "{{ mobile }}",
        "templateParam": {"name": "{{ name }}"},
        "previewText": "尊敬的${name}，" + "您好" * 40,
    }
    found = _look(bench, Draft("aliyun_sms", content), People([{"name": "张三", "mobile": "13800138000"}]))
    assert found.samples[0].preview is not None
    assert found.samples[0].preview.cost == 2


def test_rows_of_an_audience_are_shown_with_their_numbers(bench: Workbench) -> None:
    made = SavedMessage(bench.message().message.id)
    assert [one.row for one in _look(bench, made, FromAudience("people", limit=2)).samples] == [2, 3]
    assert [one.row for one in _look(bench, made, FromAudience("people", (9, 4))).samples] == [9, 4]
    with pytest.raises(ResourceNotFound):
        _look(bench, made, FromAudience("nobody"))


def test_one_recipient_that_fails_hides_nobody_else(bench: Workbench) -> None:
    found = _look(bench, Draft("http", HTTP_CONTENT), People([{"name": "Ann"}, {"nam": "Bob"}]))
    assert [one.preview is None for one in found.samples] == [False, True]
    assert found.samples[1].missing_fields == ("name",)


def test_a_draft_with_a_fault_is_refused_with_its_path(bench: Workbench) -> None:
    with pytest.raises(ProviderConfigInvalid) as refused:
        _look(bench, Draft("http", {"path": "/{{ name"}))
    assert refused.value.problems[0].path == "content.path"


@pytest.mark.parametrize(
    "whom", [People([]), People([{}] * 21), FromAudience("people", limit=0), FromAudience("people", (1,) * 21)]
)
def test_one_looks_at_a_few(bench: Workbench, whom: object) -> None:
    with pytest.raises(ValidationFailed):
        _look(bench, Draft("http", HTTP_CONTENT), whom)


def test_a_viewer_looks_at_what_is_kept_only(bench: Workbench) -> None:
    with pytest.raises(AccessDenied):
        _look(bench, Draft("http", HTTP_CONTENT), role=Role.VIEWER)
    with pytest.raises(ResourceNotFound):
        _look(bench, SavedMessage("nobody"), role=Role.VIEWER)
    with pytest.raises(ResourceNotFound, match="no revision 7"):
        _look(bench, SavedMessage(bench.message().message.id, 7))
