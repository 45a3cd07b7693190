"""The page of everything the environment can say."""

from postroad.app.reference.markdown import code, page, paragraph
from postroad.foundation.settings import SETTINGS

_INTRODUCTION = """
Sending from the command line has no configuration file. What is sent stands in the [job file](job-file.md), what
differs once is an [option](cli.md), and the environment says the rest. `postroad serve` has
[settings of its own](service-settings.md).
"""


def settings_page() -> str:
    sections = [
        f"## {setting.name}\n\n{paragraph(setting.meaning)}\n\nDefault: {setting.default}. Example: "
        f"{code(setting.example)}."
        for setting in SETTINGS
    ]
    return page("Settings", paragraph(_INTRODUCTION), *sections)
