"""HTTP: one request per recipient to a service of the operator's own. Source: spec wepush §16."""

from postroad.providers.http.provider import HttpProvider

__all__ = ["HttpProvider"]
