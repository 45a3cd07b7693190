"""Makes the terminal pictures of the READMEs and the tutorial: `python docs/pictures/make.py [NAME …]`.

Each picture is what the installed program wrote to a terminal of 96 columns while it did what the tutorial tells: the
files are those of the tutorial page, its receiver listens on 127.0.0.1:8025, the demonstration is the real one. The
temporary folder in front of paths is shortened, nothing else. `pipeline.svg` is drawn by hand and not touched.
"""

import contextlib
import io
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from fcntl import ioctl
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).resolve().parent
TUTORIAL = HERE.parent / "tutorial" / "first-send.md"
POSTROAD = str(Path(sys.executable).parent / "postroad")
COLUMNS, LINES = 96, 400
LANGUAGES = {"en": "", "zh": ".zh"}
_MOVE = re.compile(r"\x1b\[(\d*)A|\x1b\[2K|\x1b\[\?25[lh]|\x1b\[\?\d+[hl]")

_FORM = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{
        font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, "Noto Sans Mono CJK SC", monospace;
        font-size: {char_height}px;
        line-height: {line_height}px;
        font-variant-east-asian: full-width;
    }}
    .{unique_id}-title {{ font-size: 15px; font-family: system-ui, sans-serif; }}
    {styles}
    </style>
    <defs>
    <clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
    </defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""


class Screen:
    """Enough of a terminal for what Rich writes: lines, going up, clearing a line."""

    def __init__(self) -> None:
        self.lines = [""]
        self._at = 0

    def write(self, text: str) -> None:
        at = 0
        for found in re.finditer(r"\r\n|\n|\r|" + _MOVE.pattern, text):
            self._put(text[at : found.start()])
            at = found.end()
            self._control(found[0], found[1])
        self._put(text[at:])

    def _put(self, text: str) -> None:
        self.lines[self._at] += text

    def _control(self, code: str, up: str | None) -> None:
        if code.endswith("\n"):
            self._at += 1
            if self._at == len(self.lines):
                self.lines.append("")
        elif code.endswith("A"):
            self._at = max(0, self._at - int(up or "1"))
        elif code == "\x1b[2K":
            self.lines[self._at] = ""


class Session:
    """One command of the program in a terminal; `screen` holds what a person would see."""

    def __init__(self, arguments: Sequence[str], folder: Path, language: str) -> None:
        self.screen = Screen()
        self._kept = b""
        self.process, self._master = self._start(arguments, folder, language)

    def _start(self, arguments: Sequence[str], folder: Path, language: str) -> tuple["subprocess.Popen[bytes]", int]:
        master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        environment = {
            **os.environ,
            "PATH": os.pathsep.join([str(Path(POSTROAD).parent), os.environ.get("PATH", os.defpath)]),
            "POSTROAD_HOME": str(folder / ".home"),
            "POSTROAD_LANG": language,
            "TERM": "xterm-256color",
            "COLUMNS": str(COLUMNS),
        }
        process = subprocess.Popen(  # noqa: S603  (docs: the command is a list, no shell parses it; until 2027-11-30)
            [POSTROAD, *arguments], cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave
        )
        os.close(slave)
        return process, master

    def read(self, until_s: float | None = None) -> None:
        """Reads to the end, or for `until_s` seconds."""
        end = None if until_s is None else time.monotonic() + until_s
        while end is None or time.monotonic() < end:
            if not select.select([self._master], [], [], 0.1)[0]:
                continue
            try:
                piece = os.read(self._master, 65_536)
            except OSError:
                piece = b""
            if not piece:
                break
            self._kept += piece
        self.screen = Screen()
        self.screen.write(self._kept.decode(errors="replace"))

    def answer(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> None:
        self.read()
        self.process.wait()
        os.close(self._master)


def save(name: str, title: str, lines: Sequence[str], folder: Path) -> None:
    """Writes one picture. Blank lines at both ends go, paths lose the temporary folder."""
    shown = [line.replace(str(folder), "~/orders").rstrip() for line in lines]
    while shown and not Text.from_ansi(shown[0]).plain.strip():
        shown.pop(0)
    while shown and not Text.from_ansi(shown[-1]).plain.strip():
        shown.pop()
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for line in shown:
        console.print(Text.from_ansi(line), soft_wrap=False)
    target = HERE / f"{name}.svg"
    target.write_text(console.export_svg(title=title, code_format=_FORM, unique_id=name.replace(".", "-")), "utf-8")
    sys.stdout.write(f"{target}\n")


@contextlib.contextmanager
def tutorial() -> Iterator[Path]:
    """A folder with the files of the tutorial, and its receiver running."""
    named = re.findall(r"^`([^`\s]+)`:\n\n```\w+\n(.*?)^```$", TUTORIAL.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    with tempfile.TemporaryDirectory(prefix="orders-") as name:
        folder = Path(name)
        for file, content in named:
            (folder / file).write_text(content, encoding="utf-8")
        receiver = subprocess.Popen([sys.executable, str(folder / "receiver.py")], cwd=folder)  # noqa: S603  (docs: the command is a list, no shell parses it; until 2027-11-30)
        try:
            time.sleep(1.0)
            if receiver.poll() is not None:
                sys.exit("127.0.0.1:8025 is taken; the tutorial's receiver needs it")
            yield folder
        finally:
            receiver.kill()
            receiver.wait()


def plain(name: str, arguments: Sequence[str], folder: Path, language: str) -> None:
    """A command from its start to its end."""
    session = Session(arguments, folder, language)
    session.end()
    command = "$ postroad " + " ".join(arguments)
    save(name, "postroad", [command, *session.screen.lines], folder)


def dry_run(language: str, suffix: str) -> None:
    with tutorial() as folder:
        plain(f"dry-run{suffix}", ["send", "orders.yaml", "--dry-run"], folder, language)


def ending(language: str, suffix: str) -> None:
    with tutorial() as folder:
        plain(f"ending{suffix}", ["send", "orders.yaml", "--out", "sends/first", "--yes"], folder, language)


def sending(language: str, suffix: str) -> None:
    """The screen in the middle of the larger send, which is then cancelled."""
    with tutorial() as folder:
        arguments = ["send", "many.yaml", "--out", "sends/many", "--rate", "150/s"]
        session = Session([*arguments, "--yes"], folder, language)
        session.read(until_s=9.0)
        lines = list(session.screen.lines)
        session.process.send_signal(signal.SIGINT)
        session.end()
        save(f"sending{suffix}", "postroad", ["$ postroad " + " ".join(arguments), *lines], folder)


def demo(language: str, suffix: str) -> None:
    with tempfile.TemporaryDirectory(prefix="demo-") as name:
        folder = Path(name)
        session = Session(["demo", "--folder", str(folder / "demo")], folder, language)
        session.end()
        save(f"demo{suffix}", "postroad demo", ["$ make demo", *session.screen.lines], folder)


PICTURES = {"dry-run": dry_run, "ending": ending, "sending": sending, "demo": demo}


def main(names: Sequence[str]) -> None:
    for name in names or PICTURES:
        for language, suffix in LANGUAGES.items():
            PICTURES[name](language, suffix)


if __name__ == "__main__":
    main(sys.argv[1:])
