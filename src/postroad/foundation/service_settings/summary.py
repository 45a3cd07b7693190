"""What holds, for the eyes of whoever starts the service: every setting that was changed, secrets masked."""

from postroad.foundation.service_settings.loading import SERVICE_SETTINGS
from postroad.foundation.service_settings.sections import Settings
from postroad.vocabulary.secret import MASK, Secret

_ALWAYS = ("dataDir", "server.host", "server.port", "database.url", "keys.file", "artifacts.directory")


def summary_of(settings: Settings, *, everything: bool = False) -> dict[str, str]:
    """Path → shown value: the few that always matter and what differs from its default."""
    shown = {}
    for setting in SERVICE_SETTINGS:
        value: object = settings
        for attribute in setting.attributes:
            value = getattr(value, attribute)
        if not (everything or setting.path in _ALWAYS or value != setting.default):
            continue
        if isinstance(value, Secret):
            shown[setting.path] = MASK
        else:
            shown[setting.path] = "not set" if value is None else setting.kind.show(value)
    return shown
