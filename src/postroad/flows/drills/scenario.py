"""What a drill sends, to what kind of receiver, in what weather. A scenario writes the job file and the spreadsheet."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from postroad.flows.drills.receivers.weather import Fate
from postroad.flows.drills.spreadsheet import write_people

Job = Mapping[str, object]

_ROUGH: Mapping[Fate, float] = {
    Fate.THROTTLE: 0.004,
    Fate.UNAVAILABLE: 0.03,
    Fate.ERROR: 0.01,
    Fate.CUT_EARLY: 0.005,
    Fate.CUT_BEFORE: 0.005,
    Fate.CUT_AFTER: 0.005,
    Fate.SLOW: 0.50,
}
_ROUGH_MAIL: Mapping[Fate, float] = {**_ROUGH, Fate.REJECT: 0.01}
_ROUGH_BATCH: Mapping[Fate, float] = {Fate.CUT_BEFORE: 0.02, Fate.CUT_AFTER: 0.02, Fate.SLOW: 0.50}

_PATIENT = {"maxAttempts": 8, "initial": "100ms", "multiplier": 2, "maxDelay": "1s"}


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    receiver: str
    """Kind of receiver: http, smtp or batch."""
    odds: Mapping[Fate, float]
    identity: str
    """Column of the spreadsheet that the receiver counts by."""
    per_send: int
    """The most recipients one attempt carries."""
    concurrency: int
    people: int
    workers: int = 1
    lasts_s: float = 4.0
    """How long its rate makes a send take that nothing disturbs."""
    slow_for_s: float = 0.15
    """How long a slow message is in the receiver's hands: so that kills meet some in flight."""
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def rate(self) -> int:
        return round(self.people / self.lasts_s)

    def write(self, folder: Path, port: int) -> Path:
        """Writes `people.csv` and `job.json` (JSON is YAML) into `folder`; returns the job file."""
        write_people(folder / "people.csv", self.people)
        job = {
            "name": f"drill-{self.name}",
            **_CHANNELS[self.receiver](port),
            "audience": {
                "file": "people.csv",
                "mapping": {"id": "编号", "name": "姓名", "phone": "手机号", "email": "邮箱"},
            },
            "policies": {"concurrency": self.concurrency, "rate": f"{self.rate}/s", "retry": _PATIENT},
        }
        path = folder / "job.yaml"
        path.write_text(json.dumps(job, ensure_ascii=False, indent=2), encoding="utf-8")
        return path


def _http(port: int) -> Job:
    body = {"id": "{{ id }}", "text": "您好 {{ name }}"}
    return {
        "provider": "http",
        "account": {"baseUrl": f"http://127.0.0.1:{port}"},
        "message": {"method": "POST", "path": "/messages", "bodyTemplate": body},
    }


def _smtp(port: int) -> Job:
    return {
        "provider": "smtp",
        "account": {
            "host": "127.0.0.1",
            "port": port,
            "security": "none",
            "from": "Drill <drill@example.org>",
            "deferredRetrySeconds": 1,
        },
        "message": {"subject": "您好 {{ name }}", "text": "{{ name }}, this is a drill."},
    }


def _batch(port: int) -> Job:
    return {
        "provider": "aliyun_sms",
        "account": {
            "endpoint": f"http://127.0.0.1:{port}",
            "accessKeyId": "drill",
            "accessKeySecret": {"$secret": "DRILL_KEY"},
        },
        "message": {
            "phone": "{{ phone }}",
            "signName": "演练",
            "templateCode": "SMS_1",
            "templateParam": {"name": "{{ name }}"},
            "previewText": "您好 ${name}",
            "batch": True,
        },
    }


_CHANNELS = {"http": _http, "smtp": _smtp, "batch": _batch}

_KEY = {"POSTROAD_SECRET_DRILL_KEY": "drill"}

SCENARIOS: Mapping[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario("http", "http", _ROUGH, "编号", 1, 32, 1500),
        Scenario("workers", "http", _ROUGH, "编号", 1, 32, 1500, workers=2),
        Scenario("smtp", "smtp", _ROUGH_MAIL, "邮箱", 1, 8, 1000),
        Scenario("batch", "batch", _ROUGH_BATCH, "手机号", 100, 4, 4000, environment=_KEY),
    )
}
