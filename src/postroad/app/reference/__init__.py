"""Writes `docs/reference` pages from the program's own tables, so that no page says what the program does not do.

`python -m postroad.app.reference docs/reference` writes them; a test compares the files with what it would write.
"""

from collections.abc import Callable

from postroad.app.reference.commands import commands_page
from postroad.app.reference.errors import errors_page
from postroad.app.reference.events import events_page
from postroad.app.reference.exits import exit_codes_page
from postroad.app.reference.metrics import metrics_page
from postroad.app.reference.outcomes import outcomes_page
from postroad.app.reference.providers import providers_page
from postroad.app.reference.rights import rights_page
from postroad.app.reference.service_settings import service_settings_page
from postroad.app.reference.settings import settings_page

PAGES: dict[str, Callable[[], str]] = {
    "cli.md": commands_page,
    "providers.md": providers_page,
    "errors.md": errors_page,
    "events.md": events_page,
    "exit-codes.md": exit_codes_page,
    "metrics.md": metrics_page,
    "outcomes.md": outcomes_page,
    "rights.md": rights_page,
    "service-settings.md": service_settings_page,
    "settings.md": settings_page,
}

__all__ = ["PAGES"]
