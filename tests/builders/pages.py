"""Pages of the documentation as a reader uses them: the files they name written out, their commands run."""

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from postroad.app.main import run

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
POSTROAD = str(Path(sys.executable).parent / "postroad")

_NAMED = re.compile(r"^`([^`\s]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of one language, in order."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", text_of(page), re.DOTALL | re.MULTILINE)
    return [str(block) for block in found]


def commands(page: Path) -> list[str]:
    """The lines of all shell blocks, in order; a line that ends in a backslash goes on."""
    lines: list[str] = []
    for block in blocks(page, "sh"):
        lines += block.replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip()]


def named_files(page: Path) -> dict[str, str]:
    """Files that the page shows under their name: a line with the name in backquotes and a colon, then a block."""
    return {str(name): str(content) for name, content in _NAMED.findall(text_of(page))}


@dataclass
class Reader:
    """Somebody who follows a page in `folder`, with a home of their own.

    `is_installed`: with the installed program, a process for each command; else in this process, which is quicker.
    """

    folder: Path
    is_installed: bool = True
    extra: Mapping[str, str] = field(default_factory=dict)

    def write(self, files: Mapping[str, str], changed: Mapping[str, str] | None = None) -> None:
        """Writes files; `changed` replaces texts in all of them, such as a port."""
        for name, content in files.items():
            for old, new in (changed or {}).items():
                content = content.replace(old, new)
            (self.folder / name).write_text(content, encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "POSTROAD_HOME": str(self.folder / ".home"), "POSTROAD_LANG": "en", **self.extra}

    def arguments(self, command: str) -> list[str]:
        """The words of a command line; a send that asks is answered with yes, as a script answers it."""
        words = shlex.split(command)
        assert words[0] == "postroad", command
        asks = words[1] == "send" and not {"--dry-run", "--yes", "--confirm"} & set(words)
        return [POSTROAD, *words[1:], *(["--yes"] if asks else [])]

    def run(self, command: str, expected: int = 0) -> str:
        """What the command wrote, standard output last. Asserts the exit code."""
        command, _, into = command.partition(" > ")
        arguments = self.arguments(command)
        code, out, complaints = self._as_process(arguments) if self.is_installed else self._here(arguments[1:])
        said = complaints + out
        assert code == expected, f"{command}: {code}\n{said}"
        assert "Traceback" not in said
        if into:
            (self.folder / into).write_text(out, encoding="utf-8")
        return said

    def _as_process(self, arguments: list[str]) -> tuple[int, str, str]:
        done = subprocess.run(
            arguments, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    def _here(self, arguments: list[str]) -> tuple[int, str, str]:
        out, complaints = io.StringIO(), io.StringIO()
        with ExitStack() as stack:
            stack.enter_context(chdir(self.folder))
            stack.enter_context(patch.dict(os.environ, self.environment))
            stack.enter_context(redirect_stdout(out))
            stack.enter_context(redirect_stderr(complaints))
            code = run(arguments)
        return code, out.getvalue(), complaints.getvalue()

    def start(self, command: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            self.arguments(command),
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
