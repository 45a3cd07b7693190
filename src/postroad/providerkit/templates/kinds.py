"""The kinds of place a text can go to, each with its own escaping."""

import re
from urllib.parse import quote

from postroad.providerkit.templates.template import Template

_HTML_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;", "/": "&#x2f;"})
_HTML_SPECIAL = re.compile(r"[&<>\"'/]")
_DOTS = frozenset({".", "..", "%2e", "%2e%2e", ".%2e", "%2e."})


def text(source: str, where: str) -> Template:
    """SMS, subject, plain mail, chat text: values go in as they are."""
    return Template(source, where)


def html(source: str, where: str) -> Template:
    """Every value is escaped; `|safe` on an expression is the author's explicit word that it is HTML already."""
    return Template(source, where, escape=_escape_html, autoescape_html=True)


def header(source: str, where: str) -> Template:
    """One header value or one address line. CR, LF and NUL in the result are refused, never removed."""
    return Template(source, where, check=_broken_line)


def url_path(source: str, where: str) -> Template:
    """A path below a base URL. Values are percent-encoded, `/` too; a result with a dot segment is refused."""
    return Template(source, where, escape=_percent, check=_broken_path)


def url_query(source: str, where: str) -> Template:
    """One parameter value, or a whole query string whose values are percent-encoded."""
    return Template(source, where, escape=_percent, check=_broken_line)


def _escape_html(value: str) -> str:
    if _HTML_SPECIAL.search(value) is None:
        return value
    return value.translate(_HTML_ESCAPES)


def _percent(value: str) -> str:
    if value.isalnum() and value.isascii():
        return value
    return quote(value, safe="")


def _broken_line(made: str) -> str:
    if "\n" in made or "\r" in made or "\0" in made:
        return "the result holds a line break or a NUL, which could add a header; take it out of the row"
    return ""


def _broken_path(made: str) -> str:
    if wrong := _broken_line(made):
        return wrong
    if ("." in made or "%2" in made) and not _DOTS.isdisjoint(made.lower().split("?", 1)[0].split("/")):
        return "the result holds the path segment '.' or '..', which could leave the configured path"
    return ""
