import copy
import pickle

import pytest

from postroad.vocabulary.secret import MASK, Secret


@pytest.mark.parametrize("shown", [repr, str, "{}".format, "{:>20}".format, lambda s: f"{s!r}", "%s".__mod__])
def test_a_secret_never_prints_itself(shown: object) -> None:
    text = shown(Secret("hunter2"))
    assert "hunter2" not in text
    assert MASK in text


def test_a_secret_refuses_to_be_pickled_or_copied() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(Secret("hunter2"))
    with pytest.raises(TypeError):
        copy.deepcopy(Secret("hunter2"))


def test_a_closed_secret_reveals_nothing() -> None:
    secret = Secret("hunter2")
    assert secret.reveal() == "hunter2"
    secret.close()
    with pytest.raises(ValueError, match="closed"):
        secret.reveal()
