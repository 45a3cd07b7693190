"""The interpreter for templates that are more than `{{ field }}`: minijinja, fenced in.

Fuel bounds every render, undefined is strict, there is no loader (so no include), and only plain values go in, because
minijinja can call methods of Python objects. Its own error texts may quote recipient data; only the kind of error and
the name of the expression are passed on.
"""

import re
from collections.abc import Callable, Mapping

from minijinja import Environment, Markup, TemplateError

from postroad.providerkit.templates.plain import plain, text_of
from postroad.spi import RenderError
from postroad.vocabulary.errors import TemplateInvalid
from postroad.vocabulary.values import RecipientValue

FUEL = 50_000
"""Steps one render may take; a few milliseconds at most."""

LONGEST_TAG = 4_000
"""The compiler calls itself for each operator of an expression, and tens of thousands end the process."""

FIELDS = "fields"
"""The name under which a template reaches columns that are no identifiers: `{{ fields["First name"] }}`."""

Escape = Callable[[str], str]

_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_NAMED = re.compile(r"`([^`]+)`")
_BY_KEY = re.compile(r"^fields\[['\"](.*)['\"]\]$|^fields\.(.+)$")
_AUTHOR_ERRORS = frozenset({"UnknownFilter", "UnknownTest", "UnknownFunction", "UnknownBlock", "TemplateNotFound"})
_FOUND_IN_REHEARSAL = _AUTHOR_ERRORS | {"UnknownMethod", "OutOfFuel"}
_NOT_CALLABLE = "is not callable"
"""A value of a row never is, so the author meant a function that there is not."""

_SOURCE = "template"
_HTML = "html"


class Program:
    """One compiled template. Raises TemplateInvalid for what its author must mend, naming `where` in the config."""

    def __init__(self, source: str, where: str, escape: Escape | None, *, html: bool = False) -> None:
        self._where = where
        if any(len(tag) > LONGEST_TAG for tag in _TAG.findall(source)):
            raise TemplateInvalid(
                f"{where}: an expression has more than {LONGEST_TAG} characters; split it", field=where
            )
        self._name = _HTML if html else _SOURCE
        self._environment = _environment(escape)
        try:
            self._environment.add_template(self._name, source)
            self.names = frozenset(self._environment.undeclared_variables_in_template(self._name))
        except TemplateError as error:
            raise TemplateInvalid(f"{where}: {_reason(error)}", field=where) from None
        self._rehearse()

    def render(self, fields: Mapping[str, RecipientValue]) -> str:
        context: dict[str, object] = {name: plain(fields[name]) for name in self.names if name in fields}
        if FIELDS in self.names and FIELDS not in fields:
            context[FIELDS] = {name: plain(value) for name, value in fields.items()}
        try:
            return self._environment.render_template(self._name, **context)
        except TemplateError as error:
            field = _blamed(error)
            raise RenderError(field, f"{self._where}: {_reason(error)}") from None

    def _rehearse(self) -> None:
        """Finds unknown filters, tests and functions before the run: minijinja only meets them while rendering."""
        context: dict[str, object] = dict.fromkeys(self.names, "1")
        if FIELDS in context:
            context[FIELDS] = {}
        try:
            self._environment.render_template(self._name, **context)
        except TemplateError as error:
            if error.kind in _FOUND_IN_REHEARSAL or _NOT_CALLABLE in (error.detail or ""):
                raise TemplateInvalid(f"{self._where}: {_reason(error)}", field=self._where) from None
        except RenderError:
            return


def _environment(escape: Escape | None) -> Environment:
    def finish(value: object) -> object:
        if escape is None and isinstance(value, Markup):
            return value
        shown = text_of(value)
        return shown if escape is None else escape(shown)

    environment = Environment(
        undefined_behavior="strict",
        fuel=FUEL,
        keep_trailing_newline=True,
        auto_escape_callback=lambda name: name == _HTML,
        finalizer=finish,
    )
    environment.remove_global("debug")
    return environment


def _reason(error: TemplateError) -> str:
    detail = error.detail or "it cannot be read"
    at = f", line {error.line}" if error.line and error.line > 1 else ""
    if error.kind == "UndefinedError":
        return f"the row has no value for {detail.removesuffix(' is undefined')}{at}"
    if error.kind == "OutOfFuel":
        return f"the template takes too many steps{at}; make its loops shorter"
    if error.kind in _AUTHOR_ERRORS or error.kind == "SyntaxError":
        return f"{detail}{at}"
    return f"{error.kind}{at}: the template and this row's values do not fit together"


def _blamed(error: TemplateError) -> str:
    found = _NAMED.search(error.detail or "")
    if found is None:
        return ""
    by_key = _BY_KEY.match(found[1])
    return (by_key[1] or by_key[2]) if by_key else found[1]
