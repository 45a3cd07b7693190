"""The page of rights, from the one table that decides."""

from postroad.app.reference.markdown import code, member_notes, page, paragraph, table
from postroad.kernel.authz import RULES, Action

_INTRODUCTION = """
Who may do what. A role holds in one workspace and includes the lower ones: VIEWER, OPERATOR, ADMIN. A system
administrator makes workspaces and users and acts in every workspace as an ADMIN. A token belongs to one workspace and
acts as its owner, within its scopes and never as a system administrator; where the column says no, only a signed-in
person may do it. Rights are read at each request, and a change asks again in its own transaction.
"""
_STRANGERS = """
Who is not a member of a workspace is told that it is not there. In an archived workspace people only do what the last
column says; what the service began before goes on to its end.
"""


def rights_page() -> str:
    notes = member_notes(Action)
    rows = [_row(action, notes.get(action.name, "")) for action in Action]
    head = ("Action", "Least role", "Scope of a token", "When archived", "")
    return page("Rights", paragraph(_INTRODUCTION), paragraph(_STRANGERS), table(head, rows))


def _row(action: Action, note: str) -> tuple[str, ...]:
    rule = RULES[action]
    least = "system administrator" if rule.system_admin else rule.role.value
    return code(action.value), least, code(rule.scope or "") or "no", "yes" if rule.when_archived else "no", note
