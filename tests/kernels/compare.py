#!/usr/bin/env python3
"""Compares kernels over sparse operands in every format with SciPy and NumPy, and the outcomes with the table of the book.

Each kernel is a dense program; a schedule compresses its operands and says `sparsify`. Each comparison is one run of the command, on files.
A kernel is right in a format, or refused with a code, a reason and a fix; which of them is in the tables of the book's page, and a
kernel that begins to be refused, or to go over more than is stored, fails the test. `--update` writes the tables. Programs, operands and
results are left in `target/kernels`, so that a failing command can be run again as printed.

`--matrices FOLDER` runs the same kernels on the `.mtx` files of a folder, and prints the outcome of each, and a table of how many there are
of each kind. That takes hours: `--kernels` takes some of the kernels; with `--log FILE` outcomes are kept, and what has one is not run
again, so that `--seconds` may cut the work into pieces. A run that takes longer than `--limit` seconds is late.
"""

import argparse
import math
import re
import shlex
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

try:
    import numpy as np
    import scipy.sparse as sp
except ImportError:
    print("skipped: SciPy is not installed (./test installs it)")
    sys.exit(0)

import operands
from formats import MATRICES, TENSORS, Widths, steps, stored, stored_elements, title, walked
from kernels import KERNELS, Entries, Kernel
from outcome import Outcome, Wrong, refusal, walk
from table import differences, expected, update

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / "target" / "kernels"
# Nothing that is dense has more elements, on matrices of a folder.
MOST = 50_000_000
# Nothing that is stored with what lies between entries is multiplied more often.
MOST_TERMS = 2_000_000_000


@dataclass(frozen=True)
class Case:
    """A kernel, how its result is stored, and the format of its sparse operands."""

    kernel: Kernel
    result: str
    format: str

    @property
    def row(self) -> str:
        """The name of its row."""
        return self.kernel.name if self.result == "dense" else f"{self.kernel.name} → {self.result}"


def cases() -> list[Case]:
    """Every kernel in every format that its operands can have."""
    found = []
    for kernel in KERNELS:
        for result in kernel.results:
            formats = MATRICES if kernel.rank == 2 else TENSORS
            found += [Case(kernel, result, format) for format in formats]
    return found


class Late(Wrong):
    """A run that takes too long, which on a busy machine says little."""


class Given:
    """Operands of a kernel, in files of a folder, and what SciPy and NumPy make of them; formats share all of it."""

    def __init__(self, kernel: Kernel, folder: Path, made: dict) -> None:
        self.kernel, self.folder, self.made = kernel, folder, made
        folder.mkdir(parents=True, exist_ok=True)
        for name, operand in made.items():
            write(folder / name, operand)
        self.values = [x.tocsr() if sp.issparse(x) else x for x in made.values()]

    @cached_property
    def reference(self):
        """The result that is expected."""
        return self.kernel.reference(*self.values)

    @cached_property
    def bound(self):
        """By how much terms could differ: the result of the magnitudes."""
        return (self.kernel.magnitude or self.kernel.reference)(*(abs(x) for x in self.values))


class Bench:
    """A case on some operands: its program, and the command."""

    def __init__(self, options: argparse.Namespace, case: Case, given: Given) -> None:
        self.options, self.case, self.given, self.folder, self.made = options, case, given, given.folder, given.made
        self.stored = stored(case.result, case.format)
        program = case.kernel.program(self.stored)
        every = steps(case.kernel, case.format, Widths.of(self.made))
        for schedule, chosen in (("stored", every), ("written", [step for step in every if step.startswith("compress ")])):
            lines = "".join(f"    {step};\n" for step in ["rounding real", *chosen])
            program += f"\nschedule {schedule} of f {{\n{lines}}}\n"
        (self.folder / "f.atl").write_text(program)

    def outcome(self) -> Outcome:
        """Runs the kernel, over what is stored or, where that is refused, as it is written."""
        found = self.run("stored")
        if not found.code:
            return found
        return self.run("written").but_refused(found.code)

    def run(self, schedule: str) -> Outcome:
        """Runs the kernel, and compares the result; anything but success and a refusal is wrong."""
        out = self.folder / ("out.npy" if self.stored == "dense" else "out.npz")
        out.unlink(missing_ok=True)
        words = [self.options.atl, "run", self.path("f.atl"), "--schedule", schedule, "--backend", self.options.backend, "--print", "loops"]
        for name, operand in self.made.items():
            words += ["--in", f"{name}={self.path(name)}{'.npy' if isinstance(operand, np.ndarray) else '.npz'}"]
        words += ["--out", self.path(out.name)]
        try:
            done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=self.options.limit)
        except subprocess.TimeoutExpired:
            raise Late(f"{shlex.join(words)}\nstill running after {self.options.limit:.0f} s") from None
        if done.returncode not in (0, 1):
            raise Wrong(f"{shlex.join(words)}\nexit code {done.returncode}\n{done.stderr}")
        if done.returncode:
            return refusal(words, done.stderr)
        kernel = self.case.kernel
        kept = kernel.kept if schedule == "stored" else None
        found = read(out, zeros=kept is not None)
        why = difference(found, self.given.reference, self.given.bound) or (kept and elsewhere(found, self.made[kept]))
        if why:
            raise Wrong(f"{shlex.join(words)}\n{why}")
        shapes = [dims for _, dims, format in kernel.operands if format]
        return walk(done.stdout, shapes, kernel.result, self.case.format)

    def path(self, name: str) -> str:
        """A file of the case, as the command is given it."""
        return str((self.folder / name).relative_to(ROOT))


def write(path: Path, operand) -> None:
    """Writes an operand as SciPy does."""
    if isinstance(operand, np.ndarray):
        np.save(path.with_suffix(".npy"), operand)
    elif sp.issparse(operand):
        sp.save_npz(path.with_suffix(".npz"), operand, compressed=False)
    else:
        arrays = {"format": b"coo", "shape": np.array(operand.shape), "coords": np.array(operand.at), "data": operand.values}
        np.savez(path.with_suffix(".npz"), _is_array=True, **arrays)


def read(path: Path, zeros: bool):
    """A result. What is stored must be in order, without duplicates, and without zeros unless there may be some."""
    if path.suffix == ".npy":
        return np.load(path)
    arrays = np.load(path)
    layout, shape = arrays["format"].item().decode(), tuple(map(int, arrays["shape"]))
    if "row" in arrays:
        at = [arrays["row"], arrays["col"]]
    elif "coords" in arrays:
        at = list(arrays["coords"])
    else:
        outer = np.repeat(np.arange(len(arrays["indptr"]) - 1), np.diff(arrays["indptr"]))
        at = [outer, arrays["indices"]]
    at = [np.asarray(x, np.int64) for x in at]
    stored = [shape[1], shape[0]] if layout == "csc" else shape
    places = np.ravel_multi_index(at, stored) if len(at[0]) else np.zeros(0)
    if (np.diff(places) <= 0).any() or (not zeros and (arrays["data"] == 0).any()):
        raise Wrong(f"{path}: the entries are not in order, or some are zero that may not be")
    return Entries(shape, tuple(at[::-1] if layout == "csc" else at), arrays["data"])


def entries(x, shape: tuple[int, ...]):
    """Any tensor as its elements that are not zero, by place; and its shape."""
    if isinstance(x, np.ndarray):
        x = Entries(x.shape, np.nonzero(x), x[np.nonzero(x)]) if x.ndim else Entries((), (np.zeros(1, int),), x.reshape(1))
    elif sp.issparse(x):
        x = x.tocoo()
        x = Entries(x.shape, (x.row, x.col), x.data)
    if tuple(x.shape) != tuple(shape):
        raise Wrong(f"the shape is {tuple(x.shape)}, not {tuple(shape)}")
    kept = x.values != 0
    at = [np.asarray(c, np.int64)[kept] for c in x.at]
    places = np.ravel_multi_index(at, x.shape) if len(x.shape) and kept.any() else np.zeros(kept.sum(), np.int64)
    return places, x.values[kept]


def difference(found, expected, bound) -> str | None:
    """What is wrong with a result, if anything: it differs from what is expected by more than sums of such terms do."""
    shape, parts = expected.shape, (found, expected, bound)
    if all(isinstance(x, np.ndarray) and x.shape == shape for x in parts):
        places, columns = range(expected.size), [x.reshape(-1) for x in parts]
    else:
        parts = [entries(x, shape) for x in parts]
        places = np.unique(np.concatenate([at for at, _ in parts]))
        columns = np.zeros((3, len(places)))
        for column, (at, values) in zip(columns, parts):
            np.add.at(column, np.searchsorted(places, at), values)
    wrong = ~(abs(columns[0] - columns[1]) <= 1e-12 * columns[2])
    if not wrong.any():
        return None
    first = np.argwhere(wrong)[0, 0]
    at = np.unravel_index(places[first], shape) if shape else ()
    return f"{wrong.sum()} elements differ, first at {tuple(map(int, at))}: {columns[0][first]}, not {columns[1][first]}"


def elsewhere(found: Entries, operand) -> str | None:
    """What is wrong with the places of a result that is to have those of an operand, zeros too."""
    at = (operand.row, operand.col) if sp.issparse(operand) else operand.at
    wanted, has = (np.sort(np.ravel_multi_index([np.asarray(c, np.int64) for c in x], found.shape)) if len(x[0]) else np.zeros(0)
                   for x in (at, found.at))
    if np.array_equal(wanted, has):
        return None
    return f"{len(has)} entries, not the {len(wanted)} of the operand, or at other places"


def check_difference() -> None:
    """The comparison itself must be able to fail."""
    kept = Entries((2, 2), (np.array([0, 1]), np.array([1, 0])), np.zeros(2))
    assert elsewhere(kept, sp.coo_array(([1.0, 2.0], ([1, 0], [0, 1])), shape=(2, 2))) is None
    for rows in ([0, 1], [1], []):
        assert elsewhere(kept, sp.coo_array((np.ones(len(rows)), (rows, rows)), shape=(2, 2)))
    a = np.array([[1.0, 0.0], [0.0, 2.0]])
    assert difference(a, sp.csr_array(a), a) is None
    assert difference(a + 1e-15, a, a + 1) is None
    for other in (a + 1e-9, -a, np.zeros((2, 2)), np.where(a > 1, np.nan, a), np.where(a > 1, 0, a)):
        assert difference(other, sp.csr_array(a), abs(a) + 1)


def outcome(options: argparse.Namespace, case: Case, number: int) -> Outcome:
    """What becomes of a case on random operands, of so many kinds: each case begins with another kind."""
    found = []
    for at in range(options.count):
        kind = operands.KINDS[(number + at) % len(operands.KINDS)]
        made = operands.random(case.kernel, kind, 100 * number + at)
        given = Given(case.kernel, SCRATCH / str(number) / str(at), made)
        found.append(Bench(options, case, given).outcome())
        if found[at] != found[0]:
            raise Wrong(f"{case.row}, {title(case.format)}, {kind}: {found[at].text}, and {found[0].text} before")
    return found[0]


def on_matrix(options: argparse.Namespace, case: Case, found: Outcome, given: Given) -> str:
    """What becomes of a case on operands made of a matrix."""
    made = given.made
    sparse = {n: made[n] for n, _, format in case.kernel.operands if format}
    formats = {n: case.format if format == "F" else format for n, _, format in case.kernel.operands if format}
    why = too_large(case, found, {n: (formats[n], x) for n, x in sparse.items()}, made)
    if why:
        return why
    bench = Bench(options, case, given)
    return bench.run("written" if found.code else "stored").code or "right"


def too_large(case: Case, found: Outcome, sparse: dict, made: dict) -> str | None:
    """Why a case is not run on operands of a matrix, if it is not; `sparse` has the formats of operands, and what is stored."""
    kernel, written = case.kernel, bool(found.code)
    stored = {n: stored_elements(format, x) for n, (format, x) in sparse.items()}
    if max(stored.values()) > MOST:
        return "too large to store"
    sizes = {d: n for name, dims, _ in kernel.operands for d, n in zip(dims, made[name].shape)}
    result = math.prod(float(sizes[d]) for d in kernel.result)
    if case.result == "dense" and result > MOST:
        return "too large a result"
    long = kernel.inner and result > MOST
    long |= found.is_dense and max(walked(format, written, x) for format, x in sparse.values()) > MOST
    # As it is written, each element is looked for in all stored rows.
    long |= written and case.format in ("dcsr", "dcsc") and math.prod(sizes.values()) * max(sizes.values()) > MOST_TERMS
    long |= case.format in ("bitmask", "dia") and terms(kernel, sizes, stored) > MOST_TERMS
    return "too large a walk" if long else None


def terms(kernel: Kernel, sizes: dict[str, int], stored: dict[str, int]) -> float:
    """How often elements that are stored meet, if they are spread evenly."""
    dims = "".join(dims for name, dims, _ in kernel.operands if name in stored)
    shared = math.prod(float(sizes[d]) ** (dims.count(d) - 1) for d in set(dims))
    return math.prod(float(n) for n in stored.values()) / max(shared, 1.0)


def on_random(every: list[tuple[int, Case]], options: argparse.Namespace) -> list[str]:
    """Runs cases on random operands, and compares what becomes of them with the book's tables."""
    failures: list[str] = []

    def attempt(numbered: tuple[int, Case]) -> Outcome | None:
        try:
            return outcome(options, numbered[1], numbered[0])
        except Wrong as wrong:
            failures.append(str(wrong))
            return None

    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(attempt, every))
    cells = {(case.row, title(case.format)): found.text for (_, case), found in zip(every, outcomes) if found}
    if options.update:
        update(cells, complete=not (options.only or options.kernels))
    return failures + differences(cells, complete=not (options.only or options.kernels))


class Log:
    """What became of cases on matrices, kept in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.lock = path, threading.Lock()
        self.verdicts: dict[tuple[str, str, str], str] = {}
        for line in path.read_text().splitlines() if path and path.exists() else []:
            name, row, format, _, verdict = line.split(" | ")
            self.verdicts[name, row, format] = verdict

    def add(self, what: tuple[str, str, str], cell: str, verdict: str) -> None:
        """Prints a verdict beside the book's cell, and keeps it."""
        line = " | ".join([*what, cell, verdict])
        with self.lock:
            self.verdicts[what] = verdict
            print(line, flush=True)
            if self.path:
                with self.path.open("a") as file:
                    file.write(line + "\n")

    def counted(self) -> None:
        """Prints how many there are of each verdict: of each kernel, and of all."""
        rows: dict[str, Counter] = {}
        for (_, row, _), verdict in self.verdicts.items():
            for name in (row, "all"):
                rows.setdefault(name, Counter())[verdict] += 1
        for row, counts in sorted(rows.items(), key=lambda item: (item[0] == "all", item[0])):
            print(f"{row}: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))


def on_matrices(every: list[Case], options: argparse.Namespace) -> list[str]:
    """Runs cases on the matrices of a folder, as the book's tables say that they can be run, and prints what becomes of them."""
    failures: list[str] = []
    read = list(operands.matrices(options.matrices))
    known = expected()
    log = Log(options.log)
    end = time.monotonic() + options.seconds

    def attempt(subject: tuple[Kernel, list[Case], str, sp.csr_array]) -> None:
        kernel, formats, name, matrix = subject
        given = None
        for case in formats:
            what = (name, case.row, title(case.format))
            if what in log.verdicts or time.monotonic() > end:
                continue
            given = given or Given(kernel, SCRATCH / "matrices" / str(threading.get_ident()), operands.of_matrix(kernel, matrix))
            cell = known.get((case.row, title(case.format)), "✓")
            try:
                verdict = on_matrix(options, case, Outcome.parse(cell), given)
            except Wrong as wrong:
                verdict = "late" if isinstance(wrong, Late) else "WRONG"
                failures.append(f"{name}: {wrong}")
            log.add(what, cell, verdict)

    # Each kernel with one matrix first, and with another one then: a piece of the work has something of everything.
    kernels = [(kernel, [case for case in every if case.kernel is kernel]) for kernel in KERNELS]
    subjects = [(*kernel, *read[(number + turn) % len(read)]) for turn in range(len(read)) for number, kernel in enumerate(kernels)]
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(attempt, subjects))
    log.counted()
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/debug/atl", help="the command to test")
    parser.add_argument("--backend", default="cranelift", help="what compiles the loops")
    parser.add_argument("--only", default="", help="only rows and formats whose names contain this")
    parser.add_argument("--count", type=int, default=1, help="how many kinds of operands for each case; there are 9")
    parser.add_argument("--jobs", type=int, default=2, help="how many runs at once")
    parser.add_argument("--update", action="store_true", help="write the tables of the book")
    parser.add_argument("--matrices", type=Path, help="a folder of .mtx files")
    parser.add_argument("--kernels", default="", help="only these kernels, separated by commas without spaces")
    parser.add_argument("--log", type=Path, help="with --matrices: keep outcomes in this file, and do not run again what has one")
    parser.add_argument("--limit", type=float, default=300, help="a run that takes more seconds is late")
    parser.add_argument("--seconds", type=float, default=math.inf, help="with --matrices: begin nothing after so many")
    options = parser.parse_args()
    options.atl = str((ROOT / options.atl).resolve())
    SCRATCH.mkdir(parents=True, exist_ok=True)
    check_difference()

    start = time.monotonic()
    every = [(number, case) for number, case in enumerate(cases()) if options.only in f"{case.row}, {title(case.format)}"]
    chosen = re.split(r",(?! )", options.kernels) if options.kernels else [kernel.name for kernel in KERNELS]
    unknown = set(chosen) - {kernel.name for kernel in KERNELS}
    if unknown:
        parser.error(f"no kernel is called {', '.join(sorted(unknown))}; there are {'; '.join(kernel.name for kernel in KERNELS)}")
    every = [(number, case) for number, case in every if case.kernel.name in chosen]
    if options.matrices:
        failures = on_matrices([case for _, case in every], options)
    else:
        failures = on_random(every, options)
    for failure in failures:
        print(f"\n{failure}")
    print(f"{len(every)} kernels in formats, {len(failures)} failures, {time.monotonic() - start:.0f} s")
    return 1 if failures or not every else 0


if __name__ == "__main__":
    sys.exit(main())
