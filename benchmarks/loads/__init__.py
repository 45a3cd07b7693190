"""What sends: ours and the peers, each run by `processes.ask` in a process of its own."""
