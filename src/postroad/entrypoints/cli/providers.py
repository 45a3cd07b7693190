"""`postroad providers list` and `postroad providers show`."""

from typing import Annotated

import typer

from postroad.entrypoints.cli import options as opt
from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.texts import say


def commands() -> typer.Typer:
    group = typer.Typer(
        name="providers", help=say("The channels this installation can send through."), no_args_is_help=True
    )
    group.command("list", help=say("List the channels."))(list_all)
    group.command(help=say("Show one channel: its fields, limits and abilities."))(show)
    return group


def list_all(context: typer.Context, *, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.show import providers as shown

    composition: Composition = context.obj
    shown.table(composition.descriptors(), as_json=as_json)


def show(
    context: typer.Context,
    *,
    provider: Annotated[str, typer.Argument(metavar="ID", help=say("Id of the channel, such as smtp."))],
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.show import providers as shown
    from postroad.vocabulary.errors import ProviderUnknown

    composition: Composition = context.obj
    descriptors = composition.descriptors()
    if provider not in descriptors:
        known = ", ".join(descriptors)
        raise ProviderUnknown(
            say("there is no channel `{provider}`; there are: {known}", provider=provider, known=known)
        )
    shown.one(descriptors[provider], as_json=as_json)
