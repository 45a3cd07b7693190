"""One folder per technology, chosen by the composition root alone."""
