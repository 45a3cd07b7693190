"""A table of 1,000,000 rows and 6 columns into a checked snapshot, against the csv module merely reading it.

The file has quoted cells, Chinese text and repeated keys; the import checks two columns by a schema and leaves out
duplicates. Reader and import take turns in one run, because the machine's speed moves; the ratio is of the medians.
Goals: ratio ≤ 6, peak of the child ≤ 400 MB. Run alone: `python -m benchmarks.import_csv`.
"""

import csv
import json
import multiprocessing
import resource
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from postroad.recipients import FileInput, ImportRequest, import_audience

ROWS = 1_000_000
ROUNDS = 3
CITIES = ("北京", "上海", "广州", "深圳", "杭州")
SCHEMA = {
    "properties": {
        "mobile": {"type": "string", "pattern": r"^1\d{10}$"},
        "email": {"type": "string", "format": "email"},
    },
    "required": ["mobile"],
}


def write_table(path: Path, rows: int) -> None:
    """Every fiftieth row repeats an earlier key; every row has a quoted cell with a comma inside."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("手机号,email,name,city,amount,note\r\n")
        for number in range(rows):
            key = number if number % 50 else number // 2
            file.write(
                f"{13900000000 + key},user{key}@example{number % 97}.com,张三{number % 1000},{CITIES[number % 5]},"
                f'{number % 10000}.{number % 100:02d},"hello, 您好 {number}"\r\n'
            )


def measure(rows: int = ROWS) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "people.csv")
        write_table(path, rows)
        reading, importing = [], []
        for _ in range(ROUNDS):
            reading.append(_seconds_to_read(path))
            importing.append(_seconds_to_import(path, Path(folder, "out")))
        return {
            "rows": rows,
            "read_s": round(median(reading), 2),
            "import_s": round(median(importing), 2),
            "ratio": round(median(importing) / median(reading), 2),
            "child_peak_mb": _peak_of_child(path, Path(folder, "out")),
        }


def _seconds_to_read(path: Path) -> float:
    start = perf_counter()
    with path.open(encoding="utf-8", newline="") as file:
        for _ in csv.reader(file):
            pass
    return perf_counter() - start


def _seconds_to_import(path: Path, out: Path) -> float:
    start = perf_counter()
    report = import_audience(ImportRequest(FileInput(path), out, key=("mobile",), recipient_schema=SCHEMA))
    assert report.rows == report.accepted + report.duplicates
    return perf_counter() - start


def _peak_of_child(path: Path, out: Path) -> float:
    """Measured in a process of its own, whose only child is the import's."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_import_and_tell_peak, (path, out))


def _import_and_tell_peak(path: Path, out: Path) -> float:
    _seconds_to_import(path, out)
    return round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 1)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
