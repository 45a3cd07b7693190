"""Hosting: shards of runs in worker processes of this machine.

The host stands behind the port that workers in other networks will use: it claims shards, acknowledges and renews
leases, reports, and says how each shard ended. A worker is a child process that lives as long as its pipe; the journal
in the run's folder, not the worker's memory, knows who was sent to.

    a worker dies          its shard is given back and goes on as the next epoch
    the service is killed  its workers stop within two seconds; the next start takes their leases back and goes on
    a lease is lost        the worker is stopped hard; whoever has the shard now reads the journal first
    all shards have ended  results, summary and receipt are made from the folder, kept as artifacts, then the run ends

Everything between two lines can be done again: folders are frozen once, results made once, ends said once.
"""

from postroad.flows.hosting.clearing import Clearing, RunFolderStore
from postroad.flows.hosting.host import Host, HostLimits, HostNeeds
from postroad.flows.hosting.ports import (
    Beginning,
    FolderEnd,
    Heard,
    ResultKeeper,
    SecretTexts,
    ShardEar,
    ShardOutcome,
    Worker,
    WorkPlace,
)

__all__ = [
    "Beginning",
    "Clearing",
    "FolderEnd",
    "Heard",
    "Host",
    "HostLimits",
    "HostNeeds",
    "ResultKeeper",
    "RunFolderStore",
    "SecretTexts",
    "ShardEar",
    "ShardOutcome",
    "WorkPlace",
    "Worker",
]
