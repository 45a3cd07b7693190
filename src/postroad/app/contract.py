"""Writes contracts/openapi.yaml from the routes of the service: `python -m postroad.app.contract FILE`.

The file is what others build against. A test holds the served document against it, so a change of a route shows as a
change of the contract; another test refuses changes that would break a client of the last release.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from postroad.foundation.whole_files import write_whole

_WIDTH = 120


def contract() -> dict[str, Any]:
    """The OpenAPI document, as the service answers it."""
    from postroad.app.service_composition import ServiceComposition
    from postroad.entrypoints.http.app import contract_of
    from postroad.entrypoints.http.composition import HttpSettings
    from postroad.foundation.keyring import KeyRing
    from postroad.foundation.service_settings import load_settings

    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(flags={"dataDir": folder})
        keys = KeyRing.load_or_make(settings.keys.file, may_make=True)
        composition = ServiceComposition(settings, keys, HttpSettings())
        try:
            return contract_of(composition)
        finally:
            composition.close()


def written(document: dict[str, Any]) -> str:
    """The document as YAML, the same text for the same document."""
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=_WIDTH)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        sys.stderr.write("name the file: python -m postroad.app.contract contracts/openapi.yaml\n")
        return 2
    write_whole(Path(arguments[0]), written(contract()).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
