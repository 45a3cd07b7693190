"""Who speaks to which service: a person who signed in, or a program with a token in its environment."""

from collections.abc import Mapping
from dataclasses import dataclass

from postroad.entrypoints.cli.remote.access.addresses import DEFAULT_URL, service_url
from postroad.entrypoints.cli.remote.access.kept_session import KeptSession, find_session
from postroad.entrypoints.cli.texts import say
from postroad.foundation.home import Home
from postroad.vocabulary.refusals import AuthenticationRequired
from postroad.vocabulary.secret import Secret

URL_VARIABLE, TOKEN_VARIABLE, INSECURE_VARIABLE = "POSTROAD_URL", "POSTROAD_TOKEN", "POSTROAD_INSECURE_HTTP"


@dataclass(frozen=True, slots=True)
class Speaker:
    url: str
    cookie: Secret | None = None
    token: Secret | None = None
    workspace_id: str = ""
    """Empty: that of the token, or none is chosen."""
    ca_file: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """What shows the service who speaks. Hand it to the client, show it to nobody."""
        if self.token is not None:
            return {"authorization": f"Bearer {self.token.reveal()}"}
        if self.cookie is not None:
            return {"cookie": self.cookie.reveal(), "x-postroad-csrf": "1"}
        return {}

    @staticmethod
    def of(session: KeptSession) -> "Speaker":
        cookie = session.cookie if session.is_signed_in else None
        return Speaker(session.url, cookie, None, session.workspace_id, session.ca_file)


def find_speaker(home: Home, environment: Mapping[str, str]) -> Speaker | None:
    """A token in the environment wins over a session. None where there is neither. Raises ConfigInvalid, InvalidInput
    for an address that cannot be used."""
    token = environment.get(TOKEN_VARIABLE, "").strip()
    if token:
        url = service_url(
            environment.get(URL_VARIABLE, "").strip() or DEFAULT_URL,
            insecure_http=is_insecure_accepted(environment),
            field=URL_VARIABLE,
            accept=f"{INSECURE_VARIABLE}=1",
        )
        return Speaker(url, token=Secret(token))
    session = find_session(home)
    return Speaker.of(session) if session is not None and session.is_signed_in else None


def is_insecure_accepted(environment: Mapping[str, str]) -> bool:
    """Whether the environment takes it that what signs in crosses the network readably."""
    return environment.get(INSECURE_VARIABLE, "").strip().lower() in ("1", "true", "yes")


def get_speaker(home: Home, environment: Mapping[str, str]) -> Speaker:
    """Raises AuthenticationRequired, which names the way in, and ConfigInvalid."""
    speaker = find_speaker(home, environment)
    if speaker is None:
        raise AuthenticationRequired(
            say(
                "nobody is signed in here; sign in with: postroad login --url URL, or set {variable}",
                variable=TOKEN_VARIABLE,
            )
        )
    return speaker
