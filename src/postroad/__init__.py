"""Postroad: a self-hosted delivery platform. For every recipient it can say what happened."""

__version__ = "0.1.0"
