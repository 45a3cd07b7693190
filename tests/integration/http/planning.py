"""What the tests of schedules over HTTP plan and fire with."""

from typing import Any

import httpx
from tests.builders.service import RunningService

from postroad.kernel.uow import UnitOfWork
from postroad.modules.schedules import Firer, Scheduler, ScheduleView

HOUR = 3_600_000


def read_all(service: RunningService) -> None:
    while service.composition.import_reader.tick():
        pass


def made_job(service: RunningService, operator: httpx.Client) -> str:
    """A job to a made-up audience."""
    begun = operator.post("/audience-imports", json={"count": 2}).json()
    read_all(service)
    audience = operator.post(
        f"/audience-imports/{begun['id']}/commit", json={"name": "People"}, headers={"if-match": '"2"'}
    ).json()
    config = {"baseUrl": "https://api.example.com/v1"}
    account = operator.post("/accounts", json={"providerId": "http", "name": "Shop", "config": config})
    content = {"path": "/send", "bodyTemplate": {"to": "{{ name }}"}}
    message = operator.post("/messages", json={"providerId": "http", "name": "Hello", "content": content})
    job = operator.post(
        "/jobs",
        json={
            "name": "Welcome",
            "accountId": account.json()["id"],
            "messageId": message.json()["id"],
            "audienceId": audience["id"],
        },
    )
    assert job.status_code == 201, job.text
    return str(job.json()["id"])


def planned(client: httpx.Client, job_id: str, **body: Any) -> Any:
    asked = {"name": "Mornings", "jobId": job_id, "timezone": "Europe/Berlin", "cron": "0 8 * * mon-fri", **body}
    answer = client.post("/schedules", json={name: value for name, value in asked.items() if value is not None})
    assert answer.status_code == 201, answer.text
    return answer.json()


class Starts:
    def __init__(self) -> None:
        self.fired: list[tuple[str, int]] = []
        self.refuse: Exception | None = None

    def fire(self, uow: UnitOfWork, schedule: ScheduleView, fire_at_ms: int) -> str:
        if self.refuse is not None:
            raise self.refuse
        self.fired.append((schedule.job_id, fire_at_ms))
        return f"run-{len(self.fired)}"


def scheduler(service: RunningService, starts: Firer) -> Scheduler:
    return service.composition.scheduler_over(service.database, starts)
