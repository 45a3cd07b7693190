"""Everything the routes of all owners ask of the composition root, as one Protocol.

An owner whose routes extend `HttpComposition` adds its Protocol to the bases here.
"""

from typing import Protocol

from postroad.entrypoints.http.composition import HttpComposition


class Surface(HttpComposition, Protocol): ...
