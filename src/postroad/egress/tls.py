"""How TLS is spoken: always verified, by the system's authorities or by those an operator names."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from postroad.vocabulary.errors import ConfigInvalid


@dataclass(frozen=True, slots=True)
class TlsOptions:
    """There is no switch for "do not verify": a test or a private server brings its own authority."""

    ca_file: str = ""
    """PEM file of the authorities to trust instead of the system's."""
    server_name: str = ""
    """Name for SNI and verification where it is not the host dialled."""
    client_certificate: str = ""
    """PEM file with certificate and key for mutual TLS; the key may stand in its own file."""
    client_key: str = ""


def make_context(options: TlsOptions | None) -> ssl.SSLContext:
    """A client context, TLS 1.2 or later. Reads files: make it once. Raises ConfigInvalid for bad files."""
    ca_file = options.ca_file if options is not None else ""
    try:
        context = ssl.create_default_context(cafile=_existing(ca_file, "tls.caFile") or None)
    except ssl.SSLError:
        raise ConfigInvalid(f"tls.caFile: {ca_file!r} holds no PEM certificates", field="tls.caFile") from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if options is not None and options.client_certificate:
        _load_client_certificate(context, options)
    return context


def _load_client_certificate(context: ssl.SSLContext, options: TlsOptions) -> None:
    certificate = _existing(options.client_certificate, "tls.clientCertificate")
    key = _existing(options.client_key, "tls.clientKey")
    try:
        context.load_cert_chain(certificate, key or None, password=_no_password)
    except (ssl.SSLError, ValueError):
        raise ConfigInvalid(
            f"tls.clientCertificate: {certificate!r} does not hold a PEM certificate and its unencrypted key",
            field="tls.clientCertificate",
        ) from None


def _no_password() -> str:
    """Keeps OpenSSL from asking on the terminal."""
    return ""


def _existing(path: str, field: str) -> str:
    if path and not Path(path).is_file():
        raise ConfigInvalid(f"{field}: there is no file {path!r}", field=field)
    return path
