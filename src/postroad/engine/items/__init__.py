"""What becomes of one recipient: on its way, parked, written down, decided, settled."""
