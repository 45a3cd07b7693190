"""Inside of the room."""
