"""Everything the HTTP door asks of the composition root, as one Protocol.

An owner whose routes extend `HttpComposition` adds its Protocol to the bases here.
"""

from typing import TYPE_CHECKING, Protocol

from postroad.entrypoints.http.audiences import AudienceComposition, ScheduleComposition
from postroad.entrypoints.http.configuration import ConfigurationComposition
from postroad.entrypoints.http.open_calls import OpenComposition
from postroad.entrypoints.http.operating.measures import MeasuredComposition
from postroad.entrypoints.http.routes.administration import IdentityComposition
from postroad.entrypoints.http.routes.artifacts import ArtifactComposition
from postroad.entrypoints.http.routes.secrets import SecretComposition
from postroad.entrypoints.http.routes.system import SystemComposition

if TYPE_CHECKING:
    from postroad.entrypoints.http.operating.health import Readiness


class Surface(
    ArtifactComposition,
    AudienceComposition,
    ConfigurationComposition,
    IdentityComposition,
    MeasuredComposition,
    OpenComposition,
    ScheduleComposition,
    SecretComposition,
    SystemComposition,
    Protocol,
):
    @property
    def readiness(self) -> "Readiness": ...
