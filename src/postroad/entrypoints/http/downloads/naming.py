"""The name under which a browser saves a file: Content-Disposition by RFC 6266, with RFC 8187 for what is not ASCII.

Always `attachment`: what people uploaded is never shown as a page of ours.
"""

from urllib.parse import quote

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_.()+,")


def attachment(file_name: str) -> str:
    """`attachment; filename="list.csv"`, and the whole name in `filename*` where ASCII cannot say it."""
    plain = "".join(letter if letter in _PLAIN else "_" for letter in file_name).strip() or "file"
    said = f'attachment; filename="{plain}"'
    if plain == file_name:
        return said
    return f"{said}; filename*=UTF-8''{quote(file_name, safe='', errors='replace')}"
