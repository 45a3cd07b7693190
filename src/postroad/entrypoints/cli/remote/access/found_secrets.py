"""Secrets that are at hand here: in the environment, or in a file that only its owner can read."""

from collections.abc import Iterable
from pathlib import Path

from postroad.foundation.secret_lookup import SecretLookup
from postroad.spi.secret_references import references_in
from postroad.vocabulary.errors import SecretMissing
from postroad.vocabulary.secret import Secret


def own_references(config: object) -> list[str]:
    """The secrets that belong to an account with this configuration; those of a namespace are the workspace's."""
    return [name for name in references_in(config) if "/" not in name]


def find_secrets(names: Iterable[str], file: Path | None) -> dict[str, Secret]:
    """Those that are there. Raises ConfigInvalid for a file that others may read or that is none."""
    lookup = SecretLookup(file=file)
    found = {}
    for name in names:
        try:
            found[name] = lookup.resolve(name)
        except SecretMissing:
            continue
    return found


def replacing(found: dict[str, Secret]) -> dict[str, dict[str, str]]:
    """As the API takes them."""
    return {name: {"operation": "REPLACE", "value": secret.reveal()} for name, secret in found.items()}
