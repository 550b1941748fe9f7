#!/usr/bin/env python3
"""Functions without a schedule, as they are written and under the schedule that is chosen for them.

    python3 benches/auto.py target/release/atl [FOLDER]

Without a folder: the functions of `examples` that are listed below; of a folder, every function of its programs at `--size 300`.
`atl bench` times both in turn on one thread. Prints a line a function, and writes `benches/results/auto.json` for the examples. The
ratios are of the least times: as written, by under `auto`.
"""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benches" / "results" / "auto.json"
ROUNDS = "9"
# Functions of the examples, with sizes.
EXAMPLES = [
    ("blur", "blur", {"N": 1000, "M": 1000}),
    ("matmul", "matmul", {"M": 320, "K": 320, "N": 320}),
    ("softmax", "softmax", {"N": 1000, "M": 1000}),
    ("layer_norm", "layer_norm", {"N": 1000, "M": 1000}),
    ("relax", "relax", {}),
    ("elementwise", "multiply_add", {"N": 4000000}),
    ("conv1d", "conv1d", {"N": 100000, "R": 9}),
    ("sparse", "spmv", {}),
    ("sparse", "spgemm_csr", {}),
]


def functions(folder):
    """Every function of the programs in a folder: (file, function, sizes)."""
    for file in sorted(folder.glob("*.atl")):
        for function in re.findall(r"^fn (\w+)", file.read_text(), re.M):
            yield file, function, {}


def listed():
    """Those of the list that exist."""
    for name, function, sizes in EXAMPLES:
        file = ROOT / "examples" / f"{name}.atl"
        if re.search(rf"^fn {function}\b", file.read_text(), re.M):
            yield file, function, sizes


def measured(atl, file, function, sizes):
    """What `atl bench` says of both; or why it says nothing."""
    given = [word for name, n in sizes.items() for word in ("--set", f"{name}={n}")] or ["--size", "300"]
    line = [atl, "bench", file, "--fn", function, "--schedules", "source,auto", *given, "--rounds", ROUNDS, "--json"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=120, env=environment)
    except subprocess.TimeoutExpired:
        return None, "it takes too long"
    if done.returncode:
        return None, done.stderr.splitlines()[0] if done.stderr else "it fails"
    return json.loads(done.stdout), None


def script(atl, file, function):
    """How the schedule was chosen."""
    line = [atl, "explain", file, "--fn", function, "--schedule", "auto"]
    text = subprocess.run(line, capture_output=True, text=True, timeout=120).stdout
    return [step for step in re.findall(r"^step \d+, line \d+:  (.*);$", text, re.M)]


def main():
    atl = Path(sys.argv[1]).resolve()
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    rows, ratios = [], []
    for file, function, sizes in functions(folder) if folder else listed():
        found, why = measured(atl, file, function, sizes)
        if found is None:
            print(f"{function:20} {why}", flush=True)
            continue
        written, chosen = found["schedules"]
        ratio = written["fastest_ns"] / chosen["fastest_ns"]
        ratios.append(ratio)
        steps = script(atl, file, function)
        rows.append({
            "function": function,
            "sizes": {size["name"]: size["value"] for size in found["sizes"]},
            "written_ns": written["fastest_ns"],
            "auto_ns": chosen["fastest_ns"],
            "ratio": round(ratio, 3),
            "steps": steps,
        })
        print(f"{function:20} {written['fastest_ns'] / 1e6:9.3f} ms {chosen['fastest_ns'] / 1e6:9.3f} ms {ratio:8.2f}", flush=True)
    if not rows:
        return
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(rows)} functions, geometric mean of the ratios {mean:.2f}")
    if folder is None:
        about = "Functions of the examples as written and under `auto`, on one thread beside other load; ratio: the least time as written, by that under `auto`."
        RESULTS.write_text(json.dumps({"about": about, "rounds": int(ROUNDS), "mean": round(mean, 2), "functions": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
