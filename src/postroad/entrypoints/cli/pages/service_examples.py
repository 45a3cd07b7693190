"""Examples of the commands that speak to a service."""

SERVICE_EXAMPLES: dict[str, tuple[str, ...]] = {
    "postroad login": (
        "postroad login --link 'http://127.0.0.1:18990/setup#code=THE-CODE-IT-PRINTED'",
        "postroad login --url https://post.example.com --username anna",
        "postroad login --username anna --password-stdin",
    ),
    "postroad logout": ("postroad logout",),
    "postroad whoami": ("postroad whoami", "postroad whoami --json"),
    "postroad workspaces list": ("postroad workspaces list",),
    "postroad workspaces use": ("postroad workspaces use Shop",),
    "postroad workspaces create": ("postroad workspaces create Shop",),
    "postroad members list": ("postroad members list",),
    "postroad members add": ("postroad members add anna --role operator",),
    "postroad members change": ("postroad members change anna --role viewer",),
    "postroad members remove": ("postroad members remove anna",),
    "postroad users list": ("postroad users list --status ACTIVE",),
    "postroad users create": ("postroad users create anna --display-name 'Anna Li'",),
    "postroad users link": ("postroad users link anna",),
    "postroad users enable": ("postroad users enable anna",),
    "postroad users disable": ("postroad users disable anna",),
    "postroad tokens list": ("postroad tokens list",),
    "postroad tokens create": (
        "postroad tokens create nightly --scope jobs:read --scope runs:start --scope runs:read --days 30",
    ),
    "postroad tokens revoke": ("postroad tokens revoke nightly",),
    "postroad audit list": ("postroad audit list", "postroad audit list --action 'run.*' --result DENIED"),
    "postroad audit export": ("postroad audit export --out audit.csv --after 2026-11-01T00:00:00Z",),
}
"""Path of a command → command lines."""
