"""How results look on a terminal: restrained, colour only for meaning, and as JSON where a program reads along."""
