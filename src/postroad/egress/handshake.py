"""TLS on a connection that was already checked and made."""

import asyncio
import ssl

from postroad.egress.faults import Fault, StreamFailed

_ENDED = "the connection ended during the TLS handshake"


async def start_tls(
    transport: asyncio.Transport,
    protocol: asyncio.Protocol,
    context: ssl.SSLContext,
    server_name: str,
    timeout_s: float,
) -> asyncio.Transport:
    """The encrypted transport over `transport`, verified for `server_name`. On failure `transport` is aborted.

    Raises StreamFailed (TLS, TIMEOUT or RESET).
    """
    loop = asyncio.get_running_loop()
    if transport.is_closing():
        raise StreamFailed(Fault.TLS, _ENDED)
    try:
        async with asyncio.timeout(timeout_s):
            upgraded = await loop.start_tls(transport, protocol, context, server_hostname=server_name)
    except TimeoutError:
        raise _aborted(transport, Fault.TIMEOUT, "the TLS handshake was not finished in time") from None
    except ssl.SSLCertVerificationError as problem:
        detail = f"the certificate is not accepted: {problem.verify_message}"
        raise _aborted(transport, Fault.TLS, detail) from None
    except ssl.SSLError as problem:
        raise _aborted(transport, Fault.TLS, f"the TLS handshake failed: {problem.reason or 'no TLS'}") from None
    except (OSError, RuntimeError):
        raise _aborted(transport, Fault.TLS, _ENDED) from None
    except BaseException:
        transport.abort()
        raise
    if upgraded is None:
        raise _aborted(transport, Fault.TLS, _ENDED)
    return upgraded


def _aborted(transport: asyncio.Transport, fault: Fault, detail: str) -> StreamFailed:
    transport.abort()
    return StreamFailed(fault, detail)
