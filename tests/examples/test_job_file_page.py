"""The job file of docs/reference/job-file.md is one that the program reads."""

import re
from pathlib import Path

from postroad.jobfile import read_job
from postroad.spi import Rate

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "job-file.md"


def test_the_example_of_the_page_is_a_whole_job(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "job.yaml").write_text(text, encoding="utf-8")
    job = read_job(tmp_path / "job.yaml")
    assert (job.name, job.provider, job.audience.key) == ("welcome", "http", "email")
    assert job.policies.rates == {"account": Rate(100, 1), "domain:gmail.com": Rate(20, 60)}
    assert (job.policies.concurrency_target, job.policies.max_attempts) == (20, 5)
