"""Kernels of ours beside others, timed in turn in one process, and the file of what was measured."""

import ctypes
import json
import statistics
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILE = ["cc", "-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"]


def at(array):
    """An array as C is given it."""
    return ctypes.c_void_p(array.ctypes.data)


def built(atl, program, function, folder, *options):
    """Our kernel of a function in a file of the repository; without options, under the schedule that is chosen."""
    out = f"{folder}/{'_'.join([function, *options]).replace('--', '')}"
    words = [atl, "build", str(ROOT / program), "--fn", function, *options, "-o", out]
    subprocess.run(words, check=True, capture_output=True)
    return getattr(ctypes.CDLL(f"{out}/lib{function}.so"), function)


def plain_c(source, folder):
    """The functions of a C file of the repository."""
    library = f"{folder}/plain.so"
    subprocess.run([*COMPILE, str(ROOT / source), "-o", library], check=True)
    return ctypes.CDLL(library)


def raced(runs, rounds, warm):
    """The times of rounds in which all run in turn, in seconds of the processor, by name; the first few rounds do not count.
    Each round has another order: what runs after a run that leaves its arrays in a cache would be quicker."""
    times, order = {name: [] for name in runs}, list(runs.items())
    for round_ in range(rounds + warm):
        order = order[1:] + order[:1] if round_ % 2 else order[::-1]
        for name, run in order:
            start = time.thread_time()
            run()
            if round_ >= warm:
                times[name].append(time.thread_time() - start)
    return times


def row_of(what, times, others):
    """What is printed and kept: the least times, and the medians of theirs by ours in single rounds."""
    ratios = {o: statistics.median(t / u for t, u in zip(times[o], times["ours"], strict=True)) for o in others}
    return {
        "what": what,
        "milliseconds": {name: round(min(all_) * 1e3, 3) for name, all_ in times.items()},
        "ratios": {o: round(r, 2) for o, r in ratios.items()},
    }


def written(name, rows, **about):
    """Writes the results under this name, with the compiler and the load."""
    compiler = subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    load = Path("/proc/loadavg").read_text().split()[0]
    path = ROOT / "benches" / "results" / f"{name}.json"
    path.write_text(json.dumps({**about, "compiler": compiler, "load": load, "rows": rows}, indent=1) + "\n")
