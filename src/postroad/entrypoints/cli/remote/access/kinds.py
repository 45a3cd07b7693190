"""Which things have names, and where they are listed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    path: str
    """Of the list, below the workspace or, with a slash before it, below the API."""
    group: str
    """The commands that list it."""
    id_field: str = "id"
    name_field: str = "name"


ACCOUNTS = Kind("accounts", "accounts")
MESSAGES = Kind("messages", "messages")
AUDIENCES = Kind("audiences", "audiences")
JOBS = Kind("jobs", "jobs")
SCHEDULES = Kind("schedules", "schedules")
TOKENS = Kind("api-tokens", "tokens")
MEMBERS = Kind("members", "members", "userId", "username")
USERS = Kind("/users", "users", "id", "username")
WORKSPACES = Kind("/workspaces", "workspaces")
