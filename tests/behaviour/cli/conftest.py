from tests.behaviour.cli.office import office

__all__ = ["office"]
