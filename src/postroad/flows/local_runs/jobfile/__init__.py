"""The job file: YAML as a person writes it, into a `Job` that is checked, or into every problem it has at once."""

from postroad.flows.local_runs.jobfile.amounts import describe_rate
from postroad.flows.local_runs.jobfile.job import AudienceRequest, Job, read_audience, read_job
from postroad.flows.local_runs.jobfile.policies import Policies
from postroad.flows.local_runs.jobfile.problems import JobInvalid

__all__ = ["AudienceRequest", "Job", "JobInvalid", "Policies", "describe_rate", "read_audience", "read_job"]
