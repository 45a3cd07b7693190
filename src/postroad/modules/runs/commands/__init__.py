"""What may be done to a run, one file per step of its life, from its creation to the cleaning of its events."""
