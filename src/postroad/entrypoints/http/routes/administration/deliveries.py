"""Which events reached which consumers, and what to do about those that did not: of a workspace, and of everything."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query

from postroad.entrypoints.http.composition import HttpComposition
from postroad.entrypoints.http.conventions import (
    Caller,
    GivenInstant,
    PageAsked,
    Router,
    WorkspaceId,
    paged,
    path_part,
    problems,
)
from postroad.entrypoints.http.wire.administration.deliveries import (
    ConsumerList,
    ConsumerShown,
    DeliveryDetailShown,
    DeliveryPage,
    SteeredShown,
    SteeringAsked,
    SwitchAsked,
)
from postroad.kernel.deliveries import inspecting, steering
from postroad.kernel.deliveries.inspecting import DeliveryFilter
from postroad.vocabulary.events import EventName
from postroad.vocabulary.transitions import DeliveryState

_IN_WORKSPACE = "/workspaces/{workspaceId}/deliveries"
_EVERYWHERE = "/deliveries"
_CONSUMERS = "/event-consumers"
DeliveryId = Annotated[str, path_part("deliveryId")]
ConsumerName = Annotated[str, path_part("consumerName")]


@dataclass(frozen=True, slots=True)
class DeliveryFilters:
    consumer: Annotated[str | None, Query(max_length=100, description="Only to this consumer.")] = None
    state: DeliveryState | None = None
    event: EventName | None = None
    after: Annotated[
        GivenInstant | None, Query(alias="occurredAfter", description="Only what happened at or after this time.")
    ] = None
    before: Annotated[
        GivenInstant | None, Query(alias="occurredBefore", description="Only what happened before this time.")
    ] = None

    @property
    def wanted(self) -> DeliveryFilter:
        return DeliveryFilter(self.consumer, self.state, self.event, self.after, self.before)


FiltersAsked = Annotated[DeliveryFilters, Depends()]


def add_routes(router: Router, composition: HttpComposition) -> None:
    """Below /deliveries, /event-consumers and /workspaces/{workspaceId}/deliveries."""
    del composition
    _add_of_workspace(router)
    _add_of_everything(router)
    _add_consumers(router)


def _add_of_workspace(router: Router) -> None:
    @router.get(_IN_WORKSPACE, responses=problems(403, 404))
    async def list_deliveries(
        caller: Caller, workspace_id: WorkspaceId, page: PageAsked, filters: FiltersAsked
    ) -> DeliveryPage:
        """Deliveries of the workspace's events, newest events first. Replaced generations are not listed."""
        wanted = filters.wanted
        found = await caller.read(lambda reading: inspecting.list_deliveries(reading, workspace_id, page, wanted))
        return DeliveryPage.of(paged(found))

    @router.get(f"{_IN_WORKSPACE}/{{deliveryId}}", responses=problems(403, 404))
    async def get_delivery(caller: Caller, workspace_id: WorkspaceId, delivery_id: DeliveryId) -> DeliveryDetailShown:
        """A delivery with its event and all its generations."""
        found = await caller.read(lambda reading: inspecting.get_delivery(reading, workspace_id, delivery_id))
        return DeliveryDetailShown.shown(found)

    @router.post(f"{_IN_WORKSPACE}/replay", responses=problems(403, 404, 409))
    async def replay_deliveries(caller: Caller, workspace_id: WorkspaceId, body: SteeringAsked) -> SteeredShown:
        """Delivers again what failed, or counts it: without `expected` nothing is done."""
        order = body.order()
        return SteeredShown.of(await caller.write(lambda uow: steering.replay(uow, workspace_id, order)))

    @router.post(f"{_IN_WORKSPACE}/discard", responses=problems(403, 404, 409))
    async def discard_deliveries(caller: Caller, workspace_id: WorkspaceId, body: SteeringAsked) -> SteeredShown:
        """Gives up what failed, or counts it: without `expected` nothing is done."""
        order = body.order()
        return SteeredShown.of(await caller.write(lambda uow: steering.discard(uow, workspace_id, order)))


def _add_of_everything(router: Router) -> None:
    @router.get(_EVERYWHERE, responses=problems(403))
    async def list_all_deliveries(caller: Caller, page: PageAsked, filters: FiltersAsked) -> DeliveryPage:
        """Deliveries of all events, newest events first. Only for a system administrator."""
        wanted = filters.wanted
        found = await caller.read(lambda reading: inspecting.list_deliveries(reading, None, page, wanted))
        return DeliveryPage.of(paged(found))

    @router.get(f"{_EVERYWHERE}/{{deliveryId}}", responses=problems(403, 404))
    async def get_any_delivery(caller: Caller, delivery_id: DeliveryId) -> DeliveryDetailShown:
        """A delivery with its event and all its generations. Only for a system administrator."""
        found = await caller.read(lambda reading: inspecting.get_delivery(reading, None, delivery_id))
        return DeliveryDetailShown.shown(found)

    @router.post(f"{_EVERYWHERE}/replay", responses=problems(403, 409))
    async def replay_all_deliveries(caller: Caller, body: SteeringAsked) -> SteeredShown:
        """Delivers again what failed in any workspace, or counts it. Only for a system administrator."""
        order = body.order()
        return SteeredShown.of(await caller.write(lambda uow: steering.replay(uow, None, order)))

    @router.post(f"{_EVERYWHERE}/discard", responses=problems(403, 409))
    async def discard_all_deliveries(caller: Caller, body: SteeringAsked) -> SteeredShown:
        """Gives up what failed in any workspace, or counts it. Only for a system administrator."""
        order = body.order()
        return SteeredShown.of(await caller.write(lambda uow: steering.discard(uow, None, order)))


def _add_consumers(router: Router) -> None:
    @router.get(_CONSUMERS, responses=problems(403))
    async def list_event_consumers(caller: Caller) -> ConsumerList:
        """The consumers of events, and what waits for each. Only for a system administrator."""
        found = await caller.read(steering.list_consumers)
        return ConsumerList(items=[ConsumerShown.shown(view) for view in found])

    @router.post(f"{_CONSUMERS}/{{consumerName}}/hold", responses=problems(403, 404))
    async def hold_event_consumer(caller: Caller, consumer_name: ConsumerName, body: SwitchAsked) -> ConsumerShown:
        """Switches a consumer off; its deliveries are held, none is lost. Only for a system administrator."""
        return ConsumerShown.shown(
            await caller.write(lambda uow: steering.switch_consumer(uow, consumer_name, held=True, reason=body.reason))
        )

    @router.post(f"{_CONSUMERS}/{{consumerName}}/release", responses=problems(403, 404))
    async def release_event_consumer(caller: Caller, consumer_name: ConsumerName, body: SwitchAsked) -> ConsumerShown:
        """Switches a consumer on again. Only for a system administrator."""
        return ConsumerShown.shown(
            await caller.write(lambda uow: steering.switch_consumer(uow, consumer_name, held=False, reason=body.reason))
        )
