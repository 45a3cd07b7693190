"""The inner works of audiences: receiving, reading, keeping, forgetting."""
