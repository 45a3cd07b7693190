"""Who may do what: actions, principals, one table, one pure decision."""

from postroad.kernel.authz.actions import Action
from postroad.kernel.authz.decide import Decision, Reason, Resource, decide
from postroad.kernel.authz.principal import ANONYMOUS, Principal, PrincipalKind
from postroad.kernel.authz.table import RULES, SCOPES, Rule

__all__ = [
    "ANONYMOUS",
    "RULES",
    "SCOPES",
    "Action",
    "Decision",
    "Principal",
    "PrincipalKind",
    "Reason",
    "Resource",
    "Rule",
    "decide",
]
