"""What an account and a message of the Feishu robot say, beyond what their schemas can check."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from postroad.egress import Target
from postroad.providerkit.stand_in import StandIn, stand_in
from postroad.spi import ConfigDocument, Problem
from postroad.vocabulary.errors import ConfigInvalid
from postroad.vocabulary.secret import Secret

CONTENT_FIELDS = {
    "text": "text",
    "post": "post",
    "interactive": "card",
    "image": "imageKey",
    "share_chat": "shareChatId",
    "raw": "body",
}
"""Message type → the one field that holds its content."""

_WEBHOOK = re.compile(
    r"https://(?P<host>open\.feishu\.cn|open\.larksuite\.com)(?P<path>/open-apis/bot/v2/hook/[A-Za-z0-9_-]{1,200})"
)


@dataclass(frozen=True, slots=True)
class Account:
    webhook: str
    """Name of the secret that holds the robot's address."""
    sign_secret: str
    """Name of the secret that signs; empty where the robot does not verify signatures."""
    stand_in: StandIn | None


@dataclass(frozen=True, slots=True)
class Robot:
    """Where to post. The path holds the token, so it is never shown."""

    target: Target
    path: Secret


def read_account(document: ConfigDocument) -> Account:
    """Raises ConfigInvalid for an endpoint that may not stand in for Feishu."""
    value = document.value()
    endpoint = value.get("endpoint")
    return Account(
        webhook=value["webhook"]["$secret"],
        sign_secret=value.get("signSecret", {}).get("$secret", ""),
        stand_in=stand_in(endpoint, "endpoint") if endpoint is not None else None,
    )


def find_robot(account: Account, webhook: Secret) -> Robot:
    """Reads the address out of the secret. Raises ConfigInvalid, without a word of it, where it is not the vendor's.

    A test account's stand-in replaces the host; the address must be the vendor's all the same.
    """
    found = _WEBHOOK.fullmatch(webhook.reveal().strip())
    if found is None:
        raise ConfigInvalid(
            f"webhook: the secret {account.webhook!r} does not hold a robot's address; it must look like "
            "https://open.feishu.cn/open-apis/bot/v2/hook/… (or open.larksuite.com), as the robot's page shows it",
            field="webhook",
        )
    origin = f"https://{found['host']}"
    if account.stand_in is not None:
        origin = f"{account.stand_in.scheme}://{account.stand_in.address}"
    return Robot(Target.of(origin, field="endpoint"), Secret(found["path"]))


def content_problems(message: Mapping[str, Any]) -> list[Problem]:
    """Exactly the field of the chosen type must be there."""
    kind = message.get("type")
    if not isinstance(kind, str) or kind not in CONTENT_FIELDS:
        return []
    wanted = CONTENT_FIELDS[kind]
    problems = []
    if wanted not in message:
        problems.append(Problem(wanted, f"a message of type {kind!r} needs this field", "REQUIRED"))
    for other, field in CONTENT_FIELDS.items():
        if field != wanted and field in message:
            problems.append(Problem(field, f"belongs to type {other!r}, but type is {kind!r}; take one away"))
    return problems
