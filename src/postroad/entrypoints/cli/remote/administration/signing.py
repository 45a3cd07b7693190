"""`postroad login`, `logout` and `whoami`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from postroad.entrypoints.cli.composition import Composition
from postroad.entrypoints.cli.remote import options as opt
from postroad.entrypoints.cli.remote.access.opening import signed_in
from postroad.entrypoints.cli.texts import say


def add_commands(program: typer.Typer) -> None:
    program.command(help=say("Sign in to a service; with --link make its first administrator or choose a password."))(
        login
    )
    program.command(help=say("End the session at the service and forget it here."))(logout)
    program.command(help=say("Who is signed in, where, and what they may do."))(whoami)


def login(
    context: typer.Context,
    *,
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help=say("Address of the service; else the last one."))
    ] = None,
    link: Annotated[
        str | None, typer.Option("--link", metavar="LINK", help=say("The link that works once, in quotes."))
    ] = None,
    username: Annotated[
        str | None, typer.Option("--username", metavar="NAME", help=say("Who signs in; else it is asked for."))
    ] = None,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help=say("Read the password from standard input, one line."))
    ] = False,
    ca: Annotated[
        Path | None,
        typer.Option("--ca", metavar="FILE", help=say("Authority of a private https:// address, as PEM.")),
    ] = None,
    insecure_http: Annotated[
        bool, typer.Option("--insecure-http", help=say("Accept that the password crosses the network readably."))
    ] = False,
) -> None:
    from postroad.entrypoints.cli.remote.access.addresses import one_time_link
    from postroad.entrypoints.cli.remote.administration import signing_in

    composition: Composition = context.obj
    opened = one_time_link(link) if link is not None else None
    ask = signing_in.Ask(url, opened, username, password_stdin, str(ca.resolve()) if ca else "", insecure_http)
    signing_in.sign_in(ask, composition.home, composition.egress, os.environ)


def logout(context: typer.Context) -> None:
    from postroad.entrypoints.cli.remote.administration import signing_in

    composition: Composition = context.obj
    signing_in.sign_out(composition.home, composition.egress)


def whoami(context: typer.Context, *, as_json: opt.AsJson = False) -> None:
    from postroad.entrypoints.cli.remote.administration.standing import tell_standing

    with signed_in(context) as service:
        tell_standing(service, as_json=as_json)
