"""The job file: YAML as a person writes it, into a `Job` that is checked, or into every problem it has at once.

The same words hold for a job that is kept by the service: its policies are read and written here, so that a job means
the same in a folder and in the database. Pure, but for the one file that `read_job` is given.
"""

from postroad.jobfile.amounts import describe_duration, describe_rate, parse_duration, parse_rate
from postroad.jobfile.job import AudienceRequest, Job, job_of, read_audience, read_job
from postroad.jobfile.policies import Policies, read_policies
from postroad.jobfile.problems import Findings, JobInvalid, join, shape_of

__all__ = [
    "AudienceRequest",
    "Findings",
    "Job",
    "JobInvalid",
    "Policies",
    "describe_duration",
    "describe_rate",
    "job_of",
    "join",
    "parse_duration",
    "parse_rate",
    "read_audience",
    "read_job",
    "read_policies",
    "shape_of",
]
