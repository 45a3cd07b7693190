"""The example of the page is a file that the service starts with."""

from pathlib import Path

from tests.builders.pages import DOCS, blocks

from postroad.foundation.service_settings import load_settings


def test_the_example_of_the_settings_page_loads(tmp_path: Path) -> None:
    (example,) = blocks(DOCS / "reference" / "service-settings.md", "yaml")
    (tmp_path / "postroad.yaml").write_text(example, encoding="utf-8")
    password = tmp_path / "database-password"
    password.write_text("hunter2\n", encoding="utf-8")
    password.chmod(0o600)
    settings = load_settings(environment={"POSTROAD_DATA_DIR": str(tmp_path)})
    assert settings.server.public_base_url == "https://postroad.example.org"
    assert settings.database.password is not None
    assert settings.retention.results_s == 30 * 86_400
