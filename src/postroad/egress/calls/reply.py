"""What came back, whatever its status."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: tuple[tuple[str, str], ...]
    """Names in small letters, in the order in which they came; a name may come twice."""
    body: bytes = b""
    """Empty where it was written somewhere else, or is still to come."""

    def header(self, name: str) -> str:
        """The first header of this name, or an empty text."""
        return next(iter(self.all(name)), "")

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(value for each, value in self.headers if each == name)
