"""What a secret is, without its text. Pure: it decides and does not do."""

from dataclasses import dataclass
from enum import StrEnum

from postroad.foundation.envelope import Place, Sealed
from postroad.spi.secret_references import is_open_namespace, is_secret_key
from postroad.vocabulary.refusals import FieldProblem, ValidationFailed
from postroad.vocabulary.secret import Secret

LARGEST_BYTES = 64 * 1024
MOST_IN_A_SET = 50


class SecretType(StrEnum):
    TEXT = "TEXT"


class SecretOperation(StrEnum):
    REPLACE = "REPLACE"
    KEEP = "KEEP"


@dataclass(frozen=True, slots=True)
class SecretChange:
    """What becomes of one secret of a set. `value` belongs to REPLACE alone."""

    operation: SecretOperation
    value: Secret | None = None


@dataclass(frozen=True, slots=True)
class SecretRecord:
    """A row as it is stored. `version` is part of what the text is sealed to."""

    id: str
    workspace_id: str
    namespace: str
    name: str
    type: SecretType
    version: int
    sealed: Sealed
    created_at_ms: int
    updated_at_ms: int

    @property
    def place(self) -> Place:
        return place_of(self.workspace_id, self.id, self.type, self.version)

    @property
    def view(self) -> "SecretView":
        return SecretView(
            self.id, self.workspace_id, self.namespace, self.name, self.version, self.created_at_ms, self.updated_at_ms
        )


@dataclass(frozen=True, slots=True)
class SecretView:
    """All that is ever shown of a secret."""

    id: str
    workspace_id: str
    namespace: str
    name: str
    version: int
    created_at_ms: int
    updated_at_ms: int
    configured: bool = True


@dataclass(frozen=True, slots=True)
class SecretVersion:
    version: int
    updated_at_ms: int
    updated_by: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class SecretState:
    """Of a name that a configuration refers to."""

    configured: bool
    updated_at_ms: int | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class SecretFilter:
    namespace: str | None = None
    name: str | None = None
    """A part of the name."""
    created_after_ms: int | None = None
    created_before_ms: int | None = None


def place_of(workspace_id: str, secret_id: str, kind: SecretType, version: int) -> Place:
    return Place(workspace_id, secret_id, kind.value, version)


def checked_value(value: Secret | None, path: str) -> bytes:
    """The text as it is sealed. Raises ValidationFailed where it is missing, empty or too long; it never shows it."""
    if value is None:
        raise ValidationFailed.of(path, "SECRET_VALUE_MISSING", f"{path}: REPLACE needs a value")
    try:
        text = value.reveal().encode()
    except UnicodeEncodeError:
        raise ValidationFailed.of(path, "SECRET_UNFIT", f"{path}: the text holds half a character") from None
    if not 1 <= len(text) <= LARGEST_BYTES:
        said = f"{path}: a secret has 1 to {LARGEST_BYTES} bytes, this one has {len(text)}"
        raise ValidationFailed.of(path, "SECRET_SIZE", said)
    return text


def refuse_names(namespace: str, name: str) -> None:
    """Raises ValidationFailed for a namespace that is not open, or a name that no secret may have."""
    problems = []
    if not is_open_namespace(namespace):
        said = "namespace: small letters, digits, `_` and `-`, at most 63, beginning with a letter or digit"
        problems.append(FieldProblem("namespace", "NAME_UNFIT", said))
    problems += name_problems(name, "name")
    if problems:
        raise ValidationFailed(problems[0].message, problems=problems)


def name_problems(name: str, path: str) -> list[FieldProblem]:
    if is_secret_key(name):
        return []
    said = f"{path}: letters, digits, `.`, `_` and `-`, at most 128, beginning with a letter or digit"
    return [FieldProblem(path, "NAME_UNFIT", said)]
