"""The only SQL that writes the tables of people, one file per table."""
