"""Setting a secret of the workspace, whether it is there already or not."""

from http import HTTPStatus

from postroad.entrypoints.cli.remote.access.refusals import ServiceRefused
from postroad.entrypoints.cli.remote.access.service import Service, Wire, path_of
from postroad.vocabulary.secret import Secret


def set_secret(service: Service, namespace: str, name: str, secret: Secret) -> Wire:
    """What is known of it afterwards. Raises ServiceRefused, also where somebody else sets it at the same time."""
    path = path_of("secrets", namespace, name)
    try:
        version = int(service.get(path)["version"])
    except ServiceRefused as refused:
        if refused.status != HTTPStatus.NOT_FOUND:
            raise
        version = None
    return service.change("PUT", path, version, {"operation": "REPLACE", "value": secret.reveal()})
