"""Signing in: the first administrator, a chosen password, a session; and which workspace is meant from now on."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus

from postroad.egress import Egress
from postroad.entrypoints.cli.remote.access.addresses import DEFAULT_URL, OneTimeLink, service_url
from postroad.entrypoints.cli.remote.access.kept_session import KeptSession, find_session, keep_session
from postroad.entrypoints.cli.remote.access.refusals import NotOurService, ServiceRefused, not_ours
from postroad.entrypoints.cli.remote.access.service import Answer, Service, Wire
from postroad.entrypoints.cli.remote.access.speaker import URL_VARIABLE, Speaker, is_insecure_accepted
from postroad.entrypoints.cli.remote.administration import typing_in
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say
from postroad.foundation.home import Home
from postroad.vocabulary.errors import EgressDenied, EgressFailed
from postroad.vocabulary.refusals import AuthenticationRequired
from postroad.vocabulary.secret import Secret

_COOKIES = ("postroad_session=", "__Host-postroad_session=")
_NOBODY = Secret("")


@dataclass(frozen=True, slots=True)
class Ask:
    url: str | None
    link: OneTimeLink | None
    username: str | None
    password_from_input: bool
    ca_file: str
    insecure_http: bool


def sign_in(ask: Ask, home: Home, egress: Egress, environment: Mapping[str, str]) -> None:
    """Raises InvalidInput, AuthenticationRequired for a wrong name or password, and what the service refuses."""
    home.make()
    before = find_session(home)
    address = ask.link.url if ask.link else ask.url or environment.get(URL_VARIABLE) or (before.url if before else "")
    accepted = ask.insecure_http or is_insecure_accepted(environment)
    url = service_url(address or DEFAULT_URL, insecure_http=accepted)
    known = before if before is not None and before.url == url else None
    speaker = Speaker(url, ca_file=ask.ca_file or (known.ca_file if known else ""))
    with Service(speaker, egress) as service:
        name, password = _name_and_password(service, ask)
        cookie = _begin_session(service, name, password)
    session = KeptSession(url, cookie, name, ca_file=speaker.ca_file)
    with Service(Speaker.of(session), egress) as service:
        session = _with_workspace(session, list(service.each("/workspaces", {})), known)
    keep_session(home, session)
    console.tell(say("Signed in at {url} as {name}.", url=url, name=name), "green")
    _tell_workspace(session)


def sign_out(home: Home, egress: Egress) -> None:
    """Ends the session where the service can be reached; here it is forgotten in any case, but for the address."""
    session = find_session(home)
    if session is None or not session.is_signed_in:
        console.tell(say("Nobody is signed in here."))
        return
    try:
        with Service(Speaker.of(session), egress) as service:
            service.ask("DELETE", "/sessions/current")
    except ServiceRefused as refused:
        if refused.status != HTTPStatus.UNAUTHORIZED:
            raise
    except (EgressFailed, EgressDenied, NotOurService) as error:
        console.tell(say("The service was not told, there the session goes on until its time is over:"), "yellow")
        console.tell(error.message)
    keep_session(home, replace(session, cookie=_NOBODY))
    console.tell(say("Signed out at {url}.", url=session.url))


def _name_and_password(service: Service, ask: Ask) -> tuple[str, Secret]:
    """The name and the password that hold now, after a link did what it is for."""
    if ask.link is None:
        return typing_in.username(ask.username), typing_in.password(from_input=ask.password_from_input)
    if ask.link.page == "setup":
        console.tell(say("You make the first administrator of {url}.", url=service.url))
    name = typing_in.username(ask.username)
    password = typing_in.new_password(from_input=ask.password_from_input)
    body = {"code": ask.link.code.reveal(), "password": password.reveal()}
    if ask.link.page == "setup":
        service.ask("POST", "/setup", {**body, "username": name})
    else:
        service.ask("POST", "/passwords", body)
    return name, password


def _begin_session(service: Service, name: str, password: Secret) -> Secret:
    """What the service wants to see from now on."""
    try:
        answer = service.ask("POST", "/sessions", {"username": name, "password": password.reveal()})
    except ServiceRefused as refused:
        if refused.status == HTTPStatus.UNAUTHORIZED:
            raise AuthenticationRequired(say("the name or the password is wrong, or the user is disabled")) from None
        raise
    cookie = _session_cookie(answer)
    if not cookie:
        raise not_ours(service.url, answer.status)
    return Secret(cookie)


def _session_cookie(answer: Answer) -> str:
    pairs = (cookie.partition(";")[0].strip() for cookie in answer.cookies)
    return next((pair for pair in pairs if pair.startswith(_COOKIES)), "")


def _with_workspace(session: KeptSession, found: list[Wire], before: KeptSession | None) -> KeptSession:
    """The one that was chosen before, or the only one there is."""
    kept = [one for one in found if before is not None and one["id"] == before.workspace_id]
    chosen = kept or (found if len(found) == 1 else [])
    if not chosen:
        return session
    return replace(session, workspace_id=str(chosen[0]["id"]), workspace_name=str(chosen[0]["name"]))


def _tell_workspace(session: KeptSession) -> None:
    if session.workspace_id:
        console.tell(say("Workspace: {name}", name=session.workspace_name))
    else:
        console.tell(
            say("Choose a workspace: `postroad workspaces list`, then: postroad workspaces use NAME"), "yellow"
        )
