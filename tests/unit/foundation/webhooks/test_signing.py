"""Signatures of both conventions against computed vectors, and against the public library."""

import base64
from datetime import UTC, datetime

import pytest
from standardwebhooks.webhooks import Webhook

from postroad.foundation.webhooks import (
    Keys,
    WebhookMessage,
    fingerprint,
    keys_of,
    new_secret,
    postroad_signature,
    signed_headers,
    standard_signature,
)
from postroad.vocabulary.errors import InvalidInput
from postroad.vocabulary.secret import Secret

V1 = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
V3 = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


@pytest.mark.parametrize(
    ("secret", "message_id", "time", "body", "standard", "postroad"),
    [
        (
            V1,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            '{"test": 2432232314}',
            "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            "2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49d4369ad2530f8964",
        ),
        (
            V3,
            "evt_01JTEST",
            "1700000000",
            '{"type":"run.finished","data":{"name":"张三"}}',
            "GHmwti8hB9hoa+wu0xq1CEfXOgwByFgyGZeWeQ1Nyms=",
            "7a42398b87bdc62a12da9a52ae7a98e16624a7b5703849a69357c386a0f152e7",
        ),
    ],
)
def test_the_vectors_hold(secret: str, message_id: str, time: str, body: str, standard: str, postroad: str) -> None:
    keys = keys_of(Secret(secret))
    assert standard_signature(keys, message_id, time, body.encode()) == standard
    assert postroad_signature(keys, time, body.encode()) == postroad


def test_a_signature_of_one_convention_is_none_of_the_other() -> None:
    """With one key for both, the first two lines would be equal: the same bytes are signed."""
    same = Keys(b"k" * 32, b"k" * 32)
    ours = postroad_signature(same, "1699999999", b'1700000000.{"x":1}')
    standard = standard_signature(same, "1699999999", "1700000000", b'{"x":1}')
    assert base64.b64decode(standard).hex() == ours
    keys = keys_of(Secret(V3))
    ours = postroad_signature(keys, "1699999999", b'1700000000.{"x":1}')
    standard = standard_signature(keys, "1699999999", "1700000000", b'{"x":1}')
    assert base64.b64decode(standard).hex() != ours


def test_the_public_library_takes_what_we_sign_and_signs_what_we_do() -> None:
    secret, body = new_secret(), '{"type":"run.completed","data":{"名":1}}'
    now = datetime.now(UTC)
    message = WebhookMessage("msg_1", "run.completed", int(now.timestamp()), body.encode())
    headers = dict(signed_headers([keys_of(new_secret()), keys_of(secret)], message))
    library = Webhook(secret.reveal())
    assert library.verify(body, headers) == {"type": "run.completed", "data": {"名": 1}}
    theirs = library.sign("msg_1", now, body)
    assert theirs == "v1," + standard_signature(keys_of(secret), "msg_1", str(message.timestamp_s), body.encode())


def test_during_a_rotation_both_signatures_are_there_the_new_one_first() -> None:
    old, new = keys_of(Secret(V1)), keys_of(Secret(V3))
    headers = dict(signed_headers([new, old], WebhookMessage("m", "run.paused", 17, b"{}")))
    assert headers["X-Postroad-Signature"].split(",") == [
        "sha256=" + postroad_signature(new, "17", b"{}"),
        "sha256=" + postroad_signature(old, "17", b"{}"),
    ]
    assert [part[:3] for part in headers["webhook-signature"].split(" ")] == ["v1,", "v1,"]
    assert headers["webhook-id"] == headers["X-Postroad-Delivery"] == "m"
    assert headers["webhook-timestamp"] == headers["X-Postroad-Timestamp"] == "17"


@pytest.mark.parametrize("text", ["", "whsec_", "whsec_MTIz", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_&&&&"])
def test_what_is_no_secret_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        keys_of(Secret(text))
    assert text == "" or text == "whsec_" or text not in refused.value.message


def test_secrets_differ_and_their_fingerprints_tell_them_apart() -> None:
    one, other = new_secret(), new_secret()
    assert one != other
    assert fingerprint(one) != fingerprint(other)
    assert len(fingerprint(one)) == 8
