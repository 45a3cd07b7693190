"""People, what lets them in, and what is written down about them."""
