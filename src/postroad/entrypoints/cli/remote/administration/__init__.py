"""People and what lets them in."""
