"""The commands that run and tend the service."""

from postroad.entrypoints.cli.service.serve import add_commands

__all__ = ["add_commands"]
