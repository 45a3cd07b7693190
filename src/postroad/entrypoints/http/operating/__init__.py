"""What operators and machines ask of a running service: alive, ready, measured, and the pages for a browser."""
