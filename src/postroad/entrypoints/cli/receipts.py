"""`postroad receipt verify` and `postroad receipt key`."""

from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli import options as opt
from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.texts import say


def commands() -> typer.Typer:
    group = typer.Typer(name="receipt", help=say("Signed statements of what a run did."), no_args_is_help=True)
    group.command(help=say("Check the signature, the sum and the files of a receipt."))(verify)
    group.command(help=say("Print this installation's public key, to hand to those who check its receipts."))(key)
    return group


def verify(
    *,
    receipt: Annotated[
        Path, typer.Argument(metavar="RECEIPT|FOLDER", help=say("receipt.json, or the folder of a send."))
    ],
    public_key: Annotated[
        Path,
        typer.Option("--key", metavar="FILE", help=say("Public key of the installation, from somebody you trust.")),
    ],
    as_json: opt.AsJson = False,
) -> None:
    from postroad.entrypoints.cli.show import receipts as shown
    from postroad.flows.local_runs import verify_receipt

    folder = receipt if receipt.is_dir() else None
    checked = verify_receipt(receipt / "receipt.json" if folder else receipt, public_key, folder)
    shown.check(checked, as_json=as_json)
    raise typer.Exit(0 if checked.ok else 1)


def key(context: typer.Context) -> None:
    from postroad.flows.local_runs import export_public_key

    composition: Composition = context.obj
    typer.echo(export_public_key(composition.home).decode(), nl=False)
