"""Brings the servers of Debian that these tests talk to: `python -m tests.peers.install`, which `make peers` runs.

What is there already is left alone. The mail server gets no configuration of its own ("No configuration"), so that this
machine does not become one; the tests bring theirs, below a folder that they remove.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAMS = {"nginx": "nginx", "postfix": "postfix", "smtp-sink": "postfix", "wrk": "wrk"}
"""Program → package."""
_SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
_NO_CONFIGURATION = b"postfix postfix/main_mailer_type select No configuration\n"


def find_program(name: str) -> str | None:
    """Where it is; the folders of system programs are looked through even where PATH leaves them out."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:{_SYSTEM_FOLDERS}")


def missing_packages() -> list[str]:
    return sorted({package for program, package in PROGRAMS.items() if find_program(program) is None})


def complaint() -> str:
    """Empty where all is there and this user may start it; else one line with the way out."""
    if missing := missing_packages():
        return f"missing: {', '.join(missing)}; run `make peers` as root on Debian, or install them yourself"
    if os.geteuid() != 0:
        return "a real postfix starts as root only; run `make peers` as root"
    return ""


def install() -> str:
    """Installs what is missing. Returns what `complaint` says afterwards."""
    missing = missing_packages()
    if not missing or os.geteuid() != 0 or not Path("/etc/debian_version").exists():
        return complaint()
    print(f"Installing {', '.join(missing)} …", flush=True)
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    if "postfix" in missing:
        subprocess.run(["debconf-set-selections"], input=_NO_CONFIGURATION, check=False)
    for arguments in ["update"], ["install", "-y", "--no-install-recommends", *missing]:
        done = subprocess.run(["apt-get", "-qq", *arguments], env=quiet, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            return f"apt-get {' '.join(arguments)} failed; what it said stands above"
    return complaint()


if __name__ == "__main__":
    sys.exit(install() or 0)
