"""The question before a live send."""

from enum import Enum

from rich.text import Text

from postroad.entrypoints.cli.show import console
from postroad.entrypoints.cli.texts import say


class Choice(Enum):
    SEND = "y"
    STOP = "n"
    TEST = "t"


def ask(*, can_test: bool) -> Choice:
    """Blocks for an answer; an empty line, the end of input and anything unclear send nothing."""
    question = say("Send now? [y]es, [t]est to yourself first, [N]o: ") if can_test else say("Send now? [y]es, [N]o: ")
    try:
        answer = console.people.input(Text(question, style="bold")).strip().lower()
    except EOFError:
        return Choice.STOP
    if answer in ("y", "yes", "是", "发送"):
        return Choice.SEND
    if can_test and answer in ("t", "test", "测试"):
        return Choice.TEST
    return Choice.STOP


def ask_field(name: str) -> str:
    return console.people.input(f"  {name}: ").strip()
