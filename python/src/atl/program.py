"""Programs: texts with functions and schedules."""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, TypeVar, cast

from . import _atl
from .errors import Refused
from .kernel import Kernel

__all__ = ["Program", "compile", "entry", "load"]

F = TypeVar("F", bound=Callable[..., Any])


def entry(function: F) -> F:
    """The function, as one whose frames no refusal shows."""
    wrapped = functools.update_wrapper(_atl.Entry(function), function)
    return cast(F, wrapped)


class Program:
    """A program: ``program["blur"]`` is the function of that name as a kernel.

    >>> p = Program("fn twice(x: f32[N]) -> f32[N] { 2 * x }")
    >>> p.functions
    ['twice']
    """

    def __init__(self, text: str, *, name: str = "the program", path: str | None = None) -> None:
        self._handle = _atl.Program(text, name, path)
        self.name = name

    @classmethod
    def _of(cls, handle: _atl.Program, name: str) -> Program:
        program = cls.__new__(cls)
        program._handle = handle
        program.name = name
        return program

    @property
    def text(self) -> str:
        """The text of the program."""
        return self._handle.text

    @property
    def functions(self) -> list[str]:
        """The names of the functions; those that others call stand first."""
        return self._handle.functions()

    @property
    def schedules(self) -> dict[str, list[str]]:
        """The names of the schedules of each function."""
        found: dict[str, list[str]] = {name: [] for name in self.functions}
        for function, schedule in self._handle.schedules():
            found.setdefault(function, []).append(schedule)
        return found

    @property
    def warnings(self) -> list[str]:
        """What is remarked of the program."""
        return self._handle.warnings()

    def __getitem__(self, function: str) -> Kernel:
        """The function of this name, as it is written.

        Raises ``Refused`` (E0510) where there is none.
        """
        return Kernel(self, self._handle.function(function))

    def __iter__(self) -> Any:
        return iter(self.functions)

    def __len__(self) -> int:
        return len(self.functions)

    def __repr__(self) -> str:
        return f"<atl.Program {self.name}: {', '.join(self.functions)}>"

    def _only(self, function: str | None, backend: str | None) -> Kernel:
        return Kernel(self, self._handle.function(function), backend=backend)

    def __reduce__(self) -> tuple[Any, ...]:
        path = self._handle.path
        return (_program, (self.text, self.name, None if path is None else str(path)))


# Refusals of a lookup end at the line that looks up.
Program.__getitem__ = entry(Program.__getitem__)  # type: ignore[method-assign]
Program.__init__ = entry(Program.__init__)  # type: ignore[method-assign]


def _program(text: str, name: str, path: str | None) -> Program:
    return Program(text, name=name, path=path)


@entry
def compile(text: str, function: str | None = None, *, backend: str | None = None) -> Kernel:
    """The kernel of a function of a program text; ``function`` names it where the text has several.

    Everything is checked here: reads are in bounds for all sizes, or ``Refused`` is raised. ``backend`` is ``"c"``,
    ``"cranelift"``, ``"loops"`` or ``"interp"``; by default the first that this machine has.

    >>> import numpy as np
    >>> double = compile("fn double(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } }")
    >>> double(np.arange(3, dtype=np.float32))
    array([0., 2., 4.], dtype=float32)
    """
    program = Program(text)
    try:
        return program._only(function, backend)
    except Refused as found:
        if found.code != "E0512":
            raise
        raise unnamed(found, program) from None


def unnamed(found: Refused, program: Program) -> Refused:
    """The refusal of a text of several functions, with what to type here."""
    given, wanted = found.help[0], f'name one: `atl.compile(text, "{program.functions[-1]}")`'
    first = {**found._first, "help": [{**found._first["help"][0], "text": wanted}]}
    return Refused(str(found).replace(given, wanted), [first])


@entry
def load(path: str | os.PathLike[str]) -> Program:
    """The program in a file; what it imports is found beside it.

    Raises ``Refused`` for what is wrong with it, E0601 where it cannot be read.
    """
    name = os.fspath(path)
    return Program._of(_atl.Program.load(name), name)
