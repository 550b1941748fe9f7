#!/usr/bin/env python3
"""Compares every example, as written, under `auto` and under each of its schedules, with NumPy, on every back end.

The cases are in `cases/`; the schedules are found in the programs. Each comparison is one run of the command, as a user
would type it. Inputs and results are left in `target/numpy`, so that a failing command can be run again as printed.
"""

import argparse
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

try:
    import numpy as np
    import scipy  # noqa: F401
except ImportError:
    print("skipped: NumPy or SciPy is not installed (./test installs them)")
    sys.exit(0)

from cases import CASES, Case, Sizes

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / "target" / "numpy"
BACKENDS = ["interp", "loops", "c", "cranelift"]
# What is said of sizes that a schedule excludes.
REFUSED = "refused, as the schedule says"
# One run takes a fraction of a second; whatever takes so long will not end.
TIME_LIMIT = 300


@dataclass(frozen=True)
class Run:
    """One run of the command, and where its inputs and result are."""

    case: Case
    sizes: Sizes
    schedule: str
    backend: str
    inputs: dict[str, Path]
    expected: tuple[np.ndarray, ...]
    outs: tuple[Path, ...]

    def command(self, atl: str) -> list[str]:
        words = [atl, "run", f"examples/{self.case.file}", "--fn", self.case.function, "--backend", self.backend]
        words += ["--schedule", self.schedule]
        for name, path in self.inputs.items():
            words += ["--in", f"{name}={path.relative_to(ROOT)}"]
        for name in self.case.set_sizes:
            words += ["--set", f"{name}={self.sizes[name]}"]
        for out in self.outs:
            words += ["--out", str(out.relative_to(ROOT))]
        return words


def schedules(case: Case) -> list[str]:
    """The schedules of the case's function."""
    text = (ROOT / "examples" / case.file).read_text()
    return re.findall(rf"^schedule (\w+) of {case.function}\b", text, re.MULTILINE)


def promises(case: Case) -> list[str]:
    """The schedules of the case's function that are for certain sizes, and refuse others."""
    text = (ROOT / "examples" / case.file).read_text()
    return re.findall(rf"^schedule (\w+) of {case.function} {{\n +assume ", text, re.MULTILINE)


def taking_turns(backends: list[str], turn: int, of: int) -> list[str]:
    """C in every second turn, and of so many turns one with another back end each."""
    others = [backend for backend in backends if backend != "c"] + [None] * of
    chosen = ["c", others[turn % of]] if turn % 2 == 0 or len(backends) == 1 else [others[turn % of]]
    return [backend for backend in backends if backend in chosen]


def runs_of(case: Case, backends: list[str], every_backend: bool) -> list[Run]:
    """The runs of a case; its inputs are written. The smallest sizes, and those that schedules promise, are tried on every
    back end, others by turns."""
    runs = []
    for number, sizes in enumerate(case.sizes + case.promised):
        folder = SCRATCH / case.file / case.function / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        arrays = case.inputs(np.random.default_rng(number), sizes)
        inputs = {name: folder / f"{name}.npy" for name in arrays}
        for name, array in arrays.items():
            np.save(inputs[name], array)
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = case.reference(arrays, sizes)
        # Of several results the case gives each with its type.
        if not isinstance(expected, tuple):
            expected = (expected.astype(case.result or next(iter(arrays.values())).dtype),)
        every = ["none", "auto", *schedules(case)] if number < len(case.sizes) else promises(case)
        for turn, schedule in enumerate(every):
            turns = 6 if schedule == "none" else 12
            whole = every_backend or number < 2 or number >= len(case.sizes)
            for backend in backends if whole else taking_turns(backends, number + turn, turns):
                # What is chosen is chosen for C. Its loops are checked with traps, at small sizes, by `testkit`.
                if schedule == "auto" and (backend != "c" or number + 3 < len(case.sizes)):
                    continue
                outs = tuple(folder / f"out{k or ''}-{schedule}-{backend}.npy" for k in range(len(expected)))
                runs.append(Run(case, sizes, schedule, backend, inputs, expected, outs))
    return runs


def difference(found: np.ndarray, expected: np.ndarray, tolerance: float) -> str | None:
    """What is wrong with a result, if anything."""
    if found.dtype != expected.dtype:
        return f"the elements are {found.dtype}, not {expected.dtype}"
    if found.shape != expected.shape:
        return f"the shape is {found.shape}, not {expected.shape}"
    if tolerance == 0:
        wrong = ~np.equal(found, expected)
    else:
        scale = np.max(np.abs(expected), initial=1.0)
        wrong = ~(np.abs(found - expected) <= tolerance * scale)
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{wrong.sum()} of {wrong.size} entries differ, first at {at}: {found[at]}, not {expected[at]}"


def compare(run: Run, atl: str) -> str | None:
    """Run the command; what is wrong, if anything."""
    for out in run.outs:
        out.unlink(missing_ok=True)
    try:
        done = subprocess.run(run.command(atl), cwd=ROOT, capture_output=True, text=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        return f"still running after {TIME_LIMIT} s"
    if done.returncode != 0 and "error[E0506]" in done.stderr and run.schedule in promises(run.case):
        return REFUSED
    if done.returncode != 0:
        return f"exit code {done.returncode}\n{done.stderr.strip()}"
    if not all(out.exists() for out in run.outs):
        return "nothing was written"
    pairs = zip(run.outs, run.expected)
    wrong = (difference(np.load(out), expected, run.case.tolerance) for out, expected in pairs)
    return next((why for why in wrong if why), None)


def check_difference() -> None:
    """The comparison itself must be able to fail."""
    a = np.ones((2, 3), np.float32)
    assert difference(a, a.copy(), 0) is None
    assert difference(a + np.float32(1e-3), a, 1e-5)
    assert difference(a + np.float32(1e-7), a, 1e-5) is None
    assert difference(a.astype(np.float64), a, 1e-5)
    assert difference(a[:, :2], a, 1e-5)
    assert difference(np.full_like(a, np.nan), a, 1e-5)
    assert difference(np.zeros((0, 3), np.float32), np.zeros((3, 0), np.float32), 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/debug/atl", help="the command to test")
    parser.add_argument("--backends", default=",".join(BACKENDS), help="which back ends, separated by commas")
    parser.add_argument("--only", default="", help="only functions whose name contains one of these, by comma")
    parser.add_argument("--every", action="store_true", help="each schedule at each size on every back end, where else they take turns")
    parser.add_argument("--jobs", type=int, default=2, help="how many runs at once")
    options = parser.parse_args()
    atl = str((ROOT / options.atl).resolve())
    if not Path(atl).is_file():
        print(f"there is no command at {options.atl}; build it, or say where it is with --atl", file=sys.stderr)
        return 2

    check_difference()
    backends = options.backends.split(",")
    print(f"{'function':<14} {'schedules':>9} {'sizes':>6} {'runs':>6} {'failed':>7} {'seconds':>8}")
    total, failures = 0, []
    with ThreadPoolExecutor(options.jobs) as pool:
        for case in [case for case in CASES if any(word in case.function for word in options.only.split(","))]:
            start = time.monotonic()
            runs = runs_of(case, backends, options.every)
            verdicts = list(pool.map(lambda run: compare(run, atl), runs))
            failed = [(run, verdict) for run, verdict in zip(runs, verdicts) if verdict not in (None, REFUSED)]
            for schedule in promises(case):
                own = [(run, verdict) for run, verdict in zip(runs, verdicts) if run.schedule == schedule]
                if all(verdict == REFUSED for _, verdict in own):
                    failed.append((own[0][0], "the schedule refuses all sizes of the case: it was not compared"))
            total += len(runs)
            failures += failed
            counts = f"{len(schedules(case)):>9} {len(case.sizes + case.promised):>6} {len(runs):>6} {len(failed):>7}"
            print(f"{case.function:<14} {counts} {time.monotonic() - start:>8.1f}", flush=True)

    for run, verdict in failures[:20]:
        print(f"\n{shlex.join(run.command(options.atl))}\n  {run.sizes}: {verdict}")
    print(f"\n{total} runs on {', '.join(backends)}: {len(failures)} failed")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main())
