"""The paths of every owner."""

from types import ModuleType

OWNERS: tuple[ModuleType, ...] = ()
"""Each has `add_routes(router, composition)`. Keep the order of the alphabet."""
