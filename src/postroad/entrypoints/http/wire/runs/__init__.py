"""Runs on the wire: as they stand, as they are started and steered, and what became of everybody."""
