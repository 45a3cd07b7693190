"""A frozen plan with defaults, for tests."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import postroad
from postroad.flows.local_runs.keeping.plan import AudienceRecord, SendPlan
from postroad.jobfile import Policies
from postroad.spi import ConfigDocument


def a_plan(**changes: Any) -> SendPlan:
    plan = SendPlan(
        run_id="run-1",
        name="welcome",
        provider_id="http",
        provider_version="1.0",
        engine_version=postroad.__version__,
        audience=AudienceRecord("ab" * 32, 12, 10, 1, 1),
        account=ConfigDocument.of("http/account", "1", {"baseUrl": "http://127.0.0.1:1"}),
        message=ConfigDocument.of("http/message", "1", {"body": {"to": "{{ name }}"}}),
        policies=Policies(),
        endpoints=("127.0.0.1:1",),
        base=Path("/jobs"),
        shards=((0, 5), (5, 10)),
        frozen_at_ms=1_700_000_000_000,
    )
    return replace(plan, **changes)
