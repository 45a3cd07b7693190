"""The page of everything that can be set for the service, from the fields of its settings."""

from postroad.app.reference.markdown import code, page, paragraph
from postroad.foundation.service_settings import SERVICE_SETTINGS, ServiceSetting
from postroad.vocabulary.secret import MASK

_INTRODUCTION = """
`postroad serve` reads a file, then the environment, then its options: what comes later wins. The file is
`postroad.yaml` in the data folder, or the one that `--config` names. A name that nobody knows is refused with the
nearest known one, and what is wrong is said with its line. A relative path begins at `dataDir`. At the start the
service shows what holds, with secrets masked.
"""
_EXAMPLE = """
```yaml
server:
  host: 0.0.0.0
  publicBaseUrl: https://postroad.example.org
database:
  url: postgresql://postroad@db.example.org/postroad
  passwordFile: database-password
security:
  allowedNetworks: [10.20.0.0/16]
retention:
  results: 30d
```
"""
_INJECTED = """
Variables that a cluster gives to every program beside a service called `postroad` (`POSTROAD_PORT`,
`POSTROAD_SERVICE_HOST` and the like) are left alone.
"""


def service_settings_page() -> str:
    return page(
        "Settings of the service",
        paragraph(_INTRODUCTION),
        _EXAMPLE,
        paragraph(_INJECTED),
        *(_section(setting) for setting in SERVICE_SETTINGS),
    )


def _section(setting: ServiceSetting) -> str:
    facts = f"Default: {_default(setting)}. Variable: {code(setting.variable)}. {_value(setting)}."
    live = "A change is taken up at once." if setting.is_live else "A change needs a restart."
    return f"## {setting.path}\n\n{paragraph(setting.meaning)}\n\n{paragraph(f'{facts} {live}')}"


def _default(setting: ServiceSetting) -> str:
    if setting.default is None:
        return "not set"
    shown = setting.kind.show(setting.default)
    return shown if shown == "none" else code(shown)


def _value(setting: ServiceSetting) -> str:
    if setting.is_secret:
        return f"From the environment only; shown as {MASK}"
    return setting.kind.said[0].upper() + setting.kind.said[1:]
