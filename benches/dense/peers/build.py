#!/usr/bin/env python3
"""Compiles a case of `benches/src/dense/cases.rs` by whatever else this Python has, for the sizes at hand.

    build.py --case NAME --threads T --out FOLDER SIZE=VALUE..

Each library that is written has one function, `int32_t peer(const int64_t *sizes, void *const *buffers)`, of the sizes and
the number of threads, and of the case's arrays. A line `library<TAB>author<TAB>name<TAB>path` is printed for each, and a
line `skipped<TAB>author<TAB>reason` for what is not installed or has nothing to offer. Libraries are kept by what they are
made of, so a second call is quick.
"""

import argparse
import hashlib
import importlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

# Each module says by `AUTHOR` who it is, by `version()` which one, and by `candidates(case, sizes, threads)` what there is.
MODULES = ["with_halide", "with_openblas", "with_tvm"]


@dataclass(frozen=True)
class Candidate:
    """Something to be compiled: `write(folder)` leaves files there and returns what the C compiler is given."""

    name: str
    write: Callable[[Path], list[str]]


def processor() -> str:
    """What the compiler may use."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return "\n".join(line for line in lines if line.startswith(("model name", "flags")))


def library(candidate: Candidate, key: str, out: Path) -> Path:
    """The candidate's library, compiled if it is not there."""
    name = hashlib.sha256(f"{key}\n{candidate.name}".encode()).hexdigest()[:24]
    path = out / f"{name}.so"
    if not path.exists():
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        words = candidate.write(folder)
        new = folder / "new.so"
        flags = ["-O3", "-march=native", "-shared", "-fPIC", "-Wl,-Bsymbolic", "-o", str(new)]
        subprocess.run(["cc", *flags, *words, "-lpthread", "-ldl", "-lm"], check=True)
        new.rename(path)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("sizes", nargs="*")
    options = parser.parse_args()
    sizes = {name: int(value) for name, value in (word.split("=") for word in options.sizes)}
    here = Path(__file__).parent
    options.out.mkdir(parents=True, exist_ok=True)
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError as why:
            print(f"skipped\t{name.removeprefix('with_')}\tnot installed ({why})")
            continue
        candidates = module.candidates(options.case, sizes, options.threads)
        if not candidates:
            print(f"skipped\t{module.AUTHOR}\tthere is no schedule for this case")
        text = (here / f"{name}.py").read_text() + Path(__file__).read_text()
        key = f"{text}\n{module.version()}\n{processor()}\n{options.case} {sizes} {options.threads}"
        for candidate in candidates:
            print(f"library\t{module.AUTHOR}\t{candidate.name}\t{library(candidate, key, options.out).resolve()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
