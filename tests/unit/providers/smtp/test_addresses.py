"""One text, one mailbox, or a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.providers.smtp.mail.addresses import AddressInvalid, mailbox


@pytest.mark.parametrize(
    ("text", "name", "address"),
    [
        ("ann@example.com", "", "ann@example.com"),
        ("  ann@EXAMPLE.com ", "", "ann@example.com"),
        ("Ann <ann@example.com>", "Ann", "ann@example.com"),
        ('"Lee, Ann" <ann@example.com>', "Lee, Ann", "ann@example.com"),
        ("Lee, Ann <ann@example.com>", "Lee, Ann", "ann@example.com"),
        ("x <evil@example.org>, y <ann@example.com>", "x <evil@example.org>, y", "ann@example.com"),
        ("Ann@bücher.example", "", "Ann@xn--bcher-kva.example"),
        ("張三@例え.テスト", "", "張三@xn--r8jz45g.xn--zckzah"),
        ('"a b"@example.com', "", '"a b"@example.com'),
        ("o'brien+tag@example.com", "", "o'brien+tag@example.com"),
        ("root@localhost", "", "root@localhost"),
    ],
)
def test_a_mailbox_is_read(text: str, name: str, address: str) -> None:
    found = mailbox(text)
    assert (found.name, found.address) == (name, address)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "ann",
            "@example.com",
            "ann@",
            "a b@example.com",
            "a@b@example.com",
            "a@b.com, c@d.com",
            "a,b@example.com",
        ),
        *("a..b@example.com", ".a@example.com", "ann@-x.com", "ann@x..com", "ann@exa mple.com", "ann@[192.0.2.1]"),
        *("a\r\nBcc: x@y.z <ann@example.com>", "ann@example.com\n", "a\0b@example.com", "ann@example.com>", "<ann@x"),
        *(
            "a" * 65 + "@example.com",
            "ann@" + ".".join(["a" * 60] * 5),
            "ann@ex\u00adample.c_m",
            "a\u200bb@example.com",
        ),
        *("<a@example.com> <", "a<b@example.com", "ann@example.com>\u2028X: y"),
    ],
)
def test_what_is_no_mailbox_is_refused(text: str) -> None:
    with pytest.raises(AddressInvalid):
        mailbox(text)


@given(st.text())
def test_any_text_is_a_mailbox_or_refused_and_never_breaks_a_command(text: str) -> None:
    try:
        address = mailbox(text).address
    except AddressInvalid:
        return
    assert not any(sign in address for sign in "\r\n\0<>") or '"' in address


def test_only_a_local_part_outside_ascii_needs_smtputf8() -> None:
    assert mailbox("zoë@example.com").needs_utf8
    assert not mailbox("zoe@bücher.example").needs_utf8
