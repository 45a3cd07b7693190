"""Redaction: every shape in which a secret has been seen in a log, and what must stay readable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.foundation.telemetry import is_secret_name, redacted, redacted_text, redaction
from postroad.foundation.telemetry.redaction import LONGEST_TEXT
from postroad.vocabulary.secret import MASK, Secret

TOKEN = "0aB3xQz9Lm2Kp7Rt5Vw8Yc1Df4Gh6Jk0Nb3Sd5Fg7H"


@pytest.mark.parametrize(
    "text",
    [
        f"the token pst_{TOKEN} was refused",
        f"secret whsec_{TOKEN}+/=",
        f"Authorization: Bearer {TOKEN}",
        f"authorization={TOKEN}",
        f"curl -H 'X-Api-Key: x' -H 'Authorization: Basic {TOKEN}=='",
        f"Cookie: postroad_session={TOKEN}; other=1",
        f"Set-Cookie: postroad_session={TOKEN}; HttpOnly",
        f"https://user:{TOKEN}@host/path",
        f"postgresql://me:{TOKEN}@db:5432/post",
        f"https://oapi.example.com/robot/send?access_token={TOKEN}&x=1",
        f"https://qyapi.example.com/cgi-bin/webhook/send?key={TOKEN}",
        f"https://s3.example.com/b/o?X-Amz-Credential=a&X-Amz-Signature={TOKEN}",
        f"https://hooks.example.com/robot/send?timestamp=1&sign={TOKEN}",
        f"https://open.example.com/open-apis/bot/v2/hook/{TOKEN}",
        f"https://api.example.org/bot123456:{TOKEN}/sendMessage",
        f'{{"password": "{TOKEN}", "user": "a"}}',
        f'{{"appSecret":"a\\"{TOKEN}"}}',
        f"{{'smtp_password': '{TOKEN}'}}",
        f"password={TOKEN} user=a",
        f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{TOKEN}",
        f"-----BEGIN RSA PRIVATE KEY-----\n{TOKEN}\n-----END RSA PRIVATE KEY-----",
        f"-----BEGIN PRIVATE KEY-----\n{TOKEN}",
    ],
)
def test_a_secret_is_taken_out_of_text(text: str) -> None:
    assert TOKEN not in redacted_text(text)
    assert MASK in redacted_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "run 01890a5d-ac96-774b-bcce-b302099a8057 ended with 3 failed",
        "https://example.org/path?page=2&limit=50",
        "monkey=3 turkey=4 design=5 assign=6",
        "the field password is missing",
        "短信已发送 3 条",
        "line one\nline two\tand a tab",
    ],
)
def test_plain_words_stay(text: str) -> None:
    assert redacted_text(text) == text


@pytest.mark.parametrize(
    "name",
    ["password", "apiToken", "X-Api-Key", "accessKeySecret", "smtp_password", "Authorization", "sign", "fencingToken"],
)
def test_a_field_with_a_telling_name_is_masked_whatever_it_holds(name: str) -> None:
    assert is_secret_name(name)
    assert redacted({name: ["a", {"b": "c"}]}) == {name: MASK}


@pytest.mark.parametrize("name", ["tokenId", "secretName", "accessKeyId", "keyVersion", "author", "idempotencyKey"])
def test_a_field_that_only_speaks_of_a_secret_stays(name: str) -> None:
    assert redacted({name: "abc"}) == {name: "abc"}


def test_values_are_looked_into_and_bounded() -> None:
    deep: object = "end"
    for _ in range(20):
        deep = [deep]
    assert redacted({"a": [Secret("x"), b"abc", {"token": "t"}]}) == {"a": [MASK, "3 bytes", {"token": MASK}]}
    assert "end" not in str(redacted(deep))
    assert len(redacted_text("x" * 100_000)) < LONGEST_TEXT + 50


def test_a_secret_across_the_cut_is_not_shown_in_half() -> None:
    text = "x" * (LONGEST_TEXT - 60) + f' "password": "{TOKEN * 100}"'
    assert TOKEN[:4] not in redacted_text(text)


@given(st.text())
def test_nothing_is_left_that_a_terminal_would_obey(text: str) -> None:
    shown = redacted_text(text)
    assert not any(ord(letter) < 32 and letter not in "\n\t" for letter in shown)
    assert not set(shown) & {"\x7f", "\x9b", "\u202e", "\u2066", "\u2028"}


def test_regression_long_runs_of_letters_do_not_stall() -> None:
    for text in ("a" * 100_000, "a." * 50_000, '"password":"' * 10_000, "http://" * 20_000):
        assert len(redacted_text(text)) < LONGEST_TEXT + 50


_PARTS = st.sampled_from(
    [
        "a", "Z", "7", " ", ".", ",", ":", "/", "+", "-", "{", "}", "=", "@", "_", "?", "&", "\n", "\u202e", '"',
        "eyJ", "Bearer ", "basic ", "digest ", "Authorization: ", "cookie:", "/hook/", "/bot12345:", "https://u",
        "-----BEGIN PRIVATE KEY-----", "pst_", "whsec_", "password", "token", "api-key", "key=", "abcdefghijklmnop",
    ]
)  # fmt: skip


@given(st.lists(_PARTS, max_size=25).map("".join))
def test_the_quick_look_at_plain_text_passes_nothing_over(text: str) -> None:
    assert redacted_text(text) == redaction._searched(text)
