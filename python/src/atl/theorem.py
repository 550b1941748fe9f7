"""What is proved of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _atl
from .errors import refusal

if TYPE_CHECKING:
    from .kernel import Kernel

__all__ = ["Theorem"]


class Condition(NamedTuple):
    """Something that was proved: what it says, the hypotheses it follows from, how, and how often it was needed."""

    goal: str
    hypotheses: list[str]
    by: str
    times: int

    def __str__(self) -> str:
        given = f"from {', '.join(self.hypotheses)}: " if self.hypotheses else ""
        return f"{self.goal};  {given}{self.by}"


class Theorem:
    """A kernel equals its function as it is written.

    ``laws`` are the laws of the algebra that the proof uses, ``rounding`` what it preserves in floating point:
    ``"bitwise"``, ``"finite"`` or ``"real"``; ``inferences`` and ``certificates`` say how much the proof kernel checked.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        found = _atl.Kernel.theorem_parts(kernel)
        self.claim, self.laws, self.rounding, self.inferences, self.certificates = found

    @property
    def proof(self) -> bytes:
        """The proof file: the format is a chapter of the book, and the command `recheck` reads it, too."""
        return self._kernel.proof().encode()

    @property
    def conditions(self) -> list[Condition]:
        """The side conditions of its inferences, and what was shown of reads and stores: how each was proved."""
        return [Condition(*found) for found in _atl.conditions(self._kernel)]

    def verify(self, *, checker: str = "kernel") -> None:
        """Writes the proof out, reads it back and replays each inference in the proof kernel.

        ``checker="recheck"`` gives it to the second checker instead, which shares no code with the kernel. Raises
        ``Refused`` where that fails.
        """
        if checker not in ("kernel", "recheck"):
            raise refusal(f"there is no checker `{checker}`", help='the checkers are "kernel" and "recheck"')
        if checker == "recheck":
            is_proof, said = _atl.recheck(self.proof.decode())
            if not is_proof:
                raise refusal("the second checker refuses the proof", note=said, help="please report this with the program")
            return
        function, _, rounding = _atl.verify(self._kernel.name, self.proof.decode())
        if function != self._kernel.name or rounding != self.rounding and self.rounding == "bitwise":
            raise refusal("the proof is of something else", help="please report this with the program")

    def __str__(self) -> str:
        laws = ", ".join(self.laws) or "none"
        return f"{self.claim}; laws {laws}; rounding {self.rounding}"

    def __repr__(self) -> str:
        return f"<atl.Theorem {self}>"
