"""The mail itself: addresses, MIME, attachments, and letters made from a configuration and a row."""
