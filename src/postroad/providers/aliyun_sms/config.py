"""What an account and a message of Aliyun SMS say, beyond what their schemas can check."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from postroad.egress import Target
from postroad.providerkit.stand_in import StandIn, stand_in
from postroad.spi import ConfigDocument, Problem

HOST = "dysmsapi.aliyuncs.com"
PLACE = re.compile(r"\$\{([^{}]+)\}")
"""A place of the vendor's own template text."""


@dataclass(frozen=True, slots=True)
class Account:
    access_key_id: str
    key_secret: str
    """Name of the secret that signs."""
    security_token: str
    """Name of the secret that holds an STS token, or empty."""
    price_per_part: float | None
    currency: str
    retry_when_busy: bool
    stand_in: StandIn | None

    @property
    def target(self) -> Target:
        inside = self.stand_in
        origin = f"https://{HOST}" if inside is None else f"{inside.scheme}://{inside.address}"
        return Target.of(origin, field="endpoint")


def read_account(document: ConfigDocument) -> Account:
    """Raises ConfigInvalid for an endpoint that may not stand in for Aliyun."""
    value = document.value()
    endpoint = value.get("endpoint")
    return Account(
        access_key_id=value["accessKeyId"],
        key_secret=value["accessKeySecret"]["$secret"],
        security_token=value.get("securityToken", {}).get("$secret", ""),
        price_per_part=value.get("pricePerPart"),
        currency=value.get("currency", "CNY"),
        retry_when_busy=value.get("retryWhenBusy", False),
        stand_in=stand_in(endpoint, "endpoint") if endpoint is not None else None,
    )


def place_problems(message: Mapping[str, Any]) -> list[Problem]:
    """Every place of the vendor's text needs a variable: without one Aliyun refuses each message of the run."""
    given = message.get("templateParam", {})
    places = dict.fromkeys(PLACE.findall(message.get("previewText", "")))
    return [
        Problem(f"templateParam.{name}", f"previewText has the place ${{{name}}}; say what goes there", "REQUIRED")
        for name in places
        if name not in given
    ]
