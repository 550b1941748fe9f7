"""The keywords of the language, which name nothing in a program."""

from __future__ import annotations

from typing import Any

from ..errors import Refused, refusal

__all__ = ["KEYWORDS", "checked"]

#: As the lexer has them.
KEYWORDS = frozenset("gen sum prod any all let true false fn schedule def theorem import use const format semiring monoid where in as if".split())


def checked(word: str, what: str, function: Any = None) -> None:
    """Refuses a keyword as a name, and `inf`, which programs print; with the line in Python of the traced function."""
    if word not in KEYWORDS and word != "inf":
        return
    kind, code = ("a keyword", "E0123") if word in KEYWORDS else ("infinity in a program", "python")
    place = head(function)
    note = f"in Python, {place[0]}:{place[1]}: {place[2]}" if place else None
    found = refusal(f"`{word}` is {kind} and cannot be {what}", note=note, help="choose another name", code=code)
    found.python = (place[0], place[1], 1) if place else None
    raise found


def head(function: Any) -> tuple[str, int, str] | None:
    """The line where a function begins, after its decorators: the file, its number and its text."""
    import linecache  # for refusals alone

    code = getattr(function, "__code__", None)
    if code is None:
        return None
    file, line = code.co_filename, code.co_firstlineno
    last = max((at for *_, at in code.co_lines() if at), default=line)
    line = next((n for n in range(line, last + 1) if linecache.getline(file, n).lstrip().startswith("def ")), line)
    return file, line, linecache.getline(file, line).strip()
