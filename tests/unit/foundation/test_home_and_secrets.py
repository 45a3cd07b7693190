import os
from pathlib import Path

import pytest

from postroad.foundation.home import Home
from postroad.foundation.installation_key import InstallationKey, is_signed_by
from postroad.foundation.secret_lookup import SecretLookup, variable_of
from postroad.foundation.whole_files import write_whole
from postroad.vocabulary.errors import ConfigInvalid, SecretMissing


def test_home_is_for_its_owner_alone(tmp_path: Path) -> None:
    home = Home.from_environment({"POSTROAD_HOME": str(tmp_path / "home")}).make()
    assert home.root.stat().st_mode & 0o777 == 0o700
    home.root.chmod(0o777)
    with pytest.raises(ConfigInvalid, match="chmod 700"):
        home.make()


def test_a_secret_comes_from_the_environment_first(tmp_path: Path) -> None:
    file = tmp_path / "secrets.yaml"
    write_whole(file, b"smtp-password: from file\nother: 'x'\n", 0o600)
    lookup = SecretLookup({"POSTROAD_SECRET_SMTP_PASSWORD": "from environment"}, file)
    assert lookup.resolve("smtp-password").reveal() == "from environment"
    assert lookup.resolve("other").reveal() == "x"


def test_a_missing_secret_says_where_to_put_it() -> None:
    with pytest.raises(SecretMissing, match="POSTROAD_SECRET_API_TOKEN"):
        SecretLookup({}).resolve("api-token")
    assert variable_of("api-token") == "POSTROAD_SECRET_API_TOKEN"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_loose_secrets_file_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "secrets.yaml"
    write_whole(file, b"a: b", mode)
    with pytest.raises(ConfigInvalid, match="chmod 600"):
        SecretLookup({}, file)


@pytest.mark.parametrize("content", [b"- a", b"a: 12", b"a: {b: c}", b"hunter2: [", b"\xff\xfe\x00"])
def test_a_malformed_secrets_file_is_refused_without_showing_it(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "secrets.yaml"
    write_whole(file, content, 0o600)
    with pytest.raises(ConfigInvalid) as caught:
        SecretLookup({}, file)
    assert "hunter2" not in str(caught.value)


def test_the_installation_key_is_made_once_and_signs(tmp_path: Path) -> None:
    one, two = InstallationKey.load_or_make(tmp_path), InstallationKey.load_or_make(tmp_path)
    assert one.public_pem() == two.public_pem() == (tmp_path / "receipts.pub.pem").read_bytes()
    assert is_signed_by(one.public_pem(), b"text", two.sign(b"text"))
    assert not is_signed_by(one.public_pem(), b"other", two.sign(b"text"))
    assert (tmp_path / "receipts.pem").stat().st_mode & 0o777 == 0o600


def test_a_loose_installation_key_is_refused(tmp_path: Path) -> None:
    InstallationKey.load_or_make(tmp_path)
    (tmp_path / "receipts.pem").chmod(0o644)
    with pytest.raises(ConfigInvalid, match="chmod 600"):
        InstallationKey.load_or_make(tmp_path)


def test_something_else_is_no_public_key() -> None:
    with pytest.raises(ConfigInvalid, match="Ed25519"):
        is_signed_by(b"hello", b"", b"")


def test_a_whole_file_replaces_the_old_one_and_leaves_no_rest(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"one")
    write_whole(tmp_path / "a", b"two", 0o600)
    assert (tmp_path / "a").read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize(
    "content", [b"a: !!float canary", b"a: 2026-99-99", b"a: " + b"[" * 3000, b"a: " + b"9" * 5000, b"a: !!int canary"]
)
def test_regression_a_value_of_a_secrets_file_stood_in_a_traceback(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "secrets.yaml"
    write_whole(path, content, 0o600)

    with pytest.raises(ConfigInvalid, match="is not YAML") as refused:
        SecretLookup({}, path)

    assert "canary" not in str(refused.value)
    assert refused.value.__suppress_context__


def test_regression_a_folder_as_secrets_file_ended_in_a_traceback(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)

    with pytest.raises(ConfigInvalid, match="cannot be read: Is a directory"):
        SecretLookup({}, tmp_path)


def test_regression_an_empty_secret_passed_the_dry_run_and_stopped_the_begun_send(tmp_path: Path) -> None:
    file = tmp_path / "secrets.yaml"
    write_whole(file, b"api-token: ''\nother: x\n", 0o600)
    with pytest.raises(SecretMissing, match="not set or empty"):
        SecretLookup({"POSTROAD_SECRET_API_TOKEN": ""}, file).resolve("api-token")
    assert SecretLookup({"POSTROAD_SECRET_OTHER": ""}, file).resolve("other").reveal() == "x"
