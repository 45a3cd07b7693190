"""Reads a job, imports its audience and checks all that can be checked without sending."""

from postroad.flows.local_runs.orders import SendOrder
from postroad.flows.local_runs.ports import Surroundings
from postroad.flows.local_runs.views import PreparedSend


def prepare_send(order: SendOrder, surroundings: Surroundings) -> PreparedSend:
    """Makes the folder with `job.json` and the snapshot.

    Raises ConfigInvalid, AudienceInvalid, SecretMissing, TemplateInvalid, ProviderUnknown, EgressDenied; the folder is
    removed again then, except for the file of row errors. Rejected rows raise unless the job says `skipInvalid`.
    """
    raise NotImplementedError


def discard(prepared: PreparedSend) -> None:
    """Removes the folder of a send that was not confirmed."""
    raise NotImplementedError
