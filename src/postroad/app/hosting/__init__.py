"""What the host of embedded workers stands on here: folders and worker processes of `flows.local_runs`."""
