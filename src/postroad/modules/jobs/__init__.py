"""Jobs: account, message, audience and policies under a name that is unique in its workspace.

Owns the table `jobs`.

- Account, message and audience of a job that is kept were there, active, and fit each other; they cannot be archived
  while a job that is not archived refers to them.
- Policies are kept as a job file says them, with every default written out.
- A change names the version it started from. Archiving refuses while a schedule or a run needs the job.
- The mark for the open API is off unless someone sets it, with the number of people one call may reach.

Publishes job.changed.
"""

from postroad.modules.jobs.commands import (
    KEEP,
    JobChange,
    Keep,
    NewJob,
    archive_job,
    change_job,
    copy_job,
    create_job,
)
from postroad.modules.jobs.model import (
    Job,
    JobFilter,
    JobStatus,
    OpenApiMark,
    Sending,
    checked_policies,
    default_policies,
)
from postroad.modules.jobs.ports import (
    AccountRef,
    AudienceRef,
    JobNeeds,
    JobReferences,
    JobUse,
    JobUses,
    MessageRef,
    Providers,
)
from postroad.modules.jobs.queries import (
    JobList,
    find_job,
    get_job,
    job_to_refer_to,
    jobs_with_account,
    jobs_with_audience,
    jobs_with_message,
    list_jobs,
    lock_job_named,
)

__all__ = [
    "KEEP",
    "AccountRef",
    "AudienceRef",
    "Job",
    "JobChange",
    "JobFilter",
    "JobList",
    "JobNeeds",
    "JobReferences",
    "JobStatus",
    "JobUse",
    "JobUses",
    "Keep",
    "MessageRef",
    "NewJob",
    "OpenApiMark",
    "Providers",
    "Sending",
    "archive_job",
    "change_job",
    "checked_policies",
    "copy_job",
    "create_job",
    "default_policies",
    "find_job",
    "get_job",
    "job_to_refer_to",
    "jobs_with_account",
    "jobs_with_audience",
    "jobs_with_message",
    "list_jobs",
    "lock_job_named",
]
