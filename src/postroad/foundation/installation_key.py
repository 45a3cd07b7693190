"""The key with which this installation signs what it says about its runs.

Ed25519, made on first use, kept as a PEM file of mode 0600. A file that others may read is refused: whoever could read
it could sign. The public half is written beside it, to be handed to those who check.
"""

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from postroad.foundation.whole_files import sync_folder, write_whole
from postroad.vocabulary.errors import ConfigInvalid

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PRIVATE_NAME = "receipts.pem"
PUBLIC_NAME = "receipts.pub.pem"


class InstallationKey:
    def __init__(self, private: "Ed25519PrivateKey") -> None:
        self._private = private

    @staticmethod
    def load_or_make(folder: Path) -> "InstallationKey":
        """Two processes that make it at once end up with the same key. Raises ConfigInvalid for a loose file mode."""
        path = folder / PRIVATE_NAME
        if not path.exists():
            _make(path)
        key = InstallationKey(_load(path))
        public = folder / PUBLIC_NAME
        if not public.exists() or public.read_bytes() != key.public_pem():
            write_whole(public, key.public_pem())
        return key

    def sign(self, content: bytes) -> bytes:
        return self._private.sign(content)

    def public_pem(self) -> bytes:
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return self._private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def is_signed_by(public_pem: bytes, content: bytes, signature: bytes) -> bool:
    """Whether the holder of the key signed exactly `content`. Raises ConfigInvalid where the key is not Ed25519 PEM."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(public_pem)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise ConfigInvalid("the public key must be an Ed25519 key as a PEM file (BEGIN PUBLIC KEY)", field="publicKey")
    try:
        key.verify(signature, content)
    except InvalidSignature:
        return False
    return True


def _make(path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    fresh = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    part = path.with_name(f".{path.name}.{os.getpid()}")
    write_whole(part, fresh, 0o600)
    try:
        os.link(part, path)
    except FileExistsError:
        pass
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path.parent)


def _load(path: Path) -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    mode = path.stat().st_mode
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigInvalid(
            f"others may read the signing key {path} (mode {stat.S_IMODE(mode):04o}); run: chmod 600 {path}",
            field="POSTROAD_HOME",
        )
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigInvalid(f"{path} does not hold an Ed25519 key; move it away and a new one is made", field="keys")
    return key
