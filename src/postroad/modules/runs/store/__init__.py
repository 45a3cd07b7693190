"""The only SQL that writes the tables of runs: one file for runs and shards, one for leases, one for records.

Row locks are taken in the order lane, run, shard, lease. On SQLite the single writer stands for all of them.
"""
