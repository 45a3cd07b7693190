from postroad.providerkit.masking import masked
from postroad.vocabulary.secret import MASK, Secret


def test_a_secret_repeated_by_a_vendor_is_masked_every_time() -> None:
    assert masked("key k-1 of k-1 is bad", [Secret("k-1")]) == f"key {MASK} of {MASK} is bad"


def test_an_empty_secret_masks_nothing() -> None:
    assert masked("fine", [Secret("")]) == "fine"
