"""Jobs, when they start by themselves, and their runs."""
