from tests.behaviour.cli.office import office
from tests.behaviour.remote.desk import desk, service, silence

__all__ = ["desk", "office", "service", "silence"]
