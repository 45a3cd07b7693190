"""Envelopes: what was sealed at a place opens there, unchanged, and nowhere else."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postroad.foundation.envelope import Place, Sealed, rewrap, seal, unseal
from postroad.foundation.keyring import KeyRing
from postroad.vocabulary.errors import KeysUnusable, SecretUnreadable

PARTS = st.text(max_size=8)
PLACES = st.builds(Place, PARTS, PARTS, PARTS, st.integers(1, 10**6))


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> KeyRing:
    return KeyRing.load_or_make(tmp_path_factory.mktemp("keys") / "ring.json", may_make=True)


@given(place=PLACES, plain=st.binary(max_size=200))
def test_what_is_sealed_opens_at_its_place(ring: KeyRing, place: Place, plain: bytes) -> None:
    sealed = seal(ring, place, plain)
    assert unseal(ring, place, sealed) == plain
    assert plain not in sealed.ciphertext or len(plain) < 4


@given(place=PLACES, other=PLACES)
def test_it_opens_at_no_other_place(ring: KeyRing, place: Place, other: Place) -> None:
    sealed = seal(ring, place, b"hunter2")
    if place != other:
        with pytest.raises(SecretUnreadable, match="was changed or belongs to another record"):
            unseal(ring, other, sealed)


def test_parts_of_a_place_cannot_be_moved_into_each_other() -> None:
    assert Place("ab", "c", "t", 1).bytes() != Place("a", "bc", "t", 1).bytes()
    assert Place("a", "b", "t1", 1).bytes() != Place("a", "b", "t", 11).bytes()


@given(name=st.sampled_from(["nonce", "ciphertext", "wrapped_key"]), data=st.data())
def test_a_flipped_bit_or_a_missing_byte_is_noticed(ring: KeyRing, name: str, data: st.DataObject) -> None:
    place = Place("w", "s", "TEXT", 1)
    sealed = seal(ring, place, b"a secret of some length")
    content: bytes = getattr(sealed, name)
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(content) * 8 - 1))
        changed = bytearray(content)
        changed[at // 8] ^= 1 << (at % 8)
        content = bytes(changed)
    else:
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    with pytest.raises(SecretUnreadable):
        unseal(ring, place, replace(sealed, **{name: content}))


def test_parts_of_two_envelopes_do_not_fit_each_other(ring: KeyRing) -> None:
    place = Place("w", "s", "TEXT", 1)
    one, two = seal(ring, place, b"one"), seal(ring, place, b"two")
    for mixed in (
        replace(one, ciphertext=two.ciphertext),
        replace(one, nonce=two.nonce),
        replace(one, wrapped_key=two.wrapped_key),
        replace(one, algorithm="AES-128-GCM"),
    ):
        with pytest.raises(SecretUnreadable):
            unseal(ring, place, mixed)


def test_an_unknown_master_key_is_another_error_than_a_changed_record(ring: KeyRing) -> None:
    place = Place("w", "s", "TEXT", 1)
    with pytest.raises(KeysUnusable, match="lacks k9-00000000"):
        unseal(ring, place, replace(seal(ring, place, b"x"), key_version="k9-00000000"))


def test_wrapping_anew_leaves_the_ciphertext_alone_and_needs_the_old_key_no_more(tmp_path: Path) -> None:
    own = KeyRing.load_or_make(tmp_path / "ring.json", may_make=True)
    place, old = Place("w", "s", "TEXT", 1), own.active
    before: Sealed = seal(own, place, b"hunter2")
    own.rotate()
    after = rewrap(own, place, before)
    own.drop(old)
    assert after.key_version == own.active
    assert (after.ciphertext, after.nonce) == (before.ciphertext, before.nonce)
    assert unseal(own, place, after) == b"hunter2"


def test_the_same_text_is_never_sealed_into_the_same_bytes(ring: KeyRing) -> None:
    place = Place("w", "s", "TEXT", 1)
    one, two = seal(ring, place, b"x"), seal(ring, place, b"x")
    assert one.ciphertext != two.ciphertext
    assert one.nonce != two.nonce
