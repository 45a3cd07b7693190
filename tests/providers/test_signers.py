"""Signatures against values that vendors, or two independent clients of theirs, published."""

import base64
import json
from pathlib import Path
from typing import Any

from postroad.providerkit.signers import acs3, aliyun_rpc, dingtalk, feishu, generic_hmac, huawei, tc3, twilio
from postroad.vocabulary.secret import Secret

VECTORS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "vectors" / "signers.json").read_text("utf-8"))


def vector(name: str) -> tuple[dict[str, Any], Any]:
    return VECTORS[name]["inputs"], VECTORS[name]["expected"]


def test_feishu_signs_as_published() -> None:
    for name in ("feishu-sign-1", "feishu-sign-2"):
        given, expected = vector(name)
        assert feishu.sign(given["timestamp"], Secret(given["secret"])) == expected


def test_dingtalk_signs_as_published() -> None:
    given, expected = vector("dingtalk-sign-1")
    secret = Secret(given["secret"])
    assert dingtalk.sign(given["timestamp_ms"], secret) == expected["sign_base64"]
    assert given["webhook"] + dingtalk.query(given["timestamp_ms"], secret) == expected["url"]


def test_aliyun_rpc_signs_as_published() -> None:
    for name in ("aliyun-rpc-v1-sendsms-doc", "aliyun-rpc-v1-describeregions-doc"):
        given, expected = vector(name)
        assert aliyun_rpc.string_to_sign(given["method"], given["params"]) == expected["string_to_sign"]
        secret = Secret(given["access_key_secret"])
        assert aliyun_rpc.sign(given["method"], given["params"], secret) == expected["signature"]


def test_acs3_signs_as_published() -> None:
    given, expected = vector("aliyun-acs3-runinstances-doc")
    canonical = acs3.canonical_request(given["method"], given["path"], given["query"], given["headers"])
    made = acs3.authorization(canonical, given["headers"], given["access_key_id"], Secret(given["access_key_secret"]))
    assert made == expected["authorization"]


def test_tc3_signs_as_published() -> None:
    given, expected = vector("tencent-tc3-cvm-doc")
    payload = given["payload"].encode()
    call = tc3.Call(given["host"], given["service"], given["content_type"], payload, given["timestamp"])
    secret = Secret(given["secret_key"])
    assert call.date == given["date"]
    assert tc3.signature(call, secret) == expected["signature"]
    assert tc3.authorization(call, given["secret_id"], secret) == (
        f"TC3-HMAC-SHA256 Credential={given['secret_id']}/2019-02-25/cvm/tc3_request, "
        f"SignedHeaders=content-type;host, Signature={expected['signature']}"
    )


def test_huawei_signs_as_published() -> None:
    given, expected = vector("huawei-sdk-hmac-sha256")
    headers = {**given["headers"], "Host": given["host"]}
    canonical = huawei.canonical_request(given["method"], given["path"], {}, headers, given["body"].encode())
    assert huawei.authorization(canonical, headers, given["ak"], Secret(given["sk"])) == expected["authorization"]


def test_huawei_wsse_hashes_the_hex_text() -> None:
    made = huawei.wsse("key", Secret("secret"), "nonce", "2026-01-02T03:04:05Z")
    assert made == (
        'UsernameToken Username="key",'
        'PasswordDigest="ODY3ZjExYWNlNjMzMjZiYzlhZmMxZjcyZDRmZDU0MGY1ODUwNGYxYzM2MGY5NGYyYzBhYTIyYzUxNDU0MDQ1Mw==",'
        'Nonce="nonce",Created="2026-01-02T03:04:05Z"'
    )


def test_twilio_callbacks_are_checked_as_published() -> None:
    given, expected = vector("twilio-webhook-signature-doc")
    made = twilio.callback_signature(given["url"], given["form"], Secret(given["auth_token"]))
    assert made == expected["signature"]


def test_a_plain_hmac_equals_rfc_4231_case_2() -> None:
    made = generic_hmac.sign(b"what do ya want for nothing?", Secret("Jefe"))
    assert made == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    in_base64 = generic_hmac.sign(
        b"what do ya want for nothing?", Secret("Jefe"), generic_hmac.Digest.SHA512, generic_hmac.Encoding.BASE64
    )
    assert base64.b64decode(in_base64).hex() == (
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
    )
