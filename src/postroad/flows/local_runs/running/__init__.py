"""Executing a frozen send: one shard in this process, or several in worker processes under one shared rate.

shard.py   one shard through the engine: source, journal, pacer; the same code in every process
solo.py    the only shard of a send, in the caller's process
crew.py    several shards: a parent that starts workers, lends them tokens and starts again what died
worker.py  the worker's side of that: its lease is the parent's pipe
wire.py    what the two say to each other, a JSON object a line
board.py   commands from other threads and signal handlers on their way to the engine
display.py the engine's events as an observer sees them
"""
