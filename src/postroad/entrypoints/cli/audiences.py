"""`postroad audience check`: what an import would make of a file."""

import typer

from postroad.entrypoints.cli import options as opt
from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.texts import say


def commands() -> typer.Typer:
    group = typer.Typer(name="audience", help=say("Look at audiences."), no_args_is_help=True)
    group.command(help=say("Read a spreadsheet as a send would, and say what is in it and what is wrong with it."))(
        check
    )
    return group


def check(
    context: typer.Context,
    *,
    file: opt.Audience = None,
    job: opt.MaybeJobFile = None,
    key: opt.Key = None,
    sheet: opt.Sheet = None,
    encoding: opt.Encoding = None,
    delimiter: opt.Delimiter = None,
    maps: opt.Maps = None,
    errors: opt.ErrorsFile = None,
    accepted: opt.AcceptedFile = None,
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.show import audiences as shown
    from postroad.flows.local_runs import AudienceOrder, check_audience

    composition: Composition = context.obj
    overrides = opt.audience_overrides(
        file, None, key=key, sheet=sheet, encoding=encoding, delimiter=delimiter, maps=maps
    )
    order = AudienceOrder(job, overrides, errors_file=errors, accepted_file=accepted)
    facts = check_audience(order, composition.surroundings())
    shown.facts(facts, as_json=as_json)
    raise typer.Exit(0 if facts.rejected == 0 else 3)
