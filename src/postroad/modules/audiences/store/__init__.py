"""The statements of the tables of audiences, one file per table."""
