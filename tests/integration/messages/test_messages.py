"""Messages in the database: revisions that never change, made only by another content."""

import pytest
from tests.builders.configuration import HTTP_CONTENT, Workbench
from tests.builders.databases import WORKSPACE

from postroad.kernel.pages import PageRequest
from postroad.kernel.uow import UnitOfWork
from postroad.kernel.versions import Expected
from postroad.modules import messages
from postroad.modules.messages import CopyAsked, Message, MessageChange, MessageFilter, MessageResult, Outcome
from postroad.vocabulary.events import EventName
from postroad.vocabulary.refusals import (
    AccessDenied,
    ProviderConfigInvalid,
    ResourceNotFound,
    StateConflict,
    ValidationFailed,
    VersionConflict,
)
from postroad.vocabulary.roles import Role

OTHER_CONTENT = {"path": "/send", "bodyTemplate": {"to": "{{ name }}", "lang": "en"}}


def _change(bench: Workbench, message: Message, **parts: object) -> MessageResult:
    ask = MessageChange(WORKSPACE, message.id, Expected(message.version), **parts)
    return bench.write(lambda uow: messages.change_message(uow, ask, bench.message_needs))


def _archive(bench: Workbench, message: Message) -> Message:
    expected = Expected(message.version)
    return bench.write(lambda uow: messages.archive_message(uow, WORKSPACE, message.id, expected, bench.message_needs))


def test_a_new_message_has_one_revision(bench: Workbench) -> None:
    made = bench.message()
    found = bench.read(lambda reading: messages.get_message(reading, WORKSPACE, made.message.id))
    assert (found.message, found.revision) == (made.message, made.revision)
    assert (found.revision.revision, found.revision.content, made.outcome) == (1, HTTP_CONTENT, Outcome.CREATED)
    assert found.revision.created_by == "user:user-1"


def test_another_content_is_the_next_revision_and_the_old_one_stays(bench: Workbench) -> None:
    made = bench.message()
    after = bench.revise(made, OTHER_CONTENT)
    old = bench.read(lambda reading: messages.get_revision(reading, WORKSPACE, made.message.id, 1))
    assert (after.outcome, after.message.current_revision, after.message.version) == (Outcome.REVISED, 2, 2)
    assert (old, after.revision.content) == (made.revision, OTHER_CONTENT)


def test_the_same_content_makes_no_revision_and_says_so(bench: Workbench) -> None:
    made = bench.message()
    same = _change(bench, made.message, content={"bodyTemplate": {"to": "{{ name }}"}, "path": "/send"})
    assert (same.outcome, same.message, same.revision) == (Outcome.UNCHANGED, made.message, made.revision)
    renamed = _change(bench, made.message, content=HTTP_CONTENT, name="Hello")
    assert (renamed.outcome, renamed.message.current_revision, renamed.message.version) == (Outcome.RENAMED, 1, 2)


def test_going_back_to_an_old_content_is_a_revision_of_its_own(bench: Workbench) -> None:
    made = bench.message()
    back = bench.revise(bench.revise(made, OTHER_CONTENT), HTTP_CONTENT)
    assert (back.message.current_revision, back.revision.content_hash) == (3, made.revision.content_hash)


def test_events_name_the_revision_and_hold_no_text(bench: Workbench) -> None:
    made = bench.message()

    def work(uow: UnitOfWork):
        ask = MessageChange(WORKSPACE, made.message.id, Expected(1), content=OTHER_CONTENT)
        messages.change_message(uow, ask, bench.message_needs)
        return uow.events

    events = bench.write(work)
    assert [event.name for event in events] == [EventName.MESSAGE_CHANGED, EventName.MESSAGE_REVISED]
    assert events[1].payload["revision"] == 2
    assert "lang" not in repr([event.payload for event in events])


def test_a_fault_in_a_template_has_its_path_and_line(bench: Workbench) -> None:
    text = "Dear {{ name }},\n{% if paid %}\nthank you"
    with pytest.raises(ProviderConfigInvalid) as refused:
        bench.message(content={"path": "/send", "bodyType": "TEXT", "bodyTemplate": text})
    (problem,) = refused.value.problems
    assert (problem.path, problem.code) == ("content.bodyTemplate", "TEMPLATE_INVALID")
    assert problem.message == "unexpected end of input, expected end of block, line 2"


def test_what_the_schema_says_has_its_path(bench: Workbench) -> None:
    with pytest.raises(ProviderConfigInvalid) as refused:
        bench.message(content={"pth": "/send"})
    assert {one.path for one in refused.value.problems} == {"content.path", "content.pth"}


@pytest.mark.parametrize(
    ("provider", "content"),
    [
        ("smtp", {"to": "{{ email }}", "subject": "Hi {{ name }}", "text": "Hello"}),
        ("feishu", {"type": "text", "text": "Hi {{ name }}"}),
        ("aliyun_sms", {"templateCode": "SMS_1", "signName": "Shop", "phone": "{{ mobile }}"}),
    ],
)
def test_a_message_of_each_provider_can_be_kept_without_an_account(
    bench: Workbench, provider: str, content: dict[str, object]
) -> None:
    assert bench.message(provider=provider, content=content).revision.revision == 1


def test_a_named_account_finds_what_does_not_fit_it(bench: Workbench) -> None:
    account = bench.account()
    content = {**HTTP_CONTENT, "headers": {"Authorization": "Bearer {{ key }}"}}
    bench.message("Without", content=content)
    ask = messages.NewMessage(WORKSPACE, "http", "With", content, account.id)
    with pytest.raises(ProviderConfigInvalid, match="auth"):
        bench.write(lambda uow: messages.create_message(uow, ask, bench.message_needs))


def test_an_account_of_another_provider_is_refused(bench: Workbench) -> None:
    account = bench.account("Mail", "smtp", {"host": "mail.example.org"})
    for account_id, code in ((account.id, "OTHER_PROVIDER"), ("nobody", "NOT_FOUND")):
        ask = messages.NewMessage(WORKSPACE, "http", "One", HTTP_CONTENT, account_id)
        with pytest.raises(ValidationFailed) as refused:
            bench.write(lambda uow, ask=ask: messages.create_message(uow, ask, bench.message_needs))
        assert [(one.path, one.code) for one in refused.value.problems] == [("accountId", code)]


def test_a_stale_change_is_refused_with_the_head(bench: Workbench) -> None:
    made = bench.message()
    bench.revise(made, OTHER_CONTENT)
    with pytest.raises(VersionConflict) as stale:
        bench.revise(made, {"path": "/other"})
    assert stale.value.head == {"version": 2, "name": "Welcome", "currentRevision": 2}


def test_a_name_is_unique_until_it_is_archived(bench: Workbench) -> None:
    made = bench.message()
    with pytest.raises(ValidationFailed):
        bench.message("WELCOME")
    _archive(bench, made.message)
    assert bench.message("Welcome").message.version == 1


def test_a_message_that_is_needed_stays(bench: Workbench) -> None:
    made = bench.message()
    bench.job("Greeting", message=made)
    with pytest.raises(StateConflict, match="job 'Greeting'"):
        _archive(bench, made.message)


def test_an_archived_message_is_never_changed_again_and_can_be_copied(bench: Workbench) -> None:
    made = bench.message()
    gone = _archive(bench, made.message)
    assert _archive(bench, gone) == gone
    with pytest.raises(StateConflict):
        _change(bench, gone, name="Again")
    copied = bench.write(lambda uow: messages.copy_message(uow, CopyAsked(WORKSPACE, gone.id)))
    assert copied.revision.content_hash == made.revision.content_hash


def test_a_copy_takes_the_first_free_name_and_any_revision(bench: Workbench) -> None:
    made = bench.message()
    bench.revise(made, OTHER_CONTENT)

    def copied(**parts: object) -> MessageResult:
        return bench.write(lambda uow: messages.copy_message(uow, CopyAsked(WORKSPACE, made.message.id, **parts)))

    first, second, third = copied(), copied(revision=1), copied(name="Mine")
    assert [one.message.name for one in (first, second, third)] == ["Welcome (copy)", "Welcome (copy 2)", "Mine"]
    assert (first.revision.content, second.revision.content) == (OTHER_CONTENT, HTTP_CONTENT)
    assert first.message.current_revision == 1
    with pytest.raises(ResourceNotFound, match="no revision 9"):
        copied(revision=9)


def test_revisions_are_listed_latest_first(bench: Workbench) -> None:
    made = bench.message()
    for number in range(4):
        made = bench.revise(made, {"path": f"/send/{number}"})

    def look(request: PageRequest):
        return bench.read(lambda reading: messages.list_revisions(reading, WORKSPACE, made.message.id, request))

    first = look(PageRequest(3))
    second = look(PageRequest(3, first.next_cursor))
    assert [one.revision for one in (*first.items, *second.items)] == [5, 4, 3, 2, 1]
    other = bench.message("Other")
    with pytest.raises(ValidationFailed):
        bench.read(
            lambda reading: messages.list_revisions(
                reading, WORKSPACE, other.message.id, PageRequest(3, first.next_cursor)
            )
        )


def test_a_difference_shows_both_values(bench: Workbench) -> None:
    made = bench.message()
    bench.revise(made, OTHER_CONTENT)
    found = bench.read(lambda reading: messages.difference(reading, WORKSPACE, made.message.id, 1, 2))
    assert [(one.path, one.before, one.after) for one in found.changes] == [("bodyTemplate.lang", None, "en")]
    with pytest.raises(ResourceNotFound):
        bench.read(lambda reading: messages.difference(reading, WORKSPACE, made.message.id, 1, 3))


def test_a_list_filters_and_counts(bench: Workbench) -> None:
    bench.message("Welcome one")
    _archive(bench, bench.message("Welcome two").message)
    bench.message("Mail", "smtp", {"to": "{{ email }}", "subject": "Hi", "text": "Hello"})

    def look(**wanted: object) -> messages.MessageList:
        return bench.read(
            lambda reading: messages.list_messages(reading, WORKSPACE, PageRequest(), MessageFilter(**wanted))
        )

    found = look(name="wel")
    assert ([one.name for one in found.page.items], found.counters) == (
        ["Welcome two", "Welcome one"],
        {"ACTIVE": 1, "ARCHIVED": 1},
    )
    assert [one.name for one in look(provider_id="smtp").page.items] == ["Mail"]


def test_a_viewer_reads_and_changes_nothing(bench: Workbench) -> None:
    made = bench.message()
    viewer = bench.databases.member(Role.VIEWER)
    bench.read(lambda reading: messages.get_message(reading, WORKSPACE, made.message.id), viewer)
    with pytest.raises(AccessDenied):
        bench.write(lambda uow: messages.copy_message(uow, CopyAsked(WORKSPACE, made.message.id)), viewer)
