"""The commands that speak to a running service, in the words of its API.

    access/          who speaks to which service, refusals, names
    administration/  signing in, workspaces, members, users, tokens, audit
    configuration/   accounts, messages, audiences, secrets, files
    sending/         jobs, schedules, runs: start, watch, steer, send again
    pushing/         a job file becomes a job of the service
    transfers/       files there and back
    show/            tables and facts

A command finds what it names, makes one call, and shows the answer; what may be done is decided by the service alone.
With `--json` the answer is passed on as it came.
"""
