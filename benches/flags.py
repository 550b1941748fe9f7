#!/usr/bin/env python3
"""What the flags cost that keep GCC from its faults: each kernel that gets one, with it and without it.

    python3 benches/flags.py target/release/atl [FILE.atl ..]

Without files: those of `examples`. A kernel is compiled by `cc`, and by `cc` behind a script that leaves the flags out; `atl bench`
times both in turn, in three processes each, on one thread. Prints a line a kernel, and writes `benches/results/flags.json` if all
examples were measured. The times are the least of a call, in nanoseconds.
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benches" / "results" / "flags.json"
FLAGS = ("-fno-tree-loop-if-convert", "-fno-tree-slp-vectorize")
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
# What fits the constant extents of a function; the tuner's sizes suit the others.
SIZES = {
    "conv2d_layer": ["--set", "B=1", "--set", "C=8", "--set", "H=58", "--set", "W=58", "--set", "K=8", "--set", "R=3", "--set", "S=3"],
    "add": ["--size", "48"],
}


def kernels(file):
    """The functions of a program as written and under each schedule: (function, schedule or None)."""
    text = file.read_text()
    yield from ((function, None) for function in re.findall(r"^fn (\w+)", text, re.M))
    yield from ((function, name) for name, function in re.findall(r"^schedule (\w+) of (\w+)", text, re.M))


def flags(atl, file, function, schedule):
    """The flags that the shape of a kernel asks for."""
    with tempfile.TemporaryDirectory() as folder:
        given = ["--schedule", schedule or "none"]
        line = [atl, "build", file, "--fn", function, *given, "-o", folder, "--no-validate"]
        if subprocess.run(line, capture_output=True, timeout=300).returncode:
            return []
        about = (Path(folder) / f"{function}.md").read_text()
        found = [flag for flag in FLAGS if flag in about]
        return found if "-fno-trapping-math" in about else [*found, "no -fno-trapping-math"]


def least(atl, compiler, file, function, schedule):
    """The least time of a call, or None."""
    name = schedule or "source"
    sizes = SIZES.get(function, ["--size", "200"])
    line = [atl, "bench", file, "--fn", function, "--schedules", name, *sizes, "--backend", "c"]
    environment = {**os.environ, "CC": compiler, "OMP_NUM_THREADS": "1"}
    try:
        shown = subprocess.run(line, capture_output=True, text=True, timeout=120, env=environment).stdout
    except subprocess.TimeoutExpired:
        return None
    found = re.search(rf"^{name}\s+\S+\s+([\d.]+)(ns|µs|ms|s)\s", shown, re.M)
    return float(found[1]) * UNITS[found[2]] if found else None


def without(folder):
    """A compiler that does not get the flags."""
    script = Path(folder) / "cc"
    cases = "|".join(FLAGS)
    script.write_text(
        f'#!/bin/sh\nfor a; do shift; case "$a" in {cases}) ;; *) set -- "$@" "$a" ;; esac; done\nexec {shutil.which("cc")} "$@"\n'
    )
    script.chmod(0o755)
    return str(script)


def main():
    atl, *files = sys.argv[1:]
    chosen = [Path(file) for file in files] or sorted((ROOT / "examples").glob("*.atl"))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        plain = without(folder)
        for file in chosen:
            for function, schedule in kernels(file):
                asked = [flag for flag in flags(atl, file, function, schedule) if flag in FLAGS]
                if not asked:
                    continue
                pairs = [[least(atl, c, file, function, schedule) for c in (plain, "cc")] for _ in range(3)]
                row = {"program": file.name, "function": function, "schedule": schedule or "source", "flags": asked}
                if all(time is not None for pair in pairs for time in pair):
                    row["without"], row["with"] = (min(pair[side] for pair in pairs) for side in (0, 1))
                    row["ratio"] = round(row["with"] / row["without"], 3)
                rows.append(row)
                print(file.name, function, row["schedule"], row.get("without"), row.get("with"), row.get("ratio"), flush=True)
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    mean = round(math.exp(sum(map(math.log, ratios)) / len(ratios)), 3)
    print(f"{len(rows)} kernels get a flag, {len(ratios)} measured, geometric mean {mean}")
    if not files:
        keep(rows, mean)


def keep(rows, mean):
    """Writes the rows of the examples, one a line, beside what the file says of other programs."""
    kept = json.loads(RESULTS.read_text())
    results = kept["results"]
    others = [row for row in results["kernels"] if not (ROOT / "examples" / row["program"]).exists()]
    results["geometric_mean"]["examples"] = mean
    kept["machine"]["load"] = f"{os.getloadavg()[0]:.0f}"
    results["kernels"] = []
    text = json.dumps(kept, indent=2, ensure_ascii=False)
    lines = ",\n".join("      " + json.dumps(row, ensure_ascii=False) for row in rows + others)
    RESULTS.write_text(text.replace('"kernels": []', f'"kernels": [\n{lines}\n    ]', 1) + "\n")


main()
