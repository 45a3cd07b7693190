"""What the journals say of each item, joined with the snapshot: files to keep, pages to look at."""
