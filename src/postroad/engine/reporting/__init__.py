"""What a run tells the outside: results of items, progress, events."""
