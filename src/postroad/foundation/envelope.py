"""Envelope encryption of one stored secret: a key of its own, wrapped by the key ring.

Each sealing makes a random 256-bit key (DEK), encrypts the text with AES-256-GCM under it, and has the key ring wrap
the DEK. Both layers are bound to the record they belong to: workspace, secret, type and record version. A row copied
over another, an old version put back under a new number, a flipped bit or a missing byte: all end as one
`SecretUnreadable` that says nothing about which it was. Rotation wraps the DEK anew and leaves the ciphertext alone.
Source: spec wepush §30.1.
"""

import os
from dataclasses import dataclass, replace

from postroad.foundation.keyring import KeyRing, WrappedKey
from postroad.vocabulary.errors import SecretUnreadable

ALGORITHM = "AES-256-GCM"
_KEY_BYTES = 32
_NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class Place:
    """The record that a sealed text belongs to."""

    workspace_id: str
    secret_id: str
    secret_type: str
    record_version: int

    def bytes(self) -> bytes:
        """Each part with its length before it: no two places give the same bytes."""
        parts = (self.workspace_id, self.secret_id, self.secret_type, str(self.record_version))
        encoded = [part.encode() for part in parts]
        return b"".join(len(part).to_bytes(4, "big") + part for part in encoded)


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a database may keep. `key_version` names the master key, `wrapped_key` is its nonce and the wrapped DEK."""

    algorithm: str
    nonce: bytes
    ciphertext: bytes
    key_version: str
    wrapped_key: bytes


def seal(ring: KeyRing, place: Place, plain: bytes) -> Sealed:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key, nonce = os.urandom(_KEY_BYTES), os.urandom(_NONCE_BYTES)
    ciphertext = AESGCM(key).encrypt(nonce, plain, _bound(place))
    wrapped = ring.wrap(key, _bound(place))
    return Sealed(ALGORITHM, nonce, ciphertext, wrapped.version, wrapped.wrapped)


def unseal(ring: KeyRing, place: Place, sealed: Sealed) -> bytes:
    """Raises SecretUnreadable where anything differs from what was sealed, KeysUnusable without its master key."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key = _key(ring, place, sealed)
    if len(sealed.nonce) != _NONCE_BYTES:
        raise _unreadable()
    try:
        return AESGCM(key).decrypt(sealed.nonce, sealed.ciphertext, _bound(place))
    except (InvalidTag, ValueError):
        raise _unreadable() from None


def rewrap(ring: KeyRing, place: Place, sealed: Sealed) -> Sealed:
    """The same ciphertext with its key under the active master key. Raises as `unseal`, but reads no text."""
    wrapped = ring.wrap(_key(ring, place, sealed), _bound(place))
    return replace(sealed, key_version=wrapped.version, wrapped_key=wrapped.wrapped)


def _key(ring: KeyRing, place: Place, sealed: Sealed) -> bytes:
    if sealed.algorithm != ALGORITHM:
        raise _unreadable()
    try:
        key = ring.unwrap(WrappedKey(sealed.key_version, sealed.wrapped_key), _bound(place))
    except ValueError:
        raise _unreadable() from None
    if len(key) != _KEY_BYTES:
        raise _unreadable()
    return key


def _bound(place: Place) -> bytes:
    return b"postroad/secret/1\0" + ALGORITHM.encode() + b"\0" + place.bytes()


def _unreadable() -> SecretUnreadable:
    return SecretUnreadable("a stored secret was changed or belongs to another record; set it again")
