"""A disk that fails, for every Python process that has this folder on its path: sender, workers, imports, exports.

`DRILL_FAULT` is `CALL ERRNO NTH PATTERN`: the NTH call (`write`, `fsync`, `fdatasync`, `replace`) of a process on a
file whose name matches the pattern fails, once, and is noted in the file `DRILL_FAULT_LOG`. What libraries write by
themselves is not reached.
"""

import errno
import fnmatch
import os
from typing import Any

_call, _code, _nth, _pattern = os.environ["DRILL_FAULT"].split(" ")
_real = getattr(os, _call)
_left = int(_nth)


def _failing(target: Any, *rest: Any) -> Any:
    global _left
    path = os.readlink(f"/proc/self/fd/{target}") if isinstance(target, int) else os.fspath(rest[0])
    if fnmatch.fnmatch(os.path.basename(path), _pattern):
        _left -= 1
        if _left == 0:
            with open(os.environ["DRILL_FAULT_LOG"], "a", encoding="utf-8") as log:
                log.write(f"{_call} {path}\n")
            code = getattr(errno, _code)
            raise OSError(code, os.strerror(code))
    return _real(target, *rest)


setattr(os, _call, _failing)
