"""Records into a snapshot: find the header, trim, check, write one canonical table, leave out duplicates."""
