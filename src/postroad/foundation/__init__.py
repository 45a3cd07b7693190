"""What the platform asks of the machine it runs on: the clock, ids, its home folder, secrets, keys, durable files."""
