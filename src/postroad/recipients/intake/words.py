"""Words that columns go by, and the guess which column a field means."""

from collections.abc import Mapping, Sequence

from postroad.vocabulary.errors import AudienceInvalid

_GROUPS = (
    (
        "mobile phone tel telephone cell cellphone msisdn phone_number phonenumber mobile_number mobilephone "
        "手机 手机号 手机号码 电话 电话号码 联系电话 联系方式 移动电话 手机電話 行動電話 電話 手機 手機號碼 号码"
    ),
    "email mail e-mail email_address emailaddress mailbox 邮箱 邮件 电子邮箱 电子邮件 邮箱地址 邮件地址 電子郵件 信箱",
    "name full_name fullname username recipient_name 姓名 名字 名称 称呼 用户名 客户姓名 收件人",
    "openid open_id 微信openid",
    "userid user_id uid 用户id 工号 员工号 编号",
)
_GROUP_OF = {word: index for index, group in enumerate(_GROUPS) for word in group.split()}


def plain_word(text: str) -> str:
    return text.casefold().strip(" *＊:：").replace(" ", "_")


def is_known_word(text: str) -> bool:
    return plain_word(text) in _GROUP_OF


def guess_column(field: str, columns: Sequence[str]) -> str | None:
    """The one column that goes by another word for `field`; None where there is none or more than one."""
    same = [column for column in columns if plain_word(column) == plain_word(field)]
    if len(same) == 1:
        return same[0]
    group = _GROUP_OF.get(plain_word(field))
    meant = [column for column in columns if group is not None and _GROUP_OF.get(plain_word(column)) == group]
    return meant[0] if len(meant) == 1 else None


def lead_to_columns(
    columns: Sequence[str], mapping: Mapping[str, str], wanted: Sequence[str]
) -> tuple[dict[str, str], set[str]]:
    """(other name → column, the guessed names among them) for the mapping given and for `wanted` fields not found."""
    leads: dict[str, str] = {}
    for name, column in mapping.items():
        if column not in columns:
            raise AudienceInvalid(
                f"mapping leads {name!r} to column {column!r}, which is not there; the columns are {listed(columns)}",
                field=f"mapping.{name}",
            )
        if name in columns and name != column:
            raise AudienceInvalid(
                f"mapping leads {name!r} to {column!r}, but there is a column {name!r} too", field=f"mapping.{name}"
            )
        if name != column:
            leads[name] = column
    guessed = set()
    for name in wanted:
        if name not in columns and name not in leads and (meant := guess_column(name, columns)) is not None:
            leads[name] = meant
            guessed.add(name)
    return leads, guessed


def listed(columns: Sequence[str]) -> str:
    shown = ", ".join(repr(column) for column in columns[:12])
    return f"{shown} and {len(columns) - 12} more" if len(columns) > 12 else shown or "none"
