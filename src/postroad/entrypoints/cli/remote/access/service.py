"""The service, as somebody speaks to it: JSON in, JSON out, refusals as errors.

A path with a slash before it lies below `/api/v1`, one without below the chosen workspace. Lists are read page by page
up to the number that was asked for. Every call blocks.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self
from urllib.parse import quote, urlencode

from postroad.egress import Egress, Fault, StreamFailed, TlsOptions, parse_url
from postroad.entrypoints.cli.remote.access.refusals import not_ours, refusal_of
from postroad.entrypoints.cli.remote.access.speaker import Speaker
from postroad.entrypoints.cli.texts import say
from postroad.vocabulary.errors import EgressFailed
from postroad.vocabulary.refusals import ValidationFailed

if TYPE_CHECKING:
    from postroad.egress.calls import Listening, Reply
    from postroad.egress.calls.calls import Progress

Wire = dict[str, Any]
"""A JSON object of the service."""
_PAGE = 100


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    value: Any
    """The JSON of the body; None where there is none."""
    cookies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    items: list[Wire]
    next_cursor: str | None
    """Where the list goes on; None at its end."""


def path_of(*parts: str) -> str:
    """Parts of a path below the workspace, made safe."""
    return "/".join(quote(part, safe="") for part in parts)


class Service:
    """Use it as a context, or `close` it."""

    def __init__(self, speaker: Speaker, egress: Egress) -> None:
        from postroad.egress.calls import Calls

        self.url = speaker.url
        self._speaker = speaker
        self._workspace_id = speaker.workspace_id
        tls = TlsOptions(ca_file=speaker.ca_file) if speaker.ca_file else None
        self._calls = Calls(egress, parse_url(speaker.url, field="--url"), tls=tls)

    @property
    def chosen(self) -> str:
        """The workspace that is meant; empty for none yet."""
        return self._workspace_id

    @property
    def workspace_id(self) -> str:
        """The chosen workspace, or the only one of the token. Raises ValidationFailed where there is none."""
        if not self._workspace_id and self._speaker.token is not None:
            roles = self.get("/me")["roles"]
            self._workspace_id = str(roles[0]["workspaceId"]) if len(roles) == 1 else ""
        if not self._workspace_id:
            said = say("no workspace is chosen; see `postroad workspaces list`, then: postroad workspaces use NAME")
            raise ValidationFailed(said, field="workspace")
        return self._workspace_id

    def get(self, path: str, query: Mapping[str, object] | None = None) -> Wire:
        value: Wire = self.ask("GET", path, query=query).value
        return value

    def post(self, path: str, body: object = None, *, version: int | None = None, key: str = "") -> Wire:
        """`version` goes as If-Match, `key` as Idempotency-Key."""
        value: Wire = self.ask("POST", path, body, version=version, key=key).value
        return value

    def change(self, method: str, path: str, version: int | None, body: object = None) -> Wire:
        """A change of what was read as `version`; empty where the service answers nothing."""
        return self.ask(method, path, body, version=version).value or {}

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, object] | None = None,
        version: int | None = None,
        key: str = "",
        also: int | None = None,
    ) -> Answer:
        """`also` is a status beside the successes whose JSON is an answer, no problem.

        Raises ServiceRefused, NotOurService, EgressFailed.
        """
        headers = {**self._speaker.headers, "accept": "application/json"}
        content = None
        if body is not None:
            headers["content-type"] = "application/json"
            content = json.dumps(body, ensure_ascii=False).encode()
        if version is not None:
            headers["if-match"] = f'"{version}"'
        if key:
            headers["idempotency-key"] = key
        target = self._target(path, query)
        with self._reachable():
            reply = self._calls.call(method, target, headers=headers, body=content)
        return self._answer(reply, also)

    def listed(self, path: str, query: Mapping[str, object], *, limit: int, cursor: str | None = None) -> Listed:
        """At most `limit` entries from `cursor` on."""
        items: list[Wire] = []
        while True:
            wanted = min(_PAGE, limit - len(items))
            page = self.get(path, {**query, "limit": wanted, "cursor": cursor})
            items += page["items"]
            cursor = page["page"]["nextCursor"]
            if cursor is None or len(items) >= limit:
                return Listed(items, cursor)

    def each(self, path: str, query: Mapping[str, object]) -> Iterator[Wire]:
        """All entries of a list, as they are asked for."""
        cursor: str | None = None
        while True:
            page = self.get(path, {**query, "limit": _PAGE, "cursor": cursor})
            yield from page["items"]
            cursor = page["page"]["nextCursor"]
            if cursor is None:
                return

    def upload(self, path: str, query: Mapping[str, object], file: BinaryIO, size: int, progressed: "Progress") -> Wire:
        """Sends a file as the raw body."""
        headers = {**self._speaker.headers, "content-type": "application/octet-stream"}
        target = self._target(path, query)
        with self._reachable():
            reply = self._calls.send_file("POST", target, file, headers=headers, size=size, progressed=progressed)
        value: Wire = self._answer(reply).value
        return value

    def download(
        self, path: str, into: BinaryIO, progressed: "Progress", query: Mapping[str, object] | None = None
    ) -> None:
        """Writes a file of the service into `into`."""
        target = self._target(path, query)
        with self._reachable():
            reply = self._calls.fetch(target, into, headers=self._speaker.headers, progressed=progressed)
        self._refuse(reply)

    def listen(self, path: str, last_event_id: str) -> "Listening":
        """Opens a live stream behind this event. Raises as `ask`."""
        headers = {**self._speaker.headers, "accept": "text/event-stream"}
        if last_event_id:
            headers["last-event-id"] = last_event_id
        target = self._target(path, None)
        with self._reachable():
            opened = self._calls.listen(target, headers=headers)
        if opened.is_over:
            opened.close()
            self._refuse(opened.reply)
        return opened

    def wait(self, seconds: float) -> None:
        self._calls.wait(seconds)

    def close(self) -> None:
        self._calls.close()

    def _target(self, path: str, query: Mapping[str, object] | None) -> str:
        whole = f"/api/v1{path}" if path.startswith("/") else f"/api/v1/workspaces/{self.workspace_id}/{path}"
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        return f"{whole}?{urlencode(given, doseq=True)}" if given else whole

    def _answer(self, reply: "Reply", also: int | None = None) -> Answer:
        if reply.status != also or reply.header("content-type") != "application/json":
            self._refuse(reply)
        value = None
        if reply.body:
            try:
                value = json.loads(reply.body)
            except ValueError:
                raise not_ours(self.url, reply.status) from None
        return Answer(reply.status, value, reply.all("set-cookie"))

    def _refuse(self, reply: "Reply") -> None:
        if not HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES:
            raise refusal_of(reply, self.url, by_token=self._speaker.token is not None)

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        try:
            yield
        except StreamFailed as failed:
            if failed.fault is Fault.TLS:
                raise EgressFailed(
                    say(
                        "the service at {url} is not trusted: {reason}; if its certificate is of your own authority,"
                        " sign in with --ca FILE",
                        url=self.url,
                        reason=failed.message,
                    )
                ) from failed
            raise EgressFailed(
                say(
                    "the service at {url} cannot be reached: {reason}; does it run there? `postroad serve` starts one",
                    url=self.url,
                    reason=failed.message,
                )
            ) from failed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _text(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_text(one) for one in value] if isinstance(value, list | tuple) else str(value)
