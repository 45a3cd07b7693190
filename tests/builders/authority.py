"""A certificate authority for tests: fresh keys each time, nothing on disk but what is asked for."""

import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_HOUR = datetime.timedelta(hours=1)


class Authority:
    """Signs server and client certificates; `ca_file` is what the other side has to trust."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("Test authority")
        self._certificate = self._build(self._name, self._key.public_key(), ()).sign(self._key, hashes.SHA256())
        self.ca_file = folder / "ca.pem"
        self.ca_file.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    def issue(self, *names: str, expired: bool = False) -> Path:
        """PEM file with key and certificate for `names` (DNS names or addresses)."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._build(_name(names[0]), key.public_key(), names, expired=expired)
        certificate = builder.sign(self._key, hashes.SHA256())
        path = self._folder / f"{names[0].replace(':', '_')}{'-expired' if expired else ''}.pem"
        path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        return path

    def server_context(self, *names: str, expired: bool = False, seen_names: list[str] | None = None) -> ssl.SSLContext:
        """For a TLS server; the SNI of every handshake is appended to `seen_names`."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.issue(*names, expired=expired))
        if seen_names is not None:
            context.sni_callback = lambda _socket, name, _context: seen_names.append(name or "")
        return context

    def _build(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, names: tuple[str, ...], *, expired: bool = False
    ) -> x509.CertificateBuilder:
        now = datetime.datetime.now(tz=datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 48 * _HOUR)
            .not_valid_after(now - _HOUR if expired else now + 24 * _HOUR)
            .add_extension(x509.BasicConstraints(ca=not names, path_length=None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName([_alternative(name) for name in names]), False)
        return builder


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
