"""The settings of the service: which source wins, and what is said about what is wrong."""

from pathlib import Path

import pytest

from postroad.foundation.service_settings import SERVICE_SETTINGS, Settings, load_settings, summary_of
from postroad.vocabulary.errors import ConfigInvalid


def _file(folder: Path, text: str) -> Path:
    path = folder / "postroad.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_word_the_defaults_hold_and_stay_on_this_machine(tmp_path: Path) -> None:
    settings = load_settings(environment={"POSTROAD_HOME": str(tmp_path)})
    assert settings.server.host == "127.0.0.1"
    assert settings.server.port == 18990
    assert settings.data_dir == tmp_path / "service"
    assert settings.database.sqlite_path == tmp_path / "service" / "postroad.db"
    assert settings.keys.file == tmp_path / "service" / "keys" / "service-keys.json"
    assert settings.artifacts.directory == tmp_path / "service" / "artifacts"
    assert settings.is_standalone
    assert (settings.worker.embedded.max_runs, settings.worker.embedded.max_concurrency) == (2, 200)
    assert (settings.events.progress_interval_s, settings.events.batch_size) == (1.0, 100)


def test_the_environment_wins_over_the_file_and_a_flag_over_both(tmp_path: Path) -> None:
    file = _file(tmp_path, "server: {host: '::1', port: 1}\nevents:\n  batchSize: 7\n")
    settings = load_settings(
        file,
        {"POSTROAD_SERVER_PORT": "2", "POSTROAD_SERVER_HOST": "127.0.0.2"},
        {"server.port": "3", "dataDir": str(tmp_path)},
    )
    assert (settings.server.host, settings.server.port, settings.events.batch_size) == ("127.0.0.2", 3, 7)


def test_the_file_in_the_data_folder_is_found_by_itself(tmp_path: Path) -> None:
    _file(tmp_path, "logging:\n  level: WARNING\n")
    assert load_settings(environment={"POSTROAD_DATA_DIR": str(tmp_path)}).logging.level == "warning"


def test_every_setting_can_be_said_in_all_three_places(tmp_path: Path) -> None:
    for setting in SERVICE_SETTINGS:
        if setting.is_secret or setting.path in ("database.url", "database.passwordFile", "dataDir"):
            continue
        text = setting.kind.show(setting.default)
        text = "" if text == "none" else text
        section = "".join(f"{'  ' * depth}{part}:\n" for depth, part in enumerate(setting.path.split(".")[:-1]))
        indent = "  " * setting.path.count(".")
        file = _file(tmp_path, f'{section}{indent}{setting.path.split(".")[-1]}: "{text}"\n' if text else "")
        load_settings(file, {setting.variable: text}, {setting.path: text} if text else {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("server:\n  prt: 1\n", "line 2: there is no setting `server.prt`; did you mean `server.port`?"),
        ("sever:\n  port: 1\n", "line 2: there is no setting `sever.port`; did you mean `server.port`?"),
        ("server:\n  port: 70000\n", "line 2: `70000` does not fit `server.port`: it must be a whole number from 0 to"),
        ("server:\n  port: 1\n  port: 2\n", "line 3: `server.port` stands there twice"),
        ("server: 5\n", "line 1: there is no setting `server`"),
        (
            "events:\n  progressInterval: 1\n",
            "line 2: `1` does not fit `events.progressInterval`: it must be a duration",
        ),
        ("events:\n  batchSize: {a: 1}\n", "line 2: there is no setting `events.batchSize.a`"),
        (
            "security:\n  allowedNetworks: [10.0.0.1/8]\n",
            "line 2: `10.0.0.1/8` does not fit `security.allowedNetworks`",
        ),
        ("security:\n  corsOrigins: ['*']\n", "line 2: `*` does not fit `security.corsOrigins`"),
        ("- 1\n", "line 1: sections with names are expected"),
        ("server: [\n", "line 2 is not YAML"),
        ("database:\n  password: hunter2\n", "line 2: `database.password` is a secret and may not stand there"),
        ("database:\n  url: postgresql://me:hunter2@db/x\n", "line 2: `database.url` holds a password; take it out"),
        ("database:\n  url: postgresql://me@db/x?password=hunter2\n", "holds a password after the `?`"),
        (
            "database:\n  url: mysql://me:hunter2@db/x\n",
            "must be `sqlite:///FILE` or `postgresql://USER@HOST/DATABASE`",
        ),
        ("database:\n  url: sqlite://host/x\n", "line 2: a SQLite address is `sqlite:///FILE`"),
        (
            "logging:\n  format: xml\n",
            "line 2: `xml` does not fit `logging.format`: it must be one of auto, json, console",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    file = _file(tmp_path, text)
    with pytest.raises(ConfigInvalid) as refused:
        load_settings(file, {})
    assert said in refused.value.message
    assert "hunter2" not in refused.value.message


def test_an_unknown_variable_is_named_with_the_nearest_known_one() -> None:
    with pytest.raises(
        ConfigInvalid, match="there is no setting `POSTROAD_SERVER_PROT`; did you mean `POSTROAD_SERVER"
    ):
        load_settings(environment={"POSTROAD_SERVER_PROT": "1"})


def test_variables_of_the_command_line_and_of_a_cluster_are_left_alone() -> None:
    others = {
        "POSTROAD_LANG": "zh",
        "POSTROAD_SECRET_SMTP": "x",
        "POSTROAD_SERVICE_HOST": "10.1.2.3",
        "POSTROAD_SERVICE_PORT_HTTP": "80",
        "POSTROAD_PORT": "tcp://10.1.2.3:80",
        "POSTROAD_PORT_80_TCP_ADDR": "10.1.2.3",
        "PATH": "/bin",
    }
    assert load_settings(environment=others) == load_settings(environment={})


def test_yaml_s_own_idea_of_a_value_does_not_matter(tmp_path: Path) -> None:
    settings = load_settings(
        _file(tmp_path, "server:\n  insecureHttp: no\n  host: 0.0.0.0\nlimits:\n  jsonBody: 2MiB\n")
    )
    assert settings.server.insecure_http is False
    assert settings.limits.json_body_bytes == 2 * 1024 * 1024


def test_the_password_of_the_database_comes_from_the_environment_and_is_never_shown(tmp_path: Path) -> None:
    url = "postgresql://me:hunt%40r2@db.example:5432/post?sslmode=require"
    settings = load_settings(environment={"POSTROAD_DATABASE_URL": url, "POSTROAD_DATA_DIR": str(tmp_path)})
    assert settings.database.url == "postgresql://me@db.example:5432/post?sslmode=require"
    assert settings.database.password is not None
    assert settings.database.password.reveal() == "hunt@r2"
    assert not settings.is_standalone
    assert "hunt" not in f"{settings!r} {summary_of(settings, everything=True)}"


def test_a_flag_may_hold_no_password() -> None:
    with pytest.raises(ConfigInvalid, match=r"holds a password; take it out") as refused:
        load_settings(flags={"database.url": "postgresql://me:hunter2@db/post"})
    assert "hunter2" not in refused.value.message


def test_the_password_file_is_read_and_refused_where_others_may_read_it(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("hunter2\n", encoding="utf-8")
    secret.chmod(0o600)
    given = {
        "POSTROAD_DATA_DIR": str(tmp_path),
        "POSTROAD_DATABASE_URL": "postgresql://me@db/post",
        "POSTROAD_DATABASE_PASSWORD_FILE": "password",
    }
    password = load_settings(environment=given).database.password
    assert password is not None
    assert password.reveal() == "hunter2"
    secret.chmod(0o640)
    with pytest.raises(ConfigInvalid, match="others may read the password file"):
        load_settings(environment=given)


def test_the_summary_names_what_matters_and_what_was_changed(tmp_path: Path) -> None:
    settings = load_settings(flags={"dataDir": str(tmp_path), "retention.exports": "36h", "server.port": "0"})
    assert summary_of(settings) == {
        "dataDir": str(tmp_path),
        "server.host": "127.0.0.1",
        "server.port": "0",
        "database.url": f"sqlite:///{tmp_path}/postroad.db",
        "keys.file": f"{tmp_path}/keys/service-keys.json",
        "artifacts.directory": f"{tmp_path}/artifacts",
        "retention.exports": "36h",
    }


def test_paths_and_variables_are_distinct_and_every_meaning_is_a_sentence() -> None:
    assert len({setting.path for setting in SERVICE_SETTINGS}) == len(SERVICE_SETTINGS)
    assert len({setting.variable for setting in SERVICE_SETTINGS}) == len(SERVICE_SETTINGS)
    assert [setting.path for setting in SERVICE_SETTINGS if not setting.meaning.endswith(".")] == []


def test_settings_can_be_made_by_hand() -> None:
    assert Settings().server.port == 18990
