"""A message as one recipient gets it, or why it cannot be made for that one. No network, no transaction."""

from dataclasses import dataclass

from postroad.spi import Preview, Recipient, Renderer, RenderError

MOST_MISSING = 50


@dataclass(frozen=True, slots=True)
class Sample:
    """`preview` is None where the message cannot be made; then `problem_field` and `problem` say why.

    `missing_fields` are all the fields the message asked this recipient for in vain, so that one look is enough.
    """

    row: int
    preview: Preview | None
    problem_field: str = ""
    problem: str = ""
    missing_fields: tuple[str, ...] = ()


def sample(renderer: Renderer, recipient: Recipient) -> Sample:
    try:
        return Sample(recipient.row, renderer.preview(renderer.render(recipient)))
    except RenderError as error:
        missing = _missing(renderer, recipient)
        return Sample(recipient.row, None, error.field, error.message, missing)


def _missing(renderer: Renderer, recipient: Recipient) -> tuple[str, ...]:
    """Fills in one field after the other that is asked for and not there, until nothing more is missing."""
    fields = dict(recipient.fields)
    missing: list[str] = []
    while len(missing) < MOST_MISSING:
        try:
            renderer.render(Recipient(recipient.sequence, fields, recipient.row))
        except RenderError as error:
            if not error.field or error.field in fields:
                break
            missing.append(error.field)
            fields[error.field] = "1"
        else:
            break
    return tuple(missing)
