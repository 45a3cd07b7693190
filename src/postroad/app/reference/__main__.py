"""`python -m postroad.app.reference FOLDER` writes the generated pages into FOLDER."""

import sys
from pathlib import Path

from postroad.app.reference import PAGES
from postroad.foundation.whole_files import write_whole


def main() -> int:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.stderr.write("name the folder of the reference pages: python -m postroad.app.reference docs/reference\n")
        return 2
    for name, make in PAGES.items():
        write_whole(Path(sys.argv[1]) / name, make().encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
