"""The ground of all areas: the database, people, readiness, counters."""

from postroad.app.areas.ground.area import Ground

__all__ = ["Ground"]
