"""What whoever starts the service reads."""

from postroad.entrypoints.cli.composition import Started
from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say


def started(about: Started) -> None:
    console.tell(say("Postroad listens at {url}", url=about.url), "bold green")
    if about.setup_link:
        console.tell(say("Nobody can sign in yet. Make the first administrator, once, within a day:"), "yellow")
        console.tell(f"  {about.setup_link}")
    if about.key_file_is_new:
        console.tell(say("New keys. Without this file stored secrets cannot be read; back it up apart:"), "yellow")
        console.tell(f"  {about.key_file}")
    console.tell(say("Settings that hold:"), "dim")
    for name, value in about.summary.items():
        console.tell(f"  {name}: {value}", "dim")
    console.tell(say("Ctrl-C stops it cleanly."), "dim")
