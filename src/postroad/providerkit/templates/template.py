"""One template of one kind: a fast path for text with holes, an interpreter for everything else.

The fast path is a `%` format over the fields it names; it and the interpreter give the same text for the same row
(a property test says so). `escape` works on one value, `check` on the whole result.
"""

from collections.abc import Callable, Mapping
from operator import itemgetter

from postroad.providerkit.templates.interpreter import FIELDS, Escape, Program
from postroad.providerkit.templates.plain import text_of
from postroad.providerkit.templates.source import has_markers, segments
from postroad.spi import RenderError
from postroad.vocabulary.values import RecipientValue

Fields = Mapping[str, RecipientValue]
Check = Callable[[str], str]
"""Looks at a finished text and returns what is wrong with it, or the empty string."""


class Template:
    """`where` is the path in the configuration, for errors. Raises TemplateInvalid when it cannot be compiled.

    `names` are the recipient fields it reads; `is_static` says that no recipient can change the result, and then
    `render` returns one ready-made text.
    """

    __slots__ = ("_check", "_escape", "_format", "_pick", "_program", "is_static", "names", "source", "where")

    def __init__(
        self,
        source: str,
        where: str,
        *,
        escape: Escape | None = None,
        check: Check | None = None,
        autoescape_html: bool = False,
    ) -> None:
        self.source = source
        self.where = where
        self._escape = escape
        self._check = check
        self._program: Program | None = None
        self._format = source
        self._pick: Callable[[Fields], tuple[RecipientValue, ...]] = _nothing
        self.is_static = not has_markers(source)
        simple = segments(source)
        if self.is_static:
            self.names: frozenset[str] = frozenset()
        elif simple is not None:
            self.names = frozenset(simple.names)
            self._format = "%s".join(literal.replace("%", "%%") for literal in simple.literals)
            self._pick = picker(simple.names)
        else:
            self._program = Program(source, where, None if autoescape_html else escape, html=autoescape_html)
            self.names = self._program.names - {FIELDS}

    def render(self, fields: Fields) -> str:
        """Raises RenderError with the field that is to blame."""
        if self.is_static:
            return self.source
        try:
            made = self._fill(fields) if self._program is None else self._program.render(fields)
            if not made.isascii():
                made.encode()
        except UnicodeEncodeError:
            raise half_a_character(self._torn(fields), self.where) from None
        if self._check is not None and (wrong := self._check(made)):
            raise RenderError(self._culprit(fields), f"{self.where}: {wrong}")
        return made

    def _fill(self, fields: Fields) -> str:
        try:
            values = self._pick(fields)
        except KeyError as error:
            raise missing(str(error.args[0]), self.where) from None
        escape = self._escape
        if escape is not None:
            return self._format % tuple([escape(v if v.__class__ is str else text_of(v)) for v in values])
        for value in values:
            if value.__class__ is not str:
                return self._format % tuple([text_of(v) for v in values])
        return self._format % values

    def _torn(self, fields: Fields) -> str:
        """The first field that cannot be written as UTF-8."""
        for name, value in fields.items():
            try:
                text_of(value, name).encode()
            except UnicodeEncodeError:
                return name
        return self.where

    def _culprit(self, fields: Fields) -> str:
        """The first field whose own text is refused by the check; the place in the configuration if none is."""
        if self._check is not None:
            for name in sorted(self.names):
                if self._check(text_of(fields.get(name), name)):
                    return name
        return self.where


def missing(name: str, where: str) -> RenderError:
    return RenderError(name, f"{where}: the row has no field {name!r}; add the column or give it a default")


def half_a_character(name: str, where: str) -> RenderError:
    return RenderError(name, f"{where}: field {name!r} holds half a character (a lone surrogate); mend the cell")


def picker(names: tuple[str, ...]) -> Callable[[Fields], tuple[RecipientValue, ...]]:
    """Reads `names` from a row as a tuple, at C speed where there are two or more."""
    if not names:
        return _nothing
    if len(names) > 1:
        return itemgetter(*names)
    only = names[0]
    return lambda fields: (fields[only],)


def _nothing(_fields: Fields) -> tuple[RecipientValue, ...]:
    return ()
