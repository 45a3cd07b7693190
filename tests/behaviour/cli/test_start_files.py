"""The job files that `postroad init` writes are jobs: filled with secrets and people, they pass a dry run."""

import pytest
from tests.behaviour.cli.office import Office

from postroad.providers import BUILTIN

PEOPLE = {
    "en": "phone,name,email,code,number,customer,item\n13800138000,Li,li@example.org,1234,1,Li,tea\n",
    "zh": "手机号,姓名,邮箱,取件码,订单号,客户,商品\n13800138000,李,li@example.org,1234,1,李,茶\n",
}
SECRETS = """api-token: x
mail-password: x
aliyun-key: x
orders-robot: https://open.feishu.cn/open-apis/bot/v2/hook/x
orders-robot-sign: x
"""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("provider", BUILTIN)
def test_a_start_file_passes_a_dry_run(office: Office, provider: str, language: str) -> None:
    office.folder.joinpath("people.csv").write_text(PEOPLE[language], encoding="utf-8")
    secrets = office.folder / "secrets.yaml"
    secrets.write_text(SECRETS)
    secrets.chmod(0o600)
    assert office.run("--lang", language, "init", provider, "--out", "job.yaml").code == 0
    said = office.run(
        "send", "job.yaml", "--audience", "people.csv", "--secrets", "secrets.yaml", "--dry-run", "--json"
    )
    assert said.code == 0, said.err
    assert (said.last_object["rendered"], said.last_object["ok"]) == (1, True)


@pytest.mark.parametrize("provider", BUILTIN)
def test_every_channel_can_be_shown(office: Office, provider: str) -> None:
    assert f"({provider} " in office.run("providers", "show", provider).out
    assert office.run("providers", "show", provider, "--json").last_object["providerId"] == provider
    assert provider in office.run("providers", "list").out
