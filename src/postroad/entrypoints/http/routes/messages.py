"""Messages: templates and their revisions, and how they look."""

from typing import Annotated

from fastapi import Path, Query, Response

from postroad.entrypoints.http.configuration import ConfigurationComposition
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
from postroad.entrypoints.http.wire.messages import (
    MOST_REVISIONS,
    DifferenceShown,
    MessageChanged,
    MessageCopied,
    MessageHead,
    MessageKept,
    MessageMade,
    MessagePage,
    MessageShown,
    RevisionPage,
    RevisionShown,
    shown_difference,
    shown_message,
    shown_page,
    shown_result,
    shown_revisions,
)
from postroad.entrypoints.http.wire.previews import DraftPreviewAsked, PreviewAsked, PreviewShown, shown_preview
from postroad.flows import message_preview
from postroad.modules import messages
from postroad.modules.messages import CopyAsked, MessageChange, MessageFilter, MessageResult, NewMessage

_ALL = "/workspaces/{workspaceId}/messages"
_ONE = _ALL + "/{messageId}"
MessageId = Annotated[str, path_part("messageId")]
RevisionNumber = Annotated[int, Path(alias="revision", ge=1, le=MOST_REVISIONS)]
ProviderFilter = Annotated[str | None, Query(alias="providerId", max_length=40, description="Only of this provider.")]
FromRevision = Annotated[int, Query(alias="from", ge=1, le=MOST_REVISIONS, description="The revision it was.")]
ToRevision = Annotated[int, Query(alias="to", ge=1, le=MOST_REVISIONS, description="The revision it became.")]


def add_routes(router: Router, composition: ConfigurationComposition) -> None:
    """Below /workspaces/{workspaceId}/messages."""
    _add_reading(router)
    _add_revisions(router)
    _add_changing(router, composition)
    _add_previews(router, composition)


def _add_reading(router: Router) -> None:
    @router.get(_ALL, responses=problems(404))
    async def list_messages(
        caller: Caller,
        workspace_id: WorkspaceId,
        page: PageAsked,
        filters: FiltersAsked,
        provider_id: ProviderFilter = None,
    ) -> MessagePage:
        """Messages without their contents, newest first, with how many there are of each status."""
        wanted = MessageFilter(filters.name, provider_id, filters.status, filters.created_after, filters.created_before)
        return shown_page(
            await caller.read(lambda reading: messages.list_messages(reading, workspace_id, page, wanted))
        )

    @router.get(_ONE, responses=problems(404))
    async def get_message(
        caller: Caller, workspace_id: WorkspaceId, message_id: MessageId, response: Response
    ) -> MessageShown:
        """One message with the content of its current revision."""
        found = await caller.read(lambda reading: messages.get_message(reading, workspace_id, message_id))
        show_version(response, found.message.version)
        return shown_message(found)


def _add_revisions(router: Router) -> None:
    @router.get(_ONE + "/revisions", responses=problems(404))
    async def list_message_revisions(
        caller: Caller, workspace_id: WorkspaceId, message_id: MessageId, page: PageAsked
    ) -> RevisionPage:
        """The revisions of a message, latest first, without their contents."""
        return shown_revisions(
            await caller.read(lambda reading: messages.list_revisions(reading, workspace_id, message_id, page))
        )

    @router.get(_ONE + "/revisions/{revision}", responses=problems(404))
    async def get_message_revision(
        caller: Caller, workspace_id: WorkspaceId, message_id: MessageId, revision: RevisionNumber
    ) -> RevisionShown:
        """One revision with its content. It never changes."""
        return RevisionShown.of(
            await caller.read(lambda reading: messages.get_revision(reading, workspace_id, message_id, revision))
        )

    @router.get(_ONE + "/diff", responses=problems(404))
    async def compare_message_revisions(
        caller: Caller, workspace_id: WorkspaceId, message_id: MessageId, before: FromRevision, after: ToRevision
    ) -> DifferenceShown:
        """Every place that differs between two revisions, with what stood there and what stands there."""
        return shown_difference(
            await caller.read(lambda reading: messages.difference(reading, workspace_id, message_id, before, after))
        )


def _add_changing(router: Router, composition: ConfigurationComposition) -> None:
    @router.post(_ALL, status_code=201, responses=problems(403, 404, 409, 422))
    async def create_message(
        caller: Caller, workspace_id: WorkspaceId, body: MessageMade, response: Response
    ) -> MessageKept:
        """Makes a message. Its provider checks content and templates."""
        ask = NewMessage(workspace_id, body.provider_id, body.name, body.content, body.account_id)
        return _made(
            response,
            await caller.write(lambda uow: messages.create_message(uow, ask, composition.configuration.messages)),
        )

    @router.patch(_ONE, responses=problems(403, 404, 409, 412, 422, 428))
    async def change_message(
        caller: Caller,
        workspace_id: WorkspaceId,
        message_id: MessageId,
        if_match: IfMatch,
        body: MessageChanged,
        *,
        response: Response,
    ) -> MessageKept:
        """Changes name or content. Another content is a new revision; the same content makes none and says so."""
        ask = MessageChange(workspace_id, message_id, if_match, body.name, body.content, body.account_id)
        kept = await caller.write(lambda uow: messages.change_message(uow, ask, composition.configuration.messages))
        show_version(response, kept.message.version)
        return shown_result(kept)

    @router.post(_ONE + "/copy", status_code=201, responses=problems(403, 404))
    async def copy_message(
        caller: Caller, workspace_id: WorkspaceId, message_id: MessageId, body: MessageCopied, response: Response
    ) -> MessageKept:
        """Makes a message of its own that says the same; also of an archived one."""
        ask = CopyAsked(workspace_id, message_id, body.name, body.revision)
        return _made(response, await caller.write(lambda uow: messages.copy_message(uow, ask)))

    @router.delete(_ONE, responses=problems(403, 404, 409, 412, 428))
    async def archive_message(
        caller: Caller, workspace_id: WorkspaceId, message_id: MessageId, if_match: IfMatch, response: Response
    ) -> MessageHead:
        """Archives a message: its revisions stay, its name is free. Refused while a job or a run needs it."""
        needs = composition.configuration.messages
        kept = await caller.write(lambda uow: messages.archive_message(uow, workspace_id, message_id, if_match, needs))
        show_version(response, kept.version)
        return MessageHead.of(kept)


def _add_previews(router: Router, composition: ConfigurationComposition) -> None:
    @router.post(_ALL + "/preview", responses=problems(403, 404, 422))
    async def preview_draft(caller: Caller, workspace_id: WorkspaceId, body: DraftPreviewAsked) -> PreviewShown:
        """How a content would look that is not kept."""
        ask = body.ask(workspace_id)
        return shown_preview(
            await caller.run(
                lambda: message_preview.preview_message(caller.principal, ask, composition.configuration.previews)
            )
        )

    @router.post(_ONE + "/preview", responses=problems(403, 404, 422))
    async def preview_message(
        caller: Caller, workspace_id: WorkspaceId, message_id: MessageId, body: PreviewAsked
    ) -> PreviewShown:
        """How a message looks for made-up people or for rows of an audience. Nothing is sent."""
        ask = body.ask(workspace_id, message_id)
        return shown_preview(
            await caller.run(
                lambda: message_preview.preview_message(caller.principal, ask, composition.configuration.previews)
            )
        )


def _made(response: Response, result: MessageResult) -> MessageKept:
    message = result.message
    created(response, f"/api/v1/workspaces/{message.workspace_id}/messages/{message.id}", message.version)
    return shown_result(result)
