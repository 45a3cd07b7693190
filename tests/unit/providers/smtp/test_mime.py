"""Bytes made by hand, read back by the standard library."""

import base64
import re
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import getaddresses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.providers.smtp.mail import mime
from postroad.providers.smtp.mail.addresses import Mailbox

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=300)


def parsed(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, policy=policy.default)  # type: ignore[return-value]


@given(WORDS)
def test_any_header_text_comes_back_and_no_line_is_long(value: str) -> None:
    value = value.strip()
    raw = mime.text_header("Subject", value)
    assert all(len(line) <= 78 for line in raw.splitlines()) or " " not in value
    assert max(map(len, raw.split(b"\r\n"))) < 998
    assert raw.isascii()
    assert _spaced(str(parsed(raw + b"\r\n")["Subject"])) == _spaced(value)


def _spaced(text: str) -> str:
    """Folding may turn runs of other white space at a fold into a space."""
    return " ".join(text.split())


@pytest.mark.parametrize(
    "value", ["=?utf-8?q?fake?=", "a" * 500, "word " * 60, "O'Brien <b>&\" \\ 张三 😀" * 9, "a  b"]
)
def test_a_subject_arrives_as_it_was_written(value: str) -> None:
    assert str(parsed(mime.text_header("Subject", value.strip()) + b"\r\n")["Subject"]) == value.strip()


def test_a_header_with_a_long_name_holds_any_text() -> None:
    name = "X-" + "a" * 62
    raw = mime.text_header(name, "张三 " * 40)
    assert str(parsed(raw + b"\r\n")[name]).strip() == ("张三 " * 40).strip()
    assert b"=?utf-8?b??=" not in raw


@pytest.mark.parametrize(
    "name", ["", "Ann", "Lee, Ann", 'The "A" team \\', "张三", "Zoë " * 30, "a@b.c", "x" * 200, "=?x?"]
)
def test_a_display_name_arrives_as_it_was_written(name: str) -> None:
    raw = mime.mailbox_header("To", [Mailbox(name.strip(), "ann", "example.com")])
    (found,) = getaddresses([raw.decode().removeprefix("To: ").replace("\r\n", "")])
    assert (str(make_header(decode_header(found[0]))), found[1]) == (name.strip(), "ann@example.com")
    assert all(len(line) <= 78 for line in raw.split(b"\r\n"))


def test_several_mailboxes_stand_on_lines_of_their_own() -> None:
    raw = mime.mailbox_header("Cc", [Mailbox("A", "a", "x.org"), Mailbox("", "b", "x.org")])
    assert raw == b"Cc: A <a@x.org>,\r\n b@x.org\r\n"


@given(
    WORDS, st.sampled_from(["", ".", "..", "\n.\n", "From me\n", "\r\n.\r\nMAIL FROM:<x@y>\r\n", " \n\t\n", "--=_x\n"])
)
def test_any_text_comes_back_and_cannot_end_the_mail(text: str, awkward: str) -> None:
    text = f"{awkward}{text}\n{awkward}{text * 9}"
    raw = mime.text_part(text, "plain")
    assert b"\r\n.\r\n" not in mime.dot_stuffed(raw)
    assert max(map(len, raw.split(b"\r\n"))) <= 78
    assert b"=_" not in raw.replace(b"charset=", b"")
    wanted = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    assert parsed(raw).get_content().replace("\r\n", "\n").removesuffix("\n") == wanted


@given(st.binary(max_size=400))
def test_base64_has_the_length_that_was_foretold(data: bytes) -> None:
    made = mime.base64_lines(data)
    assert len(made) == mime.base64_length(len(data))
    assert base64.b64decode(made) == data
    assert all(len(line) <= 76 for line in made.split(b"\r\n"))


@pytest.mark.parametrize(
    "name", ["terms.pdf", "Rechnung für März.pdf", "发票" * 30 + ".pdf", 'a"b\\c.txt', "x" * 120 + ".txt", "a\r\nX: 1"]
)
def test_a_file_name_arrives(name: str) -> None:
    part = parsed(mime.attachment_head(name, "application/pdf") + b"AAAA\r\n")
    assert part.get_filename() == re.sub(r'["\\\r\n]', "_", name)
    assert part["X"] is None
    assert part.get_content_disposition() == "attachment"


@given(st.lists(st.sampled_from([b".", b"..", b"a", b"", b".a"]), max_size=8))
def test_dot_stuffing_is_undone_by_the_rule_of_the_receiver(lines: list[bytes]) -> None:
    raw = b"".join(line + b"\r\n" for line in lines)
    stuffed = mime.dot_stuffed(raw)
    received = b"".join(
        (line[1:] if line.startswith(b".") else line) + b"\r\n" for line in stuffed.split(b"\r\n")[: len(lines)]
    )
    assert received == raw
    assert b"." not in stuffed.split(b"\r\n")
