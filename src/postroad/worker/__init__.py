"""The worker program: a lease, an engine, a journal, a report. It carries no server code.

For a local send the lease is the parent's pipe: `python -m postroad.worker` reads its order and its secrets from
standard input, runs one shard and ends when the pipe closes. Nothing is in its arguments, environment or on disk.
"""
