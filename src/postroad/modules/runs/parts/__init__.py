"""Pure pieces of a run: the frozen plan, leases and their fences, what passes between service and worker."""
