"""What becomes of a kernel in a format: over what its loops go, or the refusal."""

import re
from collections import Counter
from dataclasses import dataclass, replace


class Wrong(Exception):
    """A wrong result, a crash, or a refusal that does not say what to do."""


@dataclass(frozen=True)
class Outcome:
    """A cell of the table."""

    # Over what the loops go: `stored`, `workspace` or `dense`; nothing if there are none.
    over: str
    # The code of the refusal of the loops over what is stored, if they are refused.
    code: str = ""

    @staticmethod
    def parse(text: str) -> "Outcome":
        """What the table has, read back."""
        over, code = re.fullmatch(r"(\D*?) ?(E\d+)?", text).groups()
        return Outcome("stored" if over == "✓" else over, code or "")

    @property
    def text(self) -> str:
        """As the table has it."""
        return " ".join(word for word in ({"stored": "✓"}.get(self.over, self.over), self.code) if word)

    @property
    def is_dense(self) -> bool:
        """Does it touch all elements of a matrix?"""
        return self.over in ("workspace", "dense")

    def but_refused(self, code: str) -> "Outcome":
        """The program as it is written, which runs where the loops over what is stored are refused."""
        return replace(self, over=self.over and "dense", code=code)


def refusal(words: list[str], stderr: str) -> Outcome:
    """A refusal has a code, a reason and a fix."""
    code = re.search(r"^error\[(E\d{4})\]: \S", stderr, re.MULTILINE)
    if not code or "= help: " not in stderr:
        raise Wrong(f"{' '.join(words)}\na refusal without a code or a fix\n{stderr}")
    if "internal error" in stderr or code[1].startswith("E09"):
        raise Wrong(f"{' '.join(words)}\n{stderr}")
    return Outcome("", code[1])


def walk(loops: str, operands: list[str], result: str, format: str) -> Outcome:
    """Over what loops go.

    `workspace`: an operand or the result is put into an array of its whole shape first. `dense`: all elements of an operand, where
    nested loops run over all its dimensions, or over one and a whole table, though its format does not store that much.
    """
    operands = [Counter(dims) for dims in operands if len(dims) > 1]
    nest: list[tuple[int, str]] = []
    over = "stored"
    for line in loops.splitlines():
        indent = len(line) - len(line.lstrip())
        nest = [(depth, dim) for depth, dim in nest if depth < indent]
        for_loop = re.search(r"\bfor \w+ in 0\.\.(.*) \{$", line)
        alloc = re.search(r"\balloc \w+ \w+ \w+\[(.*)\]", line)
        if for_loop and "[" not in for_loop[1]:
            nest.append((indent, dimension(for_loop[1])))
            dims = Counter(dim for _, dim in nest)
            table = format.startswith("hash") and len(dims) > 1 and "number" in dims
            if table or format != "bitmask" and any(shape <= dims for shape in operands):
                over = "dense"
        elif alloc:
            dims = Counter(dimension(extent) for extent in re.split(r", (?![^(]*\))", alloc[1]))
            if any(shape <= dims for shape in [*operands, Counter(result)] if shape.total() > 1):
                return Outcome("workspace")
    return Outcome(over)


def dimension(extent: str) -> str:
    """The size that an extent is, or is a part of."""
    if extent.isdigit():
        return "number"
    size = re.match(r"^\(?([A-Z])\b[^\[]*$", extent)
    return size[1] if size else extent
