"""What a channel provider must be.

A provider is a small honest machine. Its factory describes itself as data, checks configuration and compiles a message
into a `Renderer`; its session turns one rendered item into one request and one answer into one `SendResult`. It holds
no retry loop, logs no bodies and opens no database. Everything here needs the standard library only.
"""

from postroad.spi.config import ConfigDocument, Problem
from postroad.spi.descriptor import (
    Capabilities,
    CommitPoint,
    ConcurrencyMode,
    ProviderDescriptor,
    Rate,
    RateLimit,
    RateScope,
    Timeouts,
)
from postroad.spi.provider import (
    CancellationToken,
    ConfiguredCapabilities,
    ConfiguredPrice,
    ConnectionReport,
    OpenContext,
    Price,
    Proof,
    ProviderFactory,
    ProviderSession,
    ReadsFiles,
    Renderer,
    SecretResolver,
    capabilities_of,
    price_of,
    with_files,
)
from postroad.spi.sending import Preview, Recipient, Rendered, RenderError, SendRequest, SendResult, Verdict

SPI_VERSION = "1.0"

__all__ = [
    "SPI_VERSION",
    "CancellationToken",
    "Capabilities",
    "CommitPoint",
    "ConcurrencyMode",
    "ConfigDocument",
    "ConfiguredCapabilities",
    "ConfiguredPrice",
    "ConnectionReport",
    "OpenContext",
    "Preview",
    "Price",
    "Problem",
    "Proof",
    "ProviderDescriptor",
    "ProviderFactory",
    "ProviderSession",
    "Rate",
    "RateLimit",
    "RateScope",
    "ReadsFiles",
    "Recipient",
    "RenderError",
    "Rendered",
    "Renderer",
    "SecretResolver",
    "SendRequest",
    "SendResult",
    "Timeouts",
    "Verdict",
    "capabilities_of",
    "price_of",
    "with_files",
]
