"""Logging in: which mechanism, and its few lines.

No reply text of this stage is passed on: a server may echo what it got.

Sources: RFC 4954 (AUTH), RFC 4616 (PLAIN), the LOGIN draft, and Google's and Microsoft's pages on XOAUTH2.
"""

from base64 import b64encode

from postroad.providers.smtp.codes import Stage
from postroad.providers.smtp.dialogue import Connection, Refused, Unusable
from postroad.providers.smtp.replies import Reply
from postroad.vocabulary.outcomes import Category
from postroad.vocabulary.secret import Secret

_ORDER = {"auto": ("PLAIN", "LOGIN"), "plain": ("PLAIN",), "login": ("LOGIN",), "xoauth2": ("XOAUTH2",)}


async def log_in(connection: Connection, username: str, password: Secret, wanted: str) -> None:
    """Raises Refused (the server does not know us), Unusable (no mechanism in common) or Lost."""
    offered = connection.offers.mechanisms
    mechanism = next((name for name in _ORDER[wanted] if name in offered), None)
    if mechanism is None:
        shown = ", ".join(sorted(offered)) or "none"
        summary = f"the server offers no way to log in that fits authentication {wanted!r} (offered: {shown})"
        raise Unusable(Category.AUTHENTICATION, "AUTH_NOT_OFFERED", summary)
    if mechanism == "LOGIN":
        await _say(connection, b"AUTH LOGIN", 334)
        await _say(connection, b64encode(username.encode()), 334)
        await _say(connection, b64encode(password.reveal().encode()), 235)
    elif mechanism == "PLAIN":
        await _say(connection, b"AUTH PLAIN " + b64encode(f"\0{username}\0{password.reveal()}".encode()), 235)
    else:
        token = f"user={username}\x01auth=Bearer {password.reveal()}\x01\x01"
        await _say(connection, b"AUTH XOAUTH2 " + b64encode(token.encode()), 235)


async def _say(connection: Connection, command: bytes, expected: int) -> None:
    reply = await connection.ask(Stage.AUTH, command)
    if reply.code == 334 and expected == 235:
        reply = await connection.ask(Stage.AUTH, b"")
    if reply.code != expected:
        shown = Reply(
            reply.code if reply.code >= 400 else 535, (f"{reply.enhanced} the server refused the login".strip(),)
        )
        raise Refused(Stage.AUTH, shown)
