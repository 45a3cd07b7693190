"""Options that several commands share, so that one word means one thing everywhere."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from postroad.entrypoints.cli.texts import say
from postroad.vocabulary.outcomes import Outcome

_AUDIENCE = say("Audience")
_PACE = say("Pace")

JobFile = Annotated[Path, typer.Argument(metavar="JOB", help=say("Job file (YAML); `postroad init` writes one."))]
MaybeJobFile = Annotated[
    Path | None, typer.Argument(metavar="JOB", help=say("Job file (YAML); `postroad init` writes one."))
]
Secrets = Annotated[
    Path | None,
    typer.Option("--secrets", metavar="FILE", help=say("File of `name: value` secrets that only you can read (0600).")),
]
AsJson = Annotated[bool, typer.Option("--json", help=say("Print one JSON object as the last line."))]

Audience = Annotated[
    Path | None,
    typer.Option(
        "--audience",
        metavar="FILE",
        help=say("Spreadsheet of the recipients: CSV, TSV, TXT, XLSX or JSONL."),
        rich_help_panel=_AUDIENCE,
    ),
]
Count = Annotated[
    int | None,
    typer.Option("--count", min=1, metavar="N", help=say("N made-up recipients."), rich_help_panel=_AUDIENCE),
]
Query = Annotated[
    str | None,
    typer.Option(
        "--query",
        metavar="SQL",
        help=say("Recipients from one SELECT, read in a read-only transaction; goes with --database."),
        rich_help_panel=_AUDIENCE,
    ),
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help=say("Where --query reads: sqlite:///file.db or postgresql://user@host/name; no password in it."),
        rich_help_panel=_AUDIENCE,
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        metavar="FIELD",
        help=say("Field by which duplicates are found; the first row wins."),
        rich_help_panel=_AUDIENCE,
    ),
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", metavar="NAME", help=say("Sheet of an XLSX file."), rich_help_panel=_AUDIENCE)
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", metavar="NAME", help=say("Encoding, where the guess is wrong."), rich_help_panel=_AUDIENCE
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter", metavar="CHAR", help=say("Delimiter, where the guess is wrong."), rich_help_panel=_AUDIENCE
    ),
]
Maps = Annotated[
    list[str] | None,
    typer.Option(
        "--map", metavar="FIELD=COLUMN", help=say("Which column a field comes from."), rich_help_panel=_AUDIENCE
    ),
]
SkipInvalid = Annotated[
    bool,
    typer.Option("--skip-invalid", help=say("Leave rejected rows out and go on."), rich_help_panel=_AUDIENCE),
]
ErrorsFile = Annotated[
    Path | None,
    typer.Option(
        "--errors", metavar="FILE", help=say("Where to write the rejected rows as CSV."), rich_help_panel=_AUDIENCE
    ),
]
AcceptedFile = Annotated[
    Path | None,
    typer.Option(
        "--accepted", metavar="FILE", help=say("Where to write the accepted rows as CSV."), rich_help_panel=_AUDIENCE
    ),
]


class Again(StrEnum):
    """Whom a linked new send goes to."""

    failed = "failed"
    unsent = "unsent"
    unknown = "unknown"


Target = Annotated[
    Path | None, typer.Argument(metavar="JOB|FOLDER", help=say("Job file; with --only the folder of a past send."))
]
Resume = Annotated[Path | None, typer.Option("--resume", metavar="FOLDER", help=say("Go on with an unfinished send."))]
Only = Annotated[
    list[Again] | None,
    typer.Option(
        "--only",
        metavar="failed|unsent|unknown",
        help=say("A new send to those of a past send who came to this; may be given twice."),
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="FOLDER", help=say("Folder of the send; else named by date and job."))
]
DryRun = Annotated[bool, typer.Option("--dry-run", help=say("Render the whole audience and send nothing."))]
Yes = Annotated[bool, typer.Option("--yes", "-y", help=say("Send without asking."))]
Confirm = Annotated[
    str | None, typer.Option("--confirm", metavar="HASH", help=say("Send if this is the hash of the dry run."))
]
SendAgain = Annotated[bool, typer.Option("--again", help=say("Send although the very same was sent before."))]
Workers = Annotated[
    int,
    typer.Option(
        "--workers", min=1, max=64, metavar="N", help=say("Processes that share the send."), rich_help_panel=_PACE
    ),
]
Rate = Annotated[
    str | None, typer.Option("--rate", metavar="N/s", help=say("Rate, such as 50/s or 20/min."), rich_help_panel=_PACE)
]
Concurrency = Annotated[
    int | None,
    typer.Option("--concurrency", min=1, metavar="N", help=say("Sends at once."), rich_help_panel=_PACE),
]


def audience_overrides(
    audience: Path | None,
    count: int | None,
    *,
    database: str | None = None,
    query: str | None = None,
    key: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    maps: list[str] | None = None,
    skip_invalid: bool = False,
) -> dict[str, object]:
    """The options as dotted fields of a job file; those not given are left out. Raises typer.BadParameter."""
    given: dict[str, object | None] = {
        "audience.file": str(audience) if audience else None,
        "audience.count": count,
        "audience.key": key,
        "audience.sheet": sheet,
        "audience.encoding": encoding,
        "audience.delimiter": delimiter,
        "audience.skipInvalid": True if skip_invalid else None,
    }
    if (database is None) != (query is None):
        raise typer.BadParameter(say("--query and --database go together"))
    if database is not None:
        if urlsplit(database).password is not None:
            raise typer.BadParameter(
                say("--database holds a password; put the query into the job file and name the secret there")
            )
        given["audience.query"] = {"database": database, "sql": query}
    for pair in maps or []:
        field, separator, column = pair.partition("=")
        if not separator or not field or not column:
            raise typer.BadParameter(say("`--map {pair}` must be FIELD=COLUMN", pair=pair))
        given[f"audience.mapping.{field}"] = column
    return {name: value for name, value in given.items() if value is not None}


def outcomes(only: list[Again]) -> frozenset[Outcome]:
    return frozenset(Outcome[name.value.upper()] for name in only)


def pace_overrides(rate: str | None, concurrency: int | None) -> dict[str, object]:
    """As dotted fields. A concurrency is a target: keys may still move it inside the job's range."""
    given = {"policies.rate": rate, "policies.concurrency": {"target": concurrency} if concurrency else None}
    return {name: value for name, value in given.items() if value is not None}
