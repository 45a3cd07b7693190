"""The composition root: here, and nowhere else, the parts of the house are chosen and put together."""
