"""The key ring of the service: the master keys that wrap the keys of stored secrets.

One file of mode 0600 holds every version: one active, the others retained so that what they wrapped can still be read.
A version is called `k2-9f3ac1d0`: its number and a fingerprint of the key, so a file with other keys in it is found out
before anything is read with it, and a secret says which key it needs. The file is made at the first start of a
standalone service only. `rotate` adds a version and makes it active; secrets are wrapped anew by a job, and an old
version leaves only by `drop`. A process that meets a version it does not know reads the file again once, so a key ring
that was handed out anew needs no restart.

Keys of other purposes (signing cursors, confirmations) are derived by HKDF-SHA-256 (RFC 5869) from a root that a
rotation leaves alone: what instances signed before and after one is good at all of them. `rotate(signing=True)` is for
a ring that somebody may have seen.
Source: spec wepush §30.1.
"""

import base64
import json
import os
import stat
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from postroad.foundation.whole_files import sync_folder, write_whole
from postroad.vocabulary.errors import KeysUnusable

_KEY_BYTES = 32
_FORMAT = "postroad-keyring/1"
_NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """A key of 32 bytes under a master key. `wrapped` is nonce and ciphertext."""

    version: str
    wrapped: bytes


@dataclass(frozen=True, slots=True, repr=False)
class _Keys:
    active: str
    by_version: Mapping[str, bytes]
    root: bytes


class KeyRing:
    """The keys of one file. Safe to share between threads; shows no key in its `repr`."""

    def __init__(self, path: Path, keys: _Keys) -> None:
        self._path = path
        self._keys = keys
        self._lock = threading.Lock()

    @staticmethod
    def load(path: Path) -> "KeyRing":
        """Raises KeysUnusable where the file is missing, may be read by others, or holds something else."""
        return KeyRing(path, _read(path))

    @staticmethod
    def load_or_make(path: Path, *, may_make: bool) -> "KeyRing":
        """Makes the file only where `may_make`. Two processes that make it at once end up with the same keys."""
        if may_make and not path.exists():
            _make(path)
        return KeyRing.load(path)

    @property
    def active(self) -> str:
        """The version that wraps what is new."""
        return self._keys.active

    @property
    def versions(self) -> tuple[str, ...]:
        """All versions, the oldest first."""
        return tuple(self._keys.by_version)

    def require(self, used: Collection[str]) -> None:
        """Raises KeysUnusable where something was wrapped by a version that is not here."""
        missing = sorted(set(used) - set(self._keys.by_version))
        if missing:
            raise KeysUnusable(
                f"the key ring {self._path} lacks {', '.join(missing)}, which stored secrets were encrypted with; put "
                "back the key ring that belongs to this database",
                field="keys.file",
            )

    def wrap(self, key: bytes, bound_to: bytes) -> WrappedKey:
        """Wraps `key` by the active version, bound to `bound_to`: only the same bytes open it again."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        keys = self._keys
        nonce = os.urandom(_NONCE_BYTES)
        sealed = AESGCM(keys.by_version[keys.active]).encrypt(nonce, key, _bound(keys.active, bound_to))
        return WrappedKey(keys.active, nonce + sealed)

    def unwrap(self, given: WrappedKey, bound_to: bytes) -> bytes:
        """Raises KeysUnusable for an unknown version, ValueError where the content or `bound_to` was changed."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        if given.version not in self._keys.by_version:
            self.refresh()
            self.require({given.version})
        nonce, sealed = given.wrapped[:_NONCE_BYTES], given.wrapped[_NONCE_BYTES:]
        try:
            return AESGCM(self._keys.by_version[given.version]).decrypt(nonce, sealed, _bound(given.version, bound_to))
        except (InvalidTag, ValueError):
            raise ValueError("the wrapped key is not what was stored here") from None

    def derive(self, purpose: str) -> bytes:
        """The key of 32 bytes for `purpose`: the same in all processes that have this ring."""
        return _derived(self._keys.root, purpose)

    def rotate(self, *, signing: bool = False) -> str:
        """Adds a version, makes it active and answers its name. A crash leaves the old file or the new one.

        With `signing` all derived keys change too: cursors and confirmations that are out are no longer good.
        """
        with self._lock:
            keys = _read(self._path)
            number = 1 + max(_number(version) for version in keys.by_version)
            version, key = _fresh(number)
            root = os.urandom(_KEY_BYTES) if signing else keys.root
            self._store(_Keys(version, {**keys.by_version, version: key}, root))
            return version

    def drop(self, version: str) -> None:
        """Forgets a retained version for good. Only the caller can know that nothing needs it any more."""
        with self._lock:
            keys = _read(self._path)
            if version not in keys.by_version or version == keys.active:
                raise KeysUnusable(f"{version} is not a retained version of {self._path}", field="version")
            left = {name: key for name, key in keys.by_version.items() if name != version}
            self._store(_Keys(keys.active, left, keys.root))

    def refresh(self) -> None:
        """Reads the file again."""
        with self._lock:
            self._keys = _read(self._path)

    def _store(self, keys: _Keys) -> None:
        write_whole(self._path, _content(keys), 0o600)
        self._keys = keys

    def __repr__(self) -> str:
        return f"KeyRing({self._path}, active {self._keys.active}, {len(self._keys.by_version)} versions)"


def _bound(version: str, bound_to: bytes) -> bytes:
    return b"postroad/key-wrap/1\0" + version.encode() + b"\0" + bound_to


def _derived(key: bytes, purpose: str) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), _KEY_BYTES, salt=None, info=f"postroad/{purpose}/1".encode()).derive(key)


def _fresh(number: int) -> tuple[str, bytes]:
    key = os.urandom(_KEY_BYTES)
    return _name(number, key), key


def _name(number: int, key: bytes) -> str:
    return f"k{number}-{_derived(key, 'fingerprint')[:4].hex()}"


def _number(version: str) -> int:
    return int(version[1:].partition("-")[0])


def _content(keys: _Keys) -> bytes:
    value = {
        "format": _FORMAT,
        "active": keys.active,
        "versions": {version: base64.b64encode(key).decode() for version, key in keys.by_version.items()},
        "root": base64.b64encode(keys.root).decode(),
    }
    return json.dumps(value, indent=2).encode() + b"\n"


def _make(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    version, key = _fresh(1)
    part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    write_whole(part, _content(_Keys(version, {version: key}, os.urandom(_KEY_BYTES))), 0o600)
    try:
        os.link(part, path)
    except FileExistsError:
        pass
    finally:
        part.unlink(missing_ok=True)
    sync_folder(path.parent)


def _read(path: Path) -> _Keys:
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        raise KeysUnusable(
            f"there is no key ring {path}; put it back from its backup, or start standalone on an empty database and "
            "one is made",
            field="keys.file",
        ) from None
    except OSError as error:
        raise KeysUnusable(f"the key ring {path} cannot be read: {error.strerror}", field="keys.file") from error
    with open(handle, "rb") as file:
        mode = os.fstat(handle).st_mode
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise KeysUnusable(
                f"others may read the key ring {path} (mode {stat.S_IMODE(mode):04o}); run: chmod 600 {path}",
                field="keys.file",
            )
        content = file.read(1 << 20)
    try:
        return _parsed(json.loads(content))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise KeysUnusable(
            f"{path} is not a key ring, or it was changed; put back the file from its backup", field="keys.file"
        ) from None


def _parsed(value: dict[str, object]) -> _Keys:
    versions, active, root = value["versions"], value["active"], value["root"]
    if value["format"] != _FORMAT or not isinstance(versions, dict) or not isinstance(active, str):
        raise ValueError
    by_version = {version: _key(text) for version, text in versions.items()}
    if active not in by_version or any(_name(_number(version), key) != version for version, key in by_version.items()):
        raise ValueError
    ordered = dict(sorted(by_version.items(), key=lambda pair: _number(pair[0])))
    return _Keys(active, MappingProxyType(ordered), _key(root))


def _key(text: object) -> bytes:
    key = base64.b64decode(str(text), validate=True)
    if len(key) != _KEY_BYTES:
        raise ValueError
    return key
