"""How a configuration names a secret: `{"$secret": "name"}` or `{"$secret": "namespace/name"}`.

A plain name is looked for among the account's own secrets first and then in the namespace `default` of the workspace;
with a namespace before it only there. What belongs to an account lives in a namespace that no reference can name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MARK = "$secret"
DEFAULT_NAMESPACE = "default"

_NAMESPACE = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_NAME = re.compile(r"[^\W_][\w.-]{0,127}")
_OWNED = "account:"


@dataclass(frozen=True, slots=True)
class SecretReference:
    namespace: str
    """Empty: the account's own secrets, then `default`."""
    name: str

    @staticmethod
    def parse(text: str) -> "SecretReference":
        """Raises ValueError, which says what a reference looks like."""
        namespace, slash, name = text.rpartition("/")
        if not _NAME.fullmatch(name) or (slash and not _NAMESPACE.fullmatch(namespace)):
            raise ValueError("a secret is named NAME or NAMESPACE/NAME: letters, digits, `.`, `_` and `-`")
        return SecretReference(namespace, name)

    def places(self, account_id: str = "") -> tuple[tuple[str, str], ...]:
        """(namespace, name) in the order in which they are looked at."""
        if self.namespace:
            return ((self.namespace, self.name),)
        own = ((account_namespace(account_id), self.name),) if account_id else ()
        return (*own, (DEFAULT_NAMESPACE, self.name))


def account_namespace(account_id: str) -> str:
    """Where the secrets of one account live."""
    return f"{_OWNED}{account_id}"


def is_open_namespace(namespace: str) -> bool:
    """Whether people may name it: not one that belongs to an account."""
    return _NAMESPACE.fullmatch(namespace) is not None


def is_secret_key(name: str) -> bool:
    """Whether a secret may have this name."""
    return _NAME.fullmatch(name) is not None


def references_in(value: object) -> tuple[str, ...]:
    """The texts of all references in a configuration, each once, in the order in which they stand."""
    return tuple(dict.fromkeys(_walk(value)))


def _walk(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        named = value.get(MARK)
        if isinstance(named, str) and len(value) == 1:
            yield named
        else:
            for inner in value.values():
                yield from _walk(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _walk(inner)
