"""The key ring: made once, refused when it is not what it should be, and kept through rotations."""

import json
import threading
from pathlib import Path

import pytest

from postroad.foundation.keyring import KeyRing
from postroad.vocabulary.errors import KeysUnusable

KEY = bytes(range(32))


def _ring(folder: Path) -> KeyRing:
    return KeyRing.load_or_make(folder / "keys" / "ring.json", may_make=True)


def test_the_file_is_made_for_its_owner_alone_and_only_where_that_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "ring.json"
    with pytest.raises(KeysUnusable, match=r"there is no key ring .*; put it back from its backup"):
        KeyRing.load_or_make(path, may_make=False)
    assert not path.exists()
    first = KeyRing.load_or_make(path, may_make=True)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert KeyRing.load_or_make(path, may_make=True).active == first.active


def test_two_that_make_it_at_once_have_the_same_keys(tmp_path: Path) -> None:
    seen: list[str] = []
    threads = [threading.Thread(target=lambda: seen.append(_ring(tmp_path).active)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len(set(seen)) == 1
    assert [path.name for path in (tmp_path / "keys").iterdir()] == ["ring.json"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    _ring(tmp_path)
    path = tmp_path / "keys" / "ring.json"
    path.chmod(mode)
    with pytest.raises(KeysUnusable, match=r"others may read the key ring .*; run: chmod 600"):
        KeyRing.load(path)


@pytest.mark.parametrize("content", ["", "{}", "[]", "null", '{"format": "postroad-keyring/1"}', "\xff", "x" * 2000])
def test_anything_else_in_the_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "ring.json"
    path.write_text(content, encoding="latin-1")
    path.chmod(0o600)
    with pytest.raises(KeysUnusable, match="is not a key ring, or it was changed"):
        KeyRing.load(path)


@pytest.mark.parametrize("change", ["key", "name", "active", "format", "short", "root"])
def test_a_changed_ring_is_refused(tmp_path: Path, change: str) -> None:
    ring = _ring(tmp_path)
    path = tmp_path / "keys" / "ring.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    key = value["versions"][ring.active]
    match change:
        case "key":
            value["versions"][ring.active] = ("A" if key[0] != "A" else "B") + key[1:]
        case "name":
            value["versions"] = {"k1-00000000": key}
            value["active"] = "k1-00000000"
        case "active":
            value["active"] = "k9-00000000"
        case "format":
            value["format"] = "postroad-keyring/9"
        case "root":
            value["root"] = value["root"][:8]
        case "short":
            value["versions"][ring.active] = "AAAA"
    path.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(KeysUnusable, match="is not a key ring, or it was changed"):
        KeyRing.load(path)


def test_what_an_old_version_wrapped_is_read_after_a_rotation_also_by_others(tmp_path: Path) -> None:
    here = _ring(tmp_path)
    there = KeyRing.load(tmp_path / "keys" / "ring.json")
    before = here.wrap(KEY, b"place")
    active = there.rotate()
    after = there.wrap(KEY, b"place")
    assert (there.active, after.version) == (active, active)
    assert there.unwrap(before, b"place") == KEY
    assert here.unwrap(after, b"place") == KEY
    assert here.active == active


def test_only_a_retained_version_can_be_dropped_and_then_it_is_gone(tmp_path: Path) -> None:
    ring = _ring(tmp_path)
    old = ring.active
    wrapped = ring.wrap(KEY, b"place")
    with pytest.raises(KeysUnusable, match="is not a retained version"):
        ring.drop(old)
    ring.rotate()
    ring.drop(old)
    assert old not in ring.versions
    with pytest.raises(KeysUnusable, match="which stored secrets were encrypted with"):
        ring.unwrap(wrapped, b"place")


def test_numbers_are_not_used_again_while_a_later_version_is_there(tmp_path: Path) -> None:
    ring = _ring(tmp_path)
    names = [ring.active, ring.rotate(), ring.rotate()]
    assert [name.partition("-")[0] for name in names] == ["k1", "k2", "k3"]
    assert ring.versions == tuple(names)


def test_the_ring_of_another_installation_is_told_by_what_it_lacks(tmp_path: Path) -> None:
    mine, other = _ring(tmp_path / "a"), _ring(tmp_path / "b")
    with pytest.raises(KeysUnusable, match=f"lacks {mine.active}"):
        other.require({mine.active})
    mine.require({mine.active})


def test_derived_keys_differ_by_purpose_and_outlive_a_rotation(tmp_path: Path) -> None:
    ring = _ring(tmp_path)
    cursor, confirmation = ring.derive("cursors"), ring.derive("confirmations")
    assert len(cursor) == 32
    assert cursor != confirmation
    ring.rotate()
    assert KeyRing.load(tmp_path / "keys" / "ring.json").derive("cursors") == cursor
    ring.rotate(signing=True)
    assert KeyRing.load(tmp_path / "keys" / "ring.json").derive("cursors") == ring.derive("cursors") != cursor


def test_a_ring_shows_no_key(tmp_path: Path) -> None:
    ring = _ring(tmp_path)
    value = json.loads((tmp_path / "keys" / "ring.json").read_text(encoding="utf-8"))
    assert not any(key in repr(ring) for key in (*value["versions"].values(), value["root"]))
