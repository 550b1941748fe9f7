"""Cells of programs in notebooks: ``%load_ext atl``, then ``%%atl``."""

from __future__ import annotations

import shlex
from typing import Any

from .program import Program, entry

__all__ = ["load_ipython_extension"]


def load_ipython_extension(shell: Any) -> None:
    """Gives a shell of IPython the cell magic ``%%atl``: a cell is a program, its functions become variables.

    ``%%atl -s blur`` takes the cell for steps of the kernel in the variable ``blur``, which is replaced.
    """
    shell.register_magic_function(entry(_cell(shell)), "cell", "atl")


def _cell(shell: Any) -> Any:
    def atl(line: str, cell: str) -> None:
        """A program whose functions become variables; with ``-s NAME``, steps of the kernel of that name."""
        words = shlex.split(line)
        if words[:1] == ["-s"] and len(words) == 2:
            name = words[1]
            shell.push({name: shell.user_ns[name].schedule(cell + "\n")})
            return
        program = Program(cell, name="the cell")
        shell.push({name: program[name] for name in program.functions})

    return atl
