"""The folder of a run that a host executes shard by shard.

A service keeps its runs in its database and gives each shard to a worker; what became of every recipient stands here,
in the same folder, journals and results that a local send has. Each step can be done again after a crash: a frozen
folder is taken as it is, results that are there are not made anew.
"""
