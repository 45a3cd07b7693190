"""How a content is checked, how it is shown, and finding a message."""
