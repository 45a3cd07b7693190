"""What touches the machine for everybody: the real clock, the maker of ids, settings, telemetry."""
