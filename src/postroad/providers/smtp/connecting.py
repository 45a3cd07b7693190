"""From an account to a connection that may send: dial, greet, encrypt, log in. It is whole or it is closed."""

import asyncio

from postroad.egress import Egress, StreamFailed
from postroad.providers.smtp.authentication import log_in
from postroad.providers.smtp.codes import Stage
from postroad.providers.smtp.config import Account, Security
from postroad.providers.smtp.dialogue import Connection, Lost
from postroad.spi import CancellationToken
from postroad.vocabulary.secret import Secret


async def connect(
    egress: Egress, account: Account, password: Secret | None, deadline: float, cancellation: CancellationToken
) -> Connection:
    """Raises Refused, Lost, Unusable, and what the way out refuses. `deadline` is loop time."""
    left = deadline - asyncio.get_running_loop().time()
    try:
        stream = await egress.open_stream(
            account.host,
            account.port,
            tls=account.security is Security.TLS,
            connect_timeout_s=max(0.001, min(account.connect_timeout_s, left)),
            options=account.tls,
        )
    except StreamFailed as failure:
        raise Lost(Stage.CONNECT, failure.fault, failure.message) from None
    connection = Connection(stream, cancellation, account.command_timeout_s)
    connection.deadline = deadline
    try:
        await connection.greet(account.client_name)
        if account.security is Security.STARTTLS:
            await connection.secure(account.client_name, account.tls.server_name if account.tls else "")
        if password is not None:
            await log_in(connection, account.username, password, account.authentication)
    except BaseException:
        connection.drop()
        raise
    return connection
