"""Aliyun's codes and what they mean to us.

Codes of the SMS service (`isv.*`, `isp.*`) come with HTTP 200, those of the gateway with HTTP 4xx. Sources: vendor page
of SendSms error codes; codes marked *recalled* are not on it.
"""

from postroad.providerkit.answers import OutcomeTable, Ruling
from postroad.vocabulary.outcomes import Category

OK = "OK"
NUMBER_LIMIT = "isv.BUSINESS_LIMIT_CONTROL"
CLOCK_CODES = frozenset({"InvalidTimeStamp.Expired", "SignatureDoesNotMatch"})
BUSY_CODES = frozenset({"isp.SYSTEM_ERROR", "ServiceUnavailable", "InternalError"})

_C = Category
_RECIPIENT = Ruling(_C.RECIPIENT_INVALID, retry=False)
_REQUEST = Ruling(_C.INVALID_REQUEST, retry=False)
_KEY = Ruling(_C.AUTHENTICATION, retry=False)
_RIGHTS = Ruling(_C.AUTHORIZATION, retry=False)
_ACCOUNT = Ruling(_C.AUTHORIZATION, retry=False, stop_run=True)
_QUOTA = Ruling(_C.RATE_LIMITED, retry=False, stop_run=True)
_IN_DOUBT = Ruling(_C.UNKNOWN, in_doubt=True)

BUSY_TRIED_AGAIN = Ruling(_C.TEMPORARY_REMOTE, retry=True, may_have_left=True)
"""What `BUSY_CODES` and a 5xx mean where the operator accepts that some people may get two."""


def _each(ruling: Ruling, codes: str) -> dict[str, Ruling]:
    return dict.fromkeys(codes.split(), ruling)


CODES = OutcomeTable(
    {
        OK: Ruling(None),
        NUMBER_LIMIT: Ruling(_C.RATE_LIMITED, retry=False),
        "Throttling*": Ruling(_C.RATE_LIMITED, retry=True, retry_after_s=1.0),
        "InvalidSecurityToken.*": _KEY,
        # Our nonce is new at each attempt: if it was seen before, a copy made on the way came first.
        "SignatureNonceUsed": _IN_DOUBT,
        "isp.*": _IN_DOUBT,
    }
    | _each(
        _RECIPIENT,
        "isv.MOBILE_NUMBER_ILLEGAL isv.DOMESTIC_NUMBER_NOT_SUPPORTED isv.BLACK_KEY_CONTROL_LIMIT isv.MOBILE_IN_BLACK",
    )
    | _each(_QUOTA, "isv.DAY_LIMIT_CONTROL isv.MONTH_LIMIT_CONTROL")
    | _each(
        _ACCOUNT,
        "isv.OUT_OF_SERVICE isv.AMOUNT_NOT_ENOUGH isv.ACCOUNT_ABNORMAL "
        "isv.PRODUCT_UN_SUBSCRIPT isv.PRODUCT_UNSUBSCRIBE",
    )
    | _each(_RIGHTS, "isp.RAM_PERMISSION_DENY isv.DENY_IP_RANGE Forbidden.RAM")
    | _each(
        _KEY,
        "isv.ACCOUNT_NOT_EXISTS InvalidAccessKeyId.NotFound InvalidAccessKeyId.Inactive "
        "SignatureDoesNotMatch InvalidTimeStamp.Expired",
    )
    | _each(
        _REQUEST,
        "isv.SMS_TEMPLATE_ILLEGAL isv.SMS_SIGNATURE_ILLEGAL isv.SMS_SIGN_ILLEGAL isv.SIGN_STATE_ILLEGAL "
        "isv.SMS_SIGNATURE_SCENE_ILLEGAL isv.EXTEND_CODE_ERROR isv.INVALID_PARAMETERS isv.INVALID_JSON_PARAM "
        "isv.TEMPLATE_MISSING_PARAMETERS isv.TEMPLATE_PARAMS_ILLEGAL isv.PARAM_LENGTH_LIMIT "
        "isv.PARAM_NOT_SUPPORT_URL isv.SMS_CONTENT_ILLEGAL isv.MOBILE_COUNT_OVER_LIMIT "
        "InvalidVersion InvalidAction.NotFound MissingParameter MissingPhoneNumbers",
    )
    | _each(_IN_DOUBT, " ".join(sorted(BUSY_CODES))),
    otherwise=Ruling(_C.PERMANENT_REMOTE, retry=False),
)


def number_limit(said: str) -> Ruling:
    """How long one number must rest, from the vendor's words. A limit per day, or one we cannot read, ends the item."""
    if "分钟" in said:
        return Ruling(_C.RATE_LIMITED, retry=True, retry_after_s=60.0)
    if "小时" in said:
        return Ruling(_C.RATE_LIMITED, retry=True, retry_after_s=3600.0)
    return CODES[NUMBER_LIMIT]
