"""A secret that cannot print itself."""

from typing import NoReturn

MASK = "••••••"


class Secret:
    """Holds a secret text. `str`, `repr`, f-strings and logging show a fixed mask; pickling and copying are refused.

    Two secrets compare equal by value. `reveal()` is the only way to the text, so every use can be found by name.
    `close()` forgets the text as far as Python allows; revealing afterwards raises ValueError.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text: str | None = text

    def reveal(self) -> str:
        if self._text is None:
            raise ValueError("this secret was closed")
        return self._text

    def close(self) -> None:
        self._text = None

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return format(MASK, spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret cannot be pickled or copied")
