"""Who speaks to which service: a person who signed in, or a program with a token in its environment."""

from collections.abc import Mapping
from dataclasses import dataclass

from postroad.entrypoints.cli.remote.access.addresses import DEFAULT_URL
from postroad.entrypoints.cli.remote.access.kept_session import KeptSession, find_session
from postroad.entrypoints.cli.texts import say
from postroad.foundation.home import Home
from postroad.vocabulary.refusals import AuthenticationRequired
from postroad.vocabulary.secret import Secret

URL_VARIABLE, TOKEN_VARIABLE = "POSTROAD_URL", "POSTROAD_TOKEN"


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
    """A token in the environment wins over a session. None where there is neither. Raises ConfigInvalid."""
    token = environment.get(TOKEN_VARIABLE, "").strip()
    if token:
        return Speaker(environment.get(URL_VARIABLE, "").strip().rstrip("/") or DEFAULT_URL, token=Secret(token))
    session = find_session(home)
    return Speaker.of(session) if session is not None and session.is_signed_in else None


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
