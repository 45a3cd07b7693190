"""Pushing a job file to the service: account, message and job by name, in one transaction, as often as one likes."""

from postroad.flows.job_push.ports import AccountSetter, PushNeeds
from postroad.flows.job_push.pushing import PushAsk, Pushed, PushResult, push_job

__all__ = ["AccountSetter", "PushAsk", "PushNeeds", "PushResult", "Pushed", "push_job"]
