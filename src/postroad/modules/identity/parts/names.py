"""Usernames: shown as they were given, compared after NFKC and case folding.

So `Ａnna`, `anna` and `ANNA` are one person, and nobody can be called almost like the administrator by another width
or case. Letters of any script, digits and `. _ - @ +`; at most 64 characters.
"""

import unicodedata

from postroad.vocabulary.refusals import FieldProblem

USERNAME_LONGEST, DISPLAY_NAME_LONGEST = 64, 120
_MARKS = frozenset("._-@+")


def username_key(username: str) -> str:
    """What is unique among users."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", username).casefold())


def looked_up(username: str) -> str:
    """The key to look for when somebody comes in; that of nobody for what cannot be a username."""
    cleaned = clean_username(username)
    return username_key(cleaned) if username_problem(cleaned, "") is None else ""


def clean_username(username: str) -> str:
    return unicodedata.normalize("NFKC", username).strip()


def clean_display_name(display_name: str, username: str) -> str:
    """The given name in one line, or the username where none was given."""
    return " ".join(unicodedata.normalize("NFKC", display_name).split()) or username


def username_problem(username: str, path: str) -> FieldProblem | None:
    fits = 0 < len(username) <= USERNAME_LONGEST and all(_may_stand(letter) for letter in username)
    if fits and len(username_key(username)) <= 2 * USERNAME_LONGEST:
        return None
    said = f"a username has 1 to {USERNAME_LONGEST} letters, digits or {' '.join(sorted(_MARKS))}, and no spaces"
    return FieldProblem(path, "USERNAME_UNFIT", said)


def display_name_problem(display_name: str, path: str) -> FieldProblem | None:
    if len(display_name) <= DISPLAY_NAME_LONGEST and display_name.isprintable():
        return None
    said = f"a name to show has at most {DISPLAY_NAME_LONGEST} characters, all of them visible"
    return FieldProblem(path, "NAME_UNFIT", said)


def _may_stand(letter: str) -> bool:
    return letter.isalnum() or letter in _MARKS or unicodedata.category(letter) in {"Mn", "Mc"}
