"""Keeps a secret out of a vendor's own words: some repeat the token or the key they refuse."""

from collections.abc import Iterable

from postroad.vocabulary.secret import MASK, Secret


def masked(text: str, secrets: Iterable[Secret]) -> str:
    """`text` with every one of the `secrets` masked; empty secrets are passed over.

    Mask first and shorten afterwards: a secret that was cut in the middle is not found any more.
    """
    for secret in secrets:
        if hidden := secret.reveal():
            text = text.replace(hidden, MASK)
    return text
