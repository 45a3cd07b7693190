"""A row and a configuration become one mail; what cannot be one names its field."""

from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from postroad.providers.smtp.mail.attachments import AttachmentFolder
from postroad.providers.smtp.mail.composing import LetterRenderer
from postroad.providers.smtp.mail.letter import Letter
from postroad.spi import Recipient, Rendered, RenderError
from postroad.vocabulary.errors import ConfigInvalid
from postroad.vocabulary.values import RecipientValue

PLAIN = {"subject": "Hello {{ name }}", "text": "Dear {{ name }}"}


def renderer(message: dict[str, Any], *, folder: Path | None = None) -> LetterRenderer:
    return LetterRenderer({**PLAIN, **message}, "News <news@example.org>", AttachmentFolder(folder))


def rendered(message: dict[str, Any], **fields: RecipientValue) -> Rendered:
    return renderer(message).render(Recipient(0, {"email": "ann@example.com", "name": "Ann", **fields}))


def letter(message: dict[str, Any], **fields: RecipientValue) -> Letter:
    content = rendered(message, **fields).content
    assert isinstance(content, Letter)
    return content


def mail(message: dict[str, Any], **fields: RecipientValue) -> EmailMessage:
    (raw,) = letter(message, **fields).pieces
    assert isinstance(raw, bytes)
    return message_from_bytes(raw.replace(b"\r\n..", b"\r\n."), policy=policy.default)  # type: ignore[return-value]


def test_a_plain_mail_has_the_headers_it_needs() -> None:
    made = mail({})
    assert dict(made.items()) == {
        "From": "News <news@example.org>",
        "To": "ann@example.com",
        "Subject": "Hello Ann",
        "Auto-Submitted": "auto-generated",
        "MIME-Version": "1.0",
        "Content-Type": 'text/plain; charset="utf-8"',
        "Content-Transfer-Encoding": "quoted-printable",
    }
    assert made.get_content() == "Dear Ann\r\n"
    assert not made.defects


def test_text_and_html_are_alternatives_with_the_text_first() -> None:
    made = mail({"html": "<p>Dear {{ name }}</p>"}, name="O'Brien <b>")
    assert made.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in made.iter_parts()] == ["text/plain", "text/html"]
    html = made.get_body(("html",))
    text = made.get_body(("plain",))
    assert html is not None
    assert text is not None
    assert html.get_content() == "<p>Dear O&#x27;Brien &lt;b&gt;</p>"
    assert text.get_content() == "Dear O'Brien <b>"
    assert not made.defects


def test_regression_a_subject_was_html_escaped() -> None:
    assert mail({"html": "x"}, name="O'Brien <b>&\"")["Subject"] == "Hello O'Brien <b>&\""


def test_the_recipients_domain_is_a_bucket() -> None:
    assert rendered({}, email="Ann <ann@BÜCHER.example>").keys == ("domain:xn--bcher-kva.example",)


def test_a_name_full_of_addresses_reaches_one_recipient() -> None:
    made = letter({"to": "{{ name }} <{{ email }}>"}, name="x <a@evil.example>, y")
    assert (made.to.address, made.copies) == ("ann@example.com", ())


@pytest.mark.parametrize(
    "email", ["", "ann", "ann@example.com, bob@example.com", "ann@example.com\r\nBcc: x@y.z", None]
)
def test_a_row_without_an_address_names_the_field(email: str | None) -> None:
    with pytest.raises(RenderError) as caught:
        letter({}, email=email)
    assert caught.value.field == "email"


def test_another_column_may_hold_the_address() -> None:
    assert letter({"to": "{{ work_mail }}"}, work_mail="w@example.com").to.address == "w@example.com"


def test_copies_go_into_the_envelope_and_blind_ones_into_no_header() -> None:
    config = {"cc": ["Boss <boss@example.com>", "{{ deputy }}"], "bcc": ["archive@example.org"]}
    made = letter(config, deputy="")
    assert [box.address for box in made.copies] == ["boss@example.com", "archive@example.org"]
    assert b"archive" not in b"".join(piece for piece in made.pieces if isinstance(piece, bytes))


def test_bounces_may_name_their_row() -> None:
    made = letter({"envelopeFrom": "bounce+{{ id }}@example.org"}, id=17)
    assert (made.envelope_from.address, made.sender.address) == ("bounce+17@example.org", "news@example.org")


def test_more_headers_are_templates() -> None:
    made = mail({"headers": {"X-Order": "{{ order }}", "Precedence": "bulk"}, "replyTo": "help@example.org"}, order=7.0)
    assert (made["X-Order"], made["Precedence"], made["Reply-To"]) == ("7", "bulk", "help@example.org")


def test_a_message_may_be_unmarked_as_automatic() -> None:
    assert "Auto-Submitted" not in mail({"autoSubmitted": False})


def test_unsubscribing_takes_one_click_at_the_rows_own_url() -> None:
    config = {"unsubscribe": {"url": "https://example.org/u?t={{ token }}", "mailto": "mailto:off@example.org"}}
    made = mail(config, token="a b/ü>")
    assert made["List-Unsubscribe"] == "<https://example.org/u?t=a%20b%2F%C3%BC%3E>, <mailto:off@example.org>"
    assert made["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_unsubscribing_by_mail_alone_is_not_one_click() -> None:
    assert "List-Unsubscribe-Post" not in mail({"unsubscribe": {"mailto": "mailto:off@example.org"}})


def test_a_url_that_is_too_long_names_its_field() -> None:
    with pytest.raises(RenderError) as caught:
        mail({"unsubscribe": {"url": "https://example.org/{{ token }}"}}, token="x" * 901)
    assert caught.value.field == "token"


def test_without_a_sender_there_is_no_mail() -> None:
    with pytest.raises(ConfigInvalid) as caught:
        LetterRenderer(PLAIN, "", AttachmentFolder(None))
    assert caught.value.field == "from"


def test_a_mail_past_its_limit_is_refused_before_sending() -> None:
    with pytest.raises(RenderError) as caught:
        letter({"maxBytes": 1000}, name="x" * 800)
    assert caught.value.field == "maxBytes"


def test_the_same_row_gives_the_same_bytes() -> None:
    config = {"html": "<p>{{ name }}</p>"}
    assert letter(config).pieces == letter(config).pieces


def test_a_preview_shows_the_mail_as_it_will_arrive() -> None:
    config = {"html": "<p>{{ name }}</p>", "bcc": ["archive@example.org"]}
    preview = renderer(config).preview(rendered(config, name="张三"))
    assert preview.headline == "mail to ann@example.com"
    assert preview.parts["subject"] == "Hello 张三"
    assert preview.parts["text"].strip() == "Dear 张三"
    assert preview.parts["html"].strip() == "<p>张三</p>"
    assert preview.parts["bcc"] == "archive@example.org"


def test_regression_a_preview_had_two_kinds_of_line_ends() -> None:
    config = {"text": "Dear {{ name }},\n\nhello"}
    for name in "Ann", "张三张三张三张三":
        preview = renderer(config).preview(rendered(config, name=name))
        assert preview.parts["text"] == f"Dear {name},\n\nhello\n"


def test_a_header_without_end_names_its_field() -> None:
    with pytest.raises(RenderError) as caught:
        mail({}, name="x" * 5000)
    assert caught.value.field == "name"
