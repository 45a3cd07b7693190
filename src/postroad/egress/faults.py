"""What can go wrong on the way out, in words that fit every protocol."""

from enum import StrEnum

from postroad.vocabulary.errors import EgressFailed


class Fault(StrEnum):
    DNS = "DNS"
    """The name did not resolve, or resolved to nothing."""
    DENIED = "DENIED"
    """The address policy refuses the target. Trying again will not help."""
    CONNECT = "CONNECT"
    """No address took the connection."""
    TLS = "TLS"
    """The handshake failed: certificate, name, protocol version."""
    TIMEOUT = "TIMEOUT"
    """The time given was used up, wherever it went: waiting for a connection, connecting, writing or reading."""
    RESET = "RESET"
    """The connection ended before the whole answer was there."""
    PROTOCOL = "PROTOCOL"
    """What came is not the protocol that was spoken."""
    CLOSED = "CLOSED"
    """We closed it ourselves."""


class StreamFailed(EgressFailed):
    """An `EgressFailed` that says which `Fault` it was. The message is fit for everybody; it names no address."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault
