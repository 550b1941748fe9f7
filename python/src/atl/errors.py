"""What the package raises and warns of."""

from __future__ import annotations

import os
import re
import types
from typing import Any, NamedTuple

__all__ = ["CompilerWarning", "CopyWarning", "InternalError", "PerformanceWarning", "Refused", "RefusedArgument", "Span"]

#: Where a message names the values of a counterexample.
COUNTEREXAMPLE = r"\bfor ([\w.]+ = -?\d+(?:, [\w.]+ = -?\d+)*)"

#: The folder of the package: frames of its files are left out of tracebacks.
PACKAGE = os.path.dirname(os.path.abspath(__file__))


class Span(NamedTuple):
    """A place in a text: lines and columns count from 1, offsets are bytes from 0."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int


class Refused(ValueError):
    """A program, a schedule or arguments are refused: ``str`` is what the command prints.

    ``code`` is the entry of the error index, ``message`` one line, ``span`` the place, if there is one; ``notes`` hold the
    cause with a counterexample, ``help`` what to type. ``diagnostics`` has all of them where several were found.
    """

    __atl_refusal__ = True

    #: Of a traced function: the file, line and column in Python, from 1, of what is refused.
    python: tuple[str, int, int] | None = None

    def __init__(self, text: str, diagnostics: list[dict[str, Any]]) -> None:
        super().__init__(text)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.args[0], self.diagnostics))

    @property
    def _first(self) -> dict[str, Any]:
        return next((d for d in self.diagnostics if d["severity"] == "error"), self.diagnostics[0])

    @property
    def code(self) -> str:
        """The entry of the error index, such as ``E0401``."""
        return str(self._first["code"])

    @property
    def message(self) -> str:
        """What is wrong, in one line."""
        return str(self._first["message"])

    @property
    def span(self) -> Span | None:
        """Where it is wrong, if that is a place in a text."""
        found = self._first["primary"]
        if found is None:
            return None
        return Span(**{name: found[name] for name in Span._fields})

    @property
    def notes(self) -> list[str]:
        """Why: the cause, with a counterexample where there is one."""
        return list(self._first["notes"])

    @property
    def help(self) -> list[str]:
        """What to type."""
        return [found["text"] for found in self._first["help"]]

    @property
    def counterexample(self) -> dict[str, int] | None:
        """Values for which what is refused would go wrong, if such were found: ``{"N": 1, "i": 0}``."""
        for text in [*self.notes, self.message]:
            if (found := re.search(COUNTEREXAMPLE, text)) is not None:
                pairs = (pair.split(" = ") for pair in found[1].split(", "))
                return {name: int(value) for name, value in pairs}
        return None

    def to_dict(self) -> dict[str, Any]:
        """What ``atl check --json`` prints of it."""
        return dict(self._first)


class RefusedArgument(Refused, TypeError):
    """Arguments of a call are refused."""


class InternalError(RuntimeError):
    """A fault of the compiler: please report it with the program."""


class CompilerWarning(UserWarning):
    """Kernels run slower than they could, for want of a C compiler."""


class CopyWarning(UserWarning):
    """A large argument is copied at each call, because it is not in C order."""


class PerformanceWarning(UserWarning):
    """What a kernel that is called does takes longer than it has to."""


def refused(text: str, diagnostics: str) -> Refused:
    """The exception of a refusal, from its text and its JSON."""
    import json  # it takes milliseconds, and a refusal alone needs it

    found = json.loads(diagnostics)
    first = next((d for d in found if d["severity"] == "error"), found[0])
    of_arguments = first["code"] in {"E0501", "E0502", "E0503", "E0504", "E0505", "E0507", "E0509", "E0527"}
    return (RefusedArgument if of_arguments else Refused)(text.rstrip(), found)


def refusal(message: str, *, note: str | None = None, help: str, code: str = "python") -> Refused:
    """A refusal of the package's own, in the form of the others; with the code of the error index, if it is one of the language's."""
    lines = [f"error: {message}" if code == "python" else f"error[{code}]: {message}"]
    lines += [f"  = note: {note}"] if note else []
    lines.append(f"  = help: {help}")
    found = {
        "code": code,
        "severity": "error",
        "message": message,
        "primary": None,
        "secondary": [],
        "notes": [note] if note else [],
        "help": [{"text": help}],
    }
    return Refused("\n".join(lines), [found])


def plain(message: str, help: str) -> Refused:
    """A refusal by its words."""
    return refusal(message, help=help)


def internal(text: str, _json: str) -> InternalError:
    """The exception of a panic."""
    return InternalError(f"the compiler failed: {text}; please report this with the program")


def trimmed(error: BaseException) -> BaseException:
    """The exception without the frames of this package."""
    entries = []
    trace = error.__traceback__
    while trace is not None:
        if not os.path.abspath(trace.tb_frame.f_code.co_filename).startswith(PACKAGE):
            entries.append(trace)
        trace = trace.tb_next
    kept: types.TracebackType | None = None
    for entry in reversed(entries):
        kept = types.TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return error.with_traceback(kept)
