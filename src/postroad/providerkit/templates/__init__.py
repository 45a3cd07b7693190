"""Templates: what an operator wrote, compiled once per run, made for one recipient at a time.

A template knows the kind of place its text goes to, and the kind decides how a value is escaped; no template author
has to remember it. Values arrive plain (text, number, boolean, null, path of a file) and a missing field is an error.

- `text`: SMS, subject, plain mail, chat text. Nothing is escaped.
- `html`: every value is HTML-escaped.
- `header`: nothing is escaped; CR, LF and NUL in the result are refused.
- `url_path`, `url_query`: every value is percent-encoded, so it can never leave its segment or its parameter.
- `form`: a map of templates, made into `application/x-www-form-urlencoded` bytes.
- `json_structure`: a JSON value whose text leaves are templates; a value can never break or add structure.

The parts that are only `{{ field }}` run without an interpreter; everything else runs in minijinja with fuel.
"""

from postroad.providerkit.templates.form import FormTemplate, form
from postroad.providerkit.templates.json_structure import JsonTemplate, json_structure
from postroad.providerkit.templates.kinds import header, html, text, url_path, url_query
from postroad.providerkit.templates.template import Template

__all__ = [
    "FormTemplate",
    "JsonTemplate",
    "Template",
    "form",
    "header",
    "html",
    "json_structure",
    "text",
    "url_path",
    "url_query",
]
