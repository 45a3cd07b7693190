from pathlib import Path

import pytest

from postroad.jobfile import AudienceRequest, Job, JobInvalid, Policies, job_of, read_job
from postroad.spi import Rate
from postroad.vocabulary.errors import ConfigInvalid

JOB = """
name: welcome
provider: http
account:
  baseUrl: https://example.org
  auth: {type: bearer, token: {$secret: api-token}}
message: {path: /send, body: {to: "{{ name }}"}}
audience: {file: people.csv, key: email}
policies:
  concurrency: 50
  rate: {account: 100/s, "domain:Gmail.com": 20/min}
  retry: {maxAttempts: 5, initial: 2s, maxDelay: 5m, afterSent: never}
  timeout: {item: 10m, send: PT5S}
  maxPause: 1h
  onMaxPause: resume
"""


def _read(tmp_path: Path, text: str, **overrides: object) -> Job:
    (tmp_path / "job.yaml").write_text(text, encoding="utf-8")
    return read_job(tmp_path / "job.yaml", {key.replace("__", "."): value for key, value in overrides.items()})


def test_a_whole_job_is_read(tmp_path: Path) -> None:
    job = _read(tmp_path, JOB)
    assert (job.name, job.provider, job.audience.file, job.audience.key) == (
        "welcome",
        "http",
        tmp_path / "people.csv",
        "email",
    )
    assert job.policies == Policies(
        concurrency_max=50,
        concurrency_target=50,
        rates={"account": Rate(100, 1), "domain:gmail.com": Rate(20, 60)},
        max_attempts=5,
        initial_s=2,
        max_delay_s=300,
        retry_after_sent=False,
        item_timeout_s=600,
        send_timeout_s=5,
        max_pause_s=3600,
        on_max_pause_cancel=False,
    )


def test_policies_read_back_from_their_canonical_form(tmp_path: Path) -> None:
    policies = _read(tmp_path, JOB).policies
    assert Policies.of(policies.canonical()) == policies
    assert Policies.of(Policies().canonical()) == Policies()


def test_every_problem_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    text = "provder: http\nmessage: {}\naudience: {file: a.csv, count: 3}\n"
    text += "policies:\n  rate: 5\n  retry: {maxAttempt: 0}\n"
    with pytest.raises(JobInvalid) as caught:
        _read(tmp_path, text)
    fields = [problem.field for problem in caught.value.problems]
    assert fields == ["provder", "provider", "audience", "policies.rate", "policies.retry.maxAttempt"]
    assert "provder (line 1): is not a field of a job; did you mean `provider`?" in caught.value.message
    assert "policies.rate (line 5): a rate needs a time" in caught.value.message
    assert "did you mean `maxAttempts`?" in caught.value.message


def test_snake_case_finds_its_camel_case_name(tmp_path: Path) -> None:
    with pytest.raises(JobInvalid, match="did you mean `skipInvalid`"):
        _read(tmp_path, "provider: http\nmessage: {}\naudience: {count: 1, skip_invalid: true}")


def test_overrides_win_and_keep_dots_of_domains(tmp_path: Path) -> None:
    job = _read(
        tmp_path,
        JOB,
        **{"policies__rate__domain:qq__com": "1/s", "policies.concurrency": 7, "audience.count": 3, "name": "other"},
    )
    assert job.policies.rates["domain:qq.com"] == Rate(1, 1)
    assert job.policies.rates["account"] == Rate(100, 1)
    assert (job.policies.concurrency_target, job.audience.count, job.audience.file, job.name) == (7, 3, None, "other")


def test_an_overriding_file_lies_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    job = read_job(None, {"provider": "http", "message": {}, "audience.file": "x.csv"})
    assert job.audience.file == tmp_path / "x.csv"
    assert job.name == "send"


@pytest.mark.parametrize(
    ("rest", "field"),
    [
        ("audience: {count: 0}", "audience.count"),
        ("audience: {count: true}", "audience.count"),
        ("audience: {}", "audience"),
        ("audience: {file: 12}", "audience.file"),
        ("audience: {file: a.csv, quote: '<<'}", "audience.quote"),
        ("audience: {file: a.csv, headerRow: first}", "audience.headerRow"),
        ("audience: {query: {database: x, sql: ''}}", "audience.query.database"),
        ("audience: {query: {database: 'sqlite:///a', sql: 'select 1', password: clear}}", "audience.query.password"),
        ("audience: {count: 1, mapping: {mobile: 3}}", "audience.mapping.mobile"),
        ("audience: {count: 1}\npolicies: {concurrency: {min: 5, max: 2}}", "policies.concurrency"),
        ("audience: {count: 1}\npolicies: {concurrency: 0}", "policies.concurrency"),
        ("audience: {count: 1}\npolicies: {rate: {planet: 1/s}}", "policies.rate.planet"),
        ("audience: {count: 1}\npolicies: {timeout: {item: 5}}", "policies.timeout.item"),
        ("audience: {count: 1}\npolicies: {onMaxPause: stop}", "policies.onMaxPause"),
        ("audience: {count: 1}\npolicies: fast", "policies"),
        ("audience: {count: 1}\nname: a/b", "name"),
        ("audience: {count: 1}\naccount: {token: {$secret: a, more: b}}", "account.token"),
        ("audience: {count: 1}\naccount: [1]", "account"),
    ],
)
def test_a_wrong_value_is_named_by_its_field(tmp_path: Path, rest: str, field: str) -> None:
    with pytest.raises(JobInvalid) as caught:
        _read(tmp_path, f"provider: http\nmessage: {{}}\n{rest}\n")
    assert caught.value.field == field


def test_a_file_may_say_where_its_header_is_and_that_quotes_are_text(tmp_path: Path) -> None:
    job = _read(tmp_path, "provider: http\nmessage: {}\naudience: {file: a.csv, headerRow: 3, quote: ''}\n")
    assert (job.audience.header_row, job.audience.quote) == (3, "")


def test_a_file_query_lies_beside_the_job(tmp_path: Path) -> None:
    text = "provider: http\nmessage: {}\naudience: {query: {database: 'sqlite:///crm.db', sql: select 1}}"
    query = _read(tmp_path, text).audience.query
    assert query is not None
    assert query.database == f"sqlite:///{tmp_path / 'crm.db'}"


def test_a_job_file_in_another_encoding_says_so(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_bytes("name: 欢迎".encode("gb18030"))
    with pytest.raises(ConfigInvalid, match="not UTF-8"):
        read_job(tmp_path / "job.yaml")
    with pytest.raises(ConfigInvalid, match="cannot be read"):
        read_job(tmp_path / "missing.yaml")


@pytest.mark.parametrize(
    "database",
    [
        "postgresql://ann:canary@db.example.org/people",
        "postgresql://db.example.org/people?user=ann&password=canary",
        "postgresql://db.example.org/people?pass%77ord=canary",
    ],
)
def test_regression_a_password_in_the_database_url_was_kept_in_the_folder(tmp_path: Path, database: str) -> None:
    text = f"provider: http\nmessage: {{}}\naudience: {{query: {{database: '{database}', sql: SELECT 1}}}}\n"

    with pytest.raises(JobInvalid, match="holds a password") as refused:
        _read(tmp_path, text)

    assert "canary" not in refused.value.message


def test_regression_a_rate_given_beside_the_file_was_said_to_stand_in_its_first_line(tmp_path: Path) -> None:
    with pytest.raises(JobInvalid, match=r"^policies.rate: is not a rate; write a rate such as"):
        _read(tmp_path, JOB, policies__rate="5")


def test_a_job_that_comes_as_a_value_has_no_audience_and_needs_a_name() -> None:
    value = {"name": "news", "provider": "http", "message": {"path": "/"}, "audience": {"file": "people.csv"}}
    job = job_of(value)
    assert (job.name, job.audience, "audience" in job.raw) == ("news", AudienceRequest(), False)
    with pytest.raises(JobInvalid) as refused:
        job_of({"provider": "http", "polices": {}})
    assert [problem.field for problem in refused.value.problems] == ["polices", "name", "message"]
