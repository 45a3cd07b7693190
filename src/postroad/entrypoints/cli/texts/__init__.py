"""What the program says, in English and Simplified Chinese.

The English text is the key. `say` looks it up in the language of this process and fills in the values by name. The
language is chosen once, at start: `--lang`, then POSTROAD_LANG, LC_ALL, LC_MESSAGES and LANG.
"""

import os
from collections.abc import Mapping, Sequence

from postroad.entrypoints.cli.texts.chinese import CHINESE
from postroad.entrypoints.cli.texts.error_names import ERROR_NAMES

LANGUAGES = ("en", "zh")
_LOOKED_AT = 12
_VARIABLES = ("POSTROAD_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def chosen_language(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """`en` or `zh`. `arguments` are those of the command line, of which only `--lang` counts here."""
    for place, argument in enumerate(arguments):
        if argument == "--lang" and place + 1 < len(arguments):
            return _language(arguments[place + 1])
        if argument.startswith("--lang="):
            return _language(argument.removeprefix("--lang="))
    return next((_language(environment[name]) for name in _VARIABLES if environment.get(name)), "en")


def language_first(arguments: Sequence[str]) -> list[str]:
    """The same command line with `--lang` in front, where the parser looks for it. People write it anywhere."""
    words = list(arguments)
    for place, word in enumerate(words):
        if word == "--":
            break
        if word == "--lang" and place + 1 < len(words):
            return [word, words[place + 1], *words[:place], *words[place + 2 :]]
        if word.startswith("--lang="):
            return [word, *words[:place], *words[place + 1 :]]
    return words


def is_language(name: str) -> bool:
    return name.lower().startswith(LANGUAGES)


def _language(locale: str) -> str:
    return "zh" if locale.lower().startswith("zh") else "en"


class _Tongue:
    language = "en"


def speak(language: str) -> None:
    """Sets the language of this process, and of the processes it starts."""
    _Tongue.language = language
    os.environ["POSTROAD_LANG"] = language


def current_language() -> str:
    return _Tongue.language


def say(text: str, **values: object) -> str:
    """`text` in the language of this process, with `{name}` filled from `values`."""
    said = CHINESE.get(text, text) if _Tongue.language == "zh" else text
    return said.format(**values) if values else said


def named(code: str, message: str) -> str:
    """`message` behind the name of its error, where it is not in the language of this process."""
    if _Tongue.language != "zh" or any("\u4e00" <= letter <= "\u9fff" for letter in message[:_LOOKED_AT]):
        return message
    name = ERROR_NAMES.get(code)
    return f"{name}：{message}" if name else message
