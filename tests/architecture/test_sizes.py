"""Small files, small functions, folders one can take in at a glance."""

from collections import Counter
from pathlib import PurePath
from statistics import median, quantiles

from tests.architecture.tree import functions, modules, text_of

FILE_CEILING, FILE_P90, FILE_MEDIAN = 600, 400, 120
FUNCTION_CEILING, FUNCTION_P90 = 60, 35
FOLDER_CEILING = 12


def _file_lengths() -> dict[str, int]:
    return {name: text_of(name).count("\n") for name in modules()}


def test_no_file_passes_the_ceiling() -> None:
    assert {name: n for name, n in _file_lengths().items() if n > FILE_CEILING} == {}


def test_most_files_are_small() -> None:
    lengths = [n for n in _file_lengths().values() if n > 0]
    assert median(lengths) <= FILE_MEDIAN
    assert quantiles(lengths, n=10)[-1] <= FILE_P90


def test_no_function_passes_the_ceiling() -> None:
    long = {
        f"{name}:{node.lineno} {node.name}": length
        for name, node in functions()
        if (length := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_CEILING
    }
    assert long == {}


def test_most_functions_are_short() -> None:
    lengths = [(node.end_lineno or node.lineno) - node.lineno + 1 for _, node in functions()]
    assert quantiles(lengths, n=10)[-1] <= FUNCTION_P90


def test_no_folder_is_crowded() -> None:
    files = Counter(str(PurePath(name).parent) for name in modules() if not name.endswith("__init__.py"))
    assert {folder: n for folder, n in files.items() if n > FOLDER_CEILING} == {}
