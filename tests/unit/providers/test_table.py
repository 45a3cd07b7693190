"""The table of built-in providers."""

import subprocess
import sys

import pytest

from postroad.egress import Egress
from postroad.providers import BUILTIN, load
from postroad.vocabulary.errors import ProviderUnknown


def test_an_unknown_id_lists_the_ids_there_are() -> None:
    with pytest.raises(ProviderUnknown, match="aliyun_sms, feishu, http, smtp"):
        load("htpp", Egress())


def test_a_listed_provider_loads() -> None:
    assert load("http", Egress()).descriptor.provider_id == "http"


def test_the_table_alone_imports_no_provider() -> None:
    program = (
        "import sys, postroad.providers\n"
        f"print([name for name in {sorted(BUILTIN)!r} if 'postroad.providers.' + name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
