"""The only shard of a send, in the caller's process."""

from collections.abc import AsyncIterator

from postroad.engine import EngineEvent
from postroad.flows.local_runs.ending.account import ShardAccount
from postroad.flows.local_runs.running.board import Board, BoardCommand
from postroad.flows.local_runs.running.display import Display
from postroad.flows.local_runs.running.shard import ShardParts, run_shard
from postroad.flows.local_runs.running.shard_order import ShardOrder
from postroad.flows.local_runs.views import Notice, NoticeKind


class DirectLink:
    """Engine and observer share a thread."""

    def __init__(self, shard: int, board: Board, display: Display) -> None:
        self._shard = shard
        self._board = board
        self._display = display

    async def publish(self, event: EngineEvent) -> None:
        self._display.show(self._shard, event)

    async def aclose(self) -> None:
        return None

    def commands(self) -> AsyncIterator[BoardCommand]:
        return self._board.commands()

    def answered(self, _command_id: str, applied: bool, text: str) -> None:
        if text or not applied:
            self._display.note(Notice(NoticeKind.COMMAND, text or "refused"))


async def run_alone(order: ShardOrder, parts: ShardParts, board: Board, display: Display) -> ShardAccount:
    return await run_shard(order, parts, DirectLink(order.shard, board, display))
