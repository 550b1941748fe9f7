#!/usr/bin/env python3
"""Compares every operation and conversion of every element type with NumPy's, bit by bit.

All pairs of types of 8 bits; of the others all pairs of their extremes, and random ones. `--count 10000000` tries as many,
`--compilers gcc-11,clang-14` compiles by these, too, and `--update` writes the tables of the book, which have a cell for what is
defined, and none for what the language refuses.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed (./test installs it)")
    sys.exit(0)

from elements import (COMPLEX, COMPLEX_OPERATIONS, DTYPES, HALVES, OPERATIONS, REAL, Operation, Value, computed, converted,
                      halved, pairs, result, samples)
from once import ROOT

SCRATCH = ROOT / "target" / "numpy" / "operations"
PAGE = ROOT / "docs" / "book" / "src" / "operations.md"
# The interpreters take their time.
FEW = 2048
CHUNK = 1 << 20
Cells = dict[tuple[str, str], str]


def operations(kind: str) -> list[Operation]:
    """The operations that a type has."""
    return [operation for operation in [*OPERATIONS, *COMPLEX_OPERATIONS] if kind in operation.kinds]


def targets(kind: str) -> list[str]:
    """The types that a type is converted to."""
    return [to for to in COMPLEX if to != kind] if kind in COMPLEX else [to for to in [*REAL, *COMPLEX] if to != kind]


def body(operation: Operation) -> str:
    """The tensor of an operation's results."""
    x, y = ("x[4 * i + k]",) * 2 if operation.four else ("x[i]", "y[i]")
    text = "".join({"x": x, "y": y}.get(word, word) for word in words(operation.text))
    return f"gen i < N / 4 {{ {text} }}" if operation.four else f"gen i < N {{ {text} }}"


def words(text: str) -> Iterator[str]:
    """Names, and the characters between them."""
    at = 0
    while at < len(text):
        end = at + 1
        while text[at].isalpha() and end < len(text) and text[end].isalnum():
            end += 1
        yield text[at:end]
        at = end


def functions() -> str:
    """One function of all operations of a type, and one of its conversions."""
    lines = []
    for kind in [*REAL, *COMPLEX]:
        ops = operations(kind)
        types = [f"r{n}: {op.gives(kind)}[N{' / 4' if op.four else ''}]" for n, op in enumerate(ops)]
        lines.append(f"fn ops_{kind}(x: {kind}[N], y: {kind}[N]) -> ({', '.join(types)}) {{\n    (" + ",\n     ".join(map(body, ops)) + ")\n}")
        to = targets(kind)
        types = ", ".join(f"r{n}: {t}[N]" for n, t in enumerate(to))
        values = ", ".join(f"gen i < N {{ {t}(x[i]) }}" for t in to)
        lines.append(f"fn from_{kind}(x: {kind}[N]) -> ({types}) {{ ({values}) }}" if len(to) > 1 else f"fn from_{kind}(x: {kind}[N]) -> {to[0]}[N] {{ {values} }}")
    return "\n".join(lines) + "\n"


def refusals() -> dict[tuple[str, str], str]:
    """A function for each operation of a type that has it not."""
    have = {(op.name, kind) for kind in [*REAL, *COMPLEX] for op in operations(kind)}
    first = {op.name: op for op in reversed([*OPERATIONS, *COMPLEX_OPERATIONS])}
    lacking = [(op, kind) for op in first.values() for kind in [*REAL, *COMPLEX] if (op.name, kind) not in have]
    text = "fn f(x: {0}[N], y: {0}[N]) -> {1}[N{2}] {{ {3} }}\n"
    return {(op.name, kind): text.format(kind, op.gives(kind), " / 4" if op.four else "", body(op)) for op, kind in lacking}


def stored(x: Value, kind: str) -> Value:
    """An array for a file: NumPy has no `bf16`."""
    return x.view({"f16": "f2", "bf16": "V2"}[kind]) if kind in HALVES else x


class Runs:
    """Runs of the program on one back end, and what was compared."""

    def __init__(self, atl: str, program: Path, backend: str, compiler: str | None) -> None:
        self.words = [atl, "run", str(program), "--backend", backend]
        self.environment = os.environ | ({"CC": compiler} if compiler else {})
        self.name = f"{backend} by {compiler}" if compiler else backend
        self.few = backend in ("interp", "loops")

    def call(self, function: str, results: int, arguments: dict[str, Value]) -> list[Value]:
        """The arrays that a function gives."""
        words = [*self.words, "--fn", function]
        for name, array in arguments.items():
            np.save(SCRATCH / f"{name}.npy", array)
            words += ["--in", f"{name}={SCRATCH / name}.npy"]
        paths = [SCRATCH / f"r{n}.npy" for n in range(results)]
        for path in paths:
            words += ["--out", str(path)]
        done = subprocess.run(words, capture_output=True, text=True, env=self.environment)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
        if done.stderr:
            print(done.stderr, end="")
        return [np.load(path) for path in paths]


def differing(found: Value, expected: Value, kind: str, slack: float) -> Value:
    """Where bits differ, every NaN being the same; where results may be off, where they are by more."""
    if found.shape != expected.shape:
        raise SystemExit(f"the shape is {found.shape}, not {expected.shape}")
    if kind in HALVES:
        found, expected = (computed(np.ascontiguousarray(a).view(np.uint16), kind) for a in (found, expected))
    if kind in COMPLEX:
        distance = np.abs(found.astype(np.clongdouble) - expected)
        return distance > slack * np.finfo(DTYPES[kind]).eps * np.abs(expected)
    if found.dtype.kind != "f":
        return found != expected
    if slack:
        return np.abs(found.astype(np.longdouble) - expected) > slack * np.finfo(found.dtype).eps * np.abs(expected)
    unsigned = f"u{found.itemsize}"
    both = np.isnan(found) & np.isnan(expected)
    return (found.view(unsigned) != np.ascontiguousarray(expected, found.dtype).view(unsigned)) & ~both


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atl", default="target/debug/atl")
    parser.add_argument("--backends", default="c,cranelift,loops")
    parser.add_argument("--compilers", default="", help="C compilers beside the first that is found")
    parser.add_argument("--count", type=int, default=1 << 14, help="random operands of each type")
    parser.add_argument("--only", default="", help="types, by comma")
    parser.add_argument("--update", action="store_true", help="write the tables of the book")
    options = parser.parse_args()
    if options.update and not ({"gcc-11", "clang-14"} <= {*options.compilers.split(",")} and "interp" in options.backends):
        parser.error("the book's tables are of `--backends c,cranelift,loops,interp --compilers gcc-11,clang-14`")
    SCRATCH.mkdir(parents=True, exist_ok=True)
    program = SCRATCH / "operations.atl"
    program.write_text(functions())
    runs = [Runs(options.atl, program, backend, None) for backend in options.backends.split(",")]
    runs += [Runs(options.atl, program, "c", compiler) for compiler in options.compilers.split(",") if compiler]
    kinds = options.only.split(",") if options.only else [*REAL, *COMPLEX]
    cells: Cells = {}
    failures = sum(compare(kind, runs, options.count, cells) for kind in kinds)
    if not options.only:
        failures += refused(options.atl)
        failures += tables(cells, options.update)
    print(f"{len(cells)} operations and conversions of {len(kinds)} types on {', '.join(run.name for run in runs)}: {failures} differ")
    return 1 if failures else 0


def compare(kind: str, runs: list[Runs], count: int, cells: Cells) -> int:
    """All operations and conversions of one type; how many differ."""
    rng, failures, tried = np.random.default_rng(36), 0, [0, 0]
    while True:
        chunk = min(CHUNK, count - tried[0]) if tried[0] else min(CHUNK, count)
        x, y = pairs(kind, rng, chunk)
        one = samples(kind, rng, chunk)
        for run in runs:
            # The interpreters get every k-th, so that all extremes take part.
            part = slice(None, None, max(1, len(x) // FEW)) if run.few else slice(None)
            with np.errstate(all="ignore"):
                expected = [result(op, kind, x[part], y[part]) for op in operations(kind)]
                arrays = {"x": stored(x[part], kind), "y": stored(y[part], kind)}
                found = run.call(f"ops_{kind}", len(expected), arrays)
                for op, f, e in zip(operations(kind), found, expected, strict=True):
                    failures += report(f"{op.name} of {kind}", run, (x[part], y[part]), differing(f, e, op.gives(kind), op.slack), f, e)
                part = slice(None, None, max(1, len(one) // FEW)) if run.few else slice(None)
                found = run.call(f"from_{kind}", len(targets(kind)), {"x": stored(one[part], kind)})
                for to, f in zip(targets(kind), found, strict=True):
                    e = converted(one[part], kind, to)
                    failures += report(f"{kind} to {to}", run, (one[part],), differing(f, e, to, 0.0), f, e)
        tried = [tried[0] + len(x), tried[1] + len(one)]
        if np.dtype(DTYPES[kind]).itemsize == 1 or tried[0] >= count:
            break
    small = np.dtype(DTYPES[kind]).itemsize == 1
    for op in operations(kind):
        cells[op.name, kind] = "all" if small and not op.four else about(tried[0])
    for to in targets(kind):
        cells[f"`{kind}` to", to] = "all" if small or kind in HALVES else about(tried[1])
    return failures


def report(what: str, run: Runs, operands: tuple[Value, ...], wrong: Value, found: Value, expected: Value) -> int:
    """Says where results differ; one if they do."""
    places = np.flatnonzero(wrong)
    if len(places):
        at = places[0]
        shown = ", ".join(str(x[at]) for x in operands) if len(found) == len(operands[0]) else str(operands[0][4 * at : 4 * at + 4])
        print(f"{what} on {run.name}: {len(places)} of {len(found)} differ; of {shown}: found {found[at]}, expected {expected[at]}")
    return int(len(places) > 0)


def about(count: int) -> str:
    """A count in words that stay the same from run to run."""
    return f"{count / 1e6:.0f} M" if count >= 1e6 else f"{count:,}"


def refused(atl: str) -> int:
    """What a type has not is refused, at its place; how many are not."""
    failures = 0
    for (name, kind), text in refusals().items():
        path = SCRATCH / "refused.atl"
        path.write_text(text)
        done = subprocess.run([atl, "check", str(path)], capture_output=True, text=True)
        if done.returncode != 1 or not done.stderr.startswith("error[E"):
            print(f"{name} of {kind} is not refused:\n{text}{done.stdout}{done.stderr}")
            failures += 1
    return failures


def tables(cells: Cells, update: bool) -> int:
    """Compares the tables of the page with what was tried, or writes them; how many cells differ."""
    columns = [*REAL, *COMPLEX]
    written, known, lines = [], set(), PAGE.read_text().splitlines()
    for line in lines:
        parts = [part.strip() for part in line.replace("\\|", "\0").strip("|").split("|")] if line.startswith("|") else []
        if parts[:1] == ["operation"] or parts[:1] == ["conversion"]:
            written += [line, "|" + "---|" * (len(columns) + 1)]
            order = {op.name: n for n, op in reversed([*enumerate([*OPERATIONS, *COMPLEX_OPERATIONS])])}
            rows = dict.fromkeys(row for row, _ in cells if row.endswith(" to") == (parts[0] == "conversion"))
            rows = sorted(rows, key=lambda row: order.get(row, 0))
            for row in rows:
                name = row if row.endswith(" to") else "`" + row.replace("|", "\\|") + "`"
                written.append(f"| {name} | " + " | ".join(cells.get((row, column), "") for column in columns) + " |")
        elif parts and parts[0].startswith("`"):
            row = parts[0].replace("\0", "|")
            row = row if row.endswith(" to") else row.strip("`")
            known |= {(row, column) for column, cell in zip(columns, parts[1:], strict=True) if cell}
        elif not parts:
            written.append(line)
    if update:
        PAGE.write_text("\n".join(written) + "\n")
        return 0
    for row, column in known ^ set(cells):
        print(f"{row} {column}: {'not tried' if (row, column) in known else 'no cell in the table'} (--update writes the page)")
    return len(known ^ set(cells))


if __name__ == "__main__":
    sys.exit(main())
