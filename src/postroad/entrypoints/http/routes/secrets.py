"""Secrets of a workspace: set, looked at from outside, deleted. Their texts come in and never go out."""

from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Path, Query, Response

from postroad.entrypoints.http.composition import HttpComposition
from postroad.entrypoints.http.conventions import (
    Caller,
    FiltersAsked,
    IfMatch,
    PageAsked,
    Router,
    WorkspaceId,
    created,
    path_part,
    problems,
    show_version,
)
from postroad.entrypoints.http.wire.secrets import SecretPage, SecretPut, SecretShown, SecretVersionShown
from postroad.foundation.keyring import KeyRing
from postroad.modules import secrets
from postroad.modules.secrets import SecretFilter, SecretUses

_ALL = "/workspaces/{workspaceId}/secrets"
_ONE = _ALL + "/{namespace}/{name}"
Namespace = Annotated[str, path_part("namespace")]
Name = Annotated[str, path_part("name")]
Version = Annotated[int, Path(ge=1, le=2**31 - 1)]
NamespaceFilter = Annotated[str | None, Query(max_length=63, description="Only of this namespace.")]


@dataclass(frozen=True, slots=True)
class SecretParts:
    ring: KeyRing
    uses: SecretUses


class SecretComposition(HttpComposition, Protocol):
    @property
    def secrets(self) -> SecretParts: ...


def add_routes(router: Router, composition: SecretComposition) -> None:
    """…/secrets below the workspace."""
    _add_reading(router)
    _add_changing(router, composition)


def _add_reading(router: Router) -> None:
    @router.get(_ALL, responses=problems(404))
    async def list_secrets(
        caller: Caller,
        workspace_id: WorkspaceId,
        page: PageAsked,
        filters: FiltersAsked,
        namespace: NamespaceFilter = None,
    ) -> SecretPage:
        """Secrets of the workspace, newest first. Those of accounts are shown with their accounts."""
        wanted = SecretFilter(namespace, filters.name, filters.created_after, filters.created_before)
        found = await caller.read(lambda reading: secrets.list_secrets(reading, workspace_id, page, wanted))
        return SecretPage.of({"items": found.items, "page": found})

    @router.get(_ONE, responses=problems(404))
    async def get_secret(
        caller: Caller, workspace_id: WorkspaceId, namespace: Namespace, name: Name, response: Response
    ) -> SecretShown:
        """Whether a secret is set, and since when."""
        view = await caller.read(lambda reading: secrets.get_secret(reading, (workspace_id, namespace, name)))
        show_version(response, view.version)
        return SecretShown.of(view)

    @router.get(_ONE + "/versions/{version}", responses=problems(404))
    async def get_secret_version(
        caller: Caller, workspace_id: WorkspaceId, namespace: Namespace, name: Name, version: Version
    ) -> SecretVersionShown:
        """When and by whom a version was set. Only the current version has a text."""
        at = (workspace_id, namespace, name)
        return SecretVersionShown.of(await caller.read(lambda reading: secrets.get_version(reading, at, version)))


def _add_changing(router: Router, composition: SecretComposition) -> None:
    @router.put(_ONE, responses=problems(403, 404, 409, 412, 428))
    async def put_secret(
        caller: Caller,
        workspace_id: WorkspaceId,
        namespace: Namespace,
        name: Name,
        if_match: IfMatch,
        *,
        body: SecretPut,
        response: Response,
    ) -> SecretShown:
        """Sets a secret. A new one (201) needs no If-Match; one that is there does."""
        at = (workspace_id, namespace, name)
        view = await caller.write(
            lambda uow: secrets.put_secret(uow, composition.secrets.ring, at, body.secret(), if_match)
        )
        if view.version == 1:
            created(response, f"/api/v1/workspaces/{workspace_id}/secrets/{namespace}/{name}", view.version)
        show_version(response, view.version)
        return SecretShown.of(view)

    @router.delete(_ONE, status_code=204, responses=problems(403, 404, 409, 412, 428))
    async def delete_secret(
        caller: Caller, workspace_id: WorkspaceId, namespace: Namespace, name: Name, if_match: IfMatch
    ) -> None:
        """Forgets a secret for good. Refused while an account, an audience or a run names it."""
        at = (workspace_id, namespace, name)
        await caller.write(lambda uow: secrets.delete_secret(uow, composition.secrets.uses, at, if_match))
