"""Paths that the routes of runs share."""

from typing import Annotated

from postroad.entrypoints.http.conventions import path_part

ALL = "/workspaces/{workspaceId}/runs"
ONE = ALL + "/{runId}"
OF_JOB = "/workspaces/{workspaceId}/jobs/{jobId}"
RunId = Annotated[str, path_part("runId")]
JobId = Annotated[str, path_part("jobId")]
