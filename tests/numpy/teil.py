#!/usr/bin/env python3
"""Compares TeIL, as the literature writes its kernels, and operators of fluid dynamics with NumPy.

The arrays hold small whole numbers, so results are equal or wrong, lifted ones too. `--elements` and `--backends` do more:

    tests/numpy/teil.py --atl target/release/atl --nodes 2-20 --elements 10000 --backends c

Arrays of many elements are made, and what is expected of them is computed, piece by piece in files.
"""

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed (./test installs it)")
    sys.exit(0)

from once import ROOT, compare

SCRATCH = ROOT / "target" / "numpy" / "teil"

# Name, program, einsum or function of the inputs in order.
KERNELS = [
    ("product", "input A : [m, k] input B : [k, n] output C : [m, n] C = contr 2 3 (prod A B)", "mk,kn->mn"),
    ("slices", "input B : [m, n, h] input C : [h] output A : [m, n] A = contr 3 4 (prod B C)", "mnh,h->mn"),
    ("weights", "input B : [m, n, h] input C : [m] output A : [m, n] A = red+ 3 (diag 1 4 (prod B C))", "mnh,m->mn"),
    ("turned", "input B : [h, n, m] input C : [m] output A : [m, n]"
               " A = transp 1 2 (red+ 1 (diag 3 4 (prod B C)))", "hnm,m->mn"),
    ("transposed", "input A : [h, m] input B : [h, n] output C : [m, n] C = contr 1 3 (prod A B)", "hm,hn->mn"),
    ("increment", "input B : [m] input C : [m] output A : [m] A = B A = add A C", lambda b, c: b + c),
    ("entry", "input A : [m, n] input B : [k, m, n] where 2 <= k output C : [m, n] C = add A (proj 1 2 B)",
     lambda a, b: a + b[1]),
    ("repeated", "input A : [m, n] input B : [k, m, n] output D : [k, m, n] D = add (expa 1 k A) B", lambda a, b: a + b),
    ("nested", "input A : [m, m] input B : [m, m] input x : [m] output y : [m]"
               " y = contr 2 3 (prod (contr 2 3 (prod A B)) x)", "ij,jk,k->i"),
    ("kronecker", "input A : [m, k] input B : [n, h] input u : [k, h] output v : [m, n]"
                  " v = contr 2 4 (contr 4 6 (prod (prod A B) u))", "mk,nh,kh->mn"),
]
SIZES = {"m": 3, "n": 4, "k": 2, "h": 5}


def helmholtz(q, lam, rhs):
    modal = lam * np.einsum("ia,jb,kc,eijk->eabc", q, q, q, rhs, optimize=True)
    return np.einsum("ai,bj,ck,eijk->eabc", q, q, q, modal, optimize=True)


def gradient(g, u):
    axes = [np.einsum(s, g, u) for s in ("ai,eijk->eajk", "aj,eijk->eiak", "ak,eijk->eija")]
    return np.stack(axes, axis=1)


# The file, its function, the inputs with their shapes for `n` nodes and `e` elements, and what is computed.
OPERATORS = [
    ("interpolate", "v", {"P": lambda n, e: (n + 1, n), "u": lambda n, e: (e, n, n, n)},
     lambda p, u: np.einsum("ai,bj,ck,eijk->eabc", p, p, p, u, optimize=True)),
    ("gradient", "g", {"G": lambda n, e: (n, n), "u": lambda n, e: (e, n, n, n)}, gradient),
    ("helmholtz", "sol", {"Q": lambda n, e: (n, n), "lam": lambda n, e: (e, n, n, n), "rhs": lambda n, e: (e, n, n, n)},
     helmholtz),
]


def with_numbers(text: str, nodes: int) -> str:
    """A program of fluid dynamics in which axes have this many nodes."""
    return re.sub(r"\[(3 )?[mn]( [mn])*\]", lambda sizes: re.sub("[mn]", str(nodes), sizes[0]), text)


# So many elements are computed at once.
PIECE = 500


def saved(name: str, array: np.ndarray) -> Path:
    path = SCRATCH / f"{name}.npy"
    np.save(path, array)
    return path


def made(name: str, rng: np.random.Generator, shape: tuple[int, ...]) -> Path:
    """A file with small whole numbers."""
    path = SCRATCH / f"{name}.npy"
    array = np.lib.format.open_memmap(path, "w+", "f8", shape)
    for first in range(0, shape[0], PIECE):
        piece = array[first : first + PIECE]
        piece[...] = rng.integers(-3, 4, piece.shape, "i1")
    return path


def computed(name: str, meaning, paths: dict[str, Path], elements: int) -> np.ndarray:
    """What an operator means, of elements one piece after the other; what is no matrix has a dimension of them."""
    arrays = [np.load(path, mmap_mode="r") for path in paths.values()]
    of = lambda first: meaning(*(a if a.ndim == 2 else a[first : first + PIECE] for a in arrays))
    path, piece = SCRATCH / f"{name}.npy", of(0)
    whole = np.lib.format.open_memmap(path, "w+", "f8", (elements, *piece.shape[1:]))
    for first in range(0, elements, PIECE):
        whole[first : first + PIECE] = of(first)
    return whole


def shape_of(text: str) -> dict[str, tuple[int, ...]]:
    """The inputs of a program with their shapes."""
    parts = text.split("input ")[1:]
    sizes = {part.split(" :")[0]: part.split("[")[1].split("]")[0].split(",") for part in parts}
    return {name: tuple(SIZES[s.strip()] for s in of) for name, of in sizes.items()}


def words(file: Path, function: str | None, schedule: str | None, backend: str, paths: dict[str, Path], out: Path):
    """The command of a run."""
    given = [word for a, path in paths.items() for word in ("--in", f"{a}={path}")]
    of = ["--fn", function] * (function is not None) + ["--schedule", schedule] * (schedule is not None)
    return ["run", str(file), "--backend", backend, "--out", str(out), *of, *given]


def groups(backends: list[str], nodes: list[int], elements: int):
    """Runs with the same arrays: the words of each, the path of its result, and what that should hold; and those files."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)

    def group(name, file, schedules, function, paths, expected, files):
        each = [(s, b, SCRATCH / f"{name}-{s}-{b}.npy") for s in schedules for b in backends]
        runs = [(words(file, function, s, b, paths, out), out, expected) for s, b, out in each]
        return runs, [*files, *(out for _, _, out in each)]

    for name, text, meaning in KERNELS:
        file = SCRATCH / f"{name}.teil"
        file.write_text(text + "\n")
        arrays = {a: rng.integers(-3, 4, shape).astype(float) for a, shape in shape_of(text).items()}
        found = meaning if callable(meaning) else (lambda *given, s=meaning: np.einsum(s, *given))
        paths = {a: saved(f"{name}-{a}", array) for a, array in arrays.items()}
        schedules = [None, "lifted"] if name in ("nested", "kronecker") else [None]
        yield group(name, file, schedules, None, paths, found(*arrays.values()), [])
    for name, function, inputs, meaning in OPERATORS:
        example = ROOT / "examples" / f"{name}.cfd"
        for n in nodes:
            paths = {a: made(f"{name}-{n}-{a}", rng, shape(n, elements)) for a, shape in inputs.items()}
            expected = computed(f"{name}-{n}", meaning, paths, elements)
            schedules = [None] if name == "gradient" else ["lifted"] + [None] * (n <= 6)
            files = [*paths.values(), Path(expected.filename)]
            runs, files = group(f"{name}-{n}", example, schedules, function, paths, expected, files)
            # Tiles are of numbers; here there are as many points as nodes.
            file = SCRATCH / f"{name}_{n}.cfd"
            file.write_text(with_numbers(example.read_text(), n))
            if "P" in paths:
                paths = dict(paths)
                paths["P"] = saved(f"{name}-of-{n}-P", np.load(paths["P"])[:n])
                paths["u"] = made(f"{name}-of-{n}-u", rng, inputs["u"](n, elements))
                expected = computed(f"{name}-of-{n}", meaning, paths, elements)
            files += [*paths.values(), Path(expected.filename)]
            more = group(f"{name}-of-{n}", file, ["batched"], function, paths, expected, files)
            yield runs + more[0], more[1]


def numbers(text: str) -> list[int]:
    """`2,5-7` as 2, 5, 6 and 7."""
    ends = [part.split("-") for part in text.split(",")]
    return [n for end in ends for n in range(int(end[0]), int(end[-1]) + 1)]


# Arrays of so many elements are large: one run at a time has them, and no file outlives its runs.
MANY = 100


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/debug/atl", help="the command to test")
    parser.add_argument("--backends", default="cranelift", help="which back ends, separated by commas")
    parser.add_argument("--nodes", default="2-20", help="nodes in each direction, as 2,5-7")
    parser.add_argument("--elements", type=int, default=3, help="how many elements operators are applied to")
    args = parser.parse_args()
    atl = str(Path(args.atl).resolve())
    every = groups(args.backends.split(","), numbers(args.nodes), args.elements)
    many = args.elements > MANY
    if not many:
        every = [([run for runs, _ in every for run in runs], [])]
    wrong, count = 0, 0
    with ThreadPoolExecutor(1 if many else 2) as pool:
        for runs, files in every:
            for run, why in pool.map(lambda run: (run[0], compare(atl, *run)), runs):
                count += 1
                if why is not None:
                    wrong += 1
                    print(f"{' '.join([atl, *run])}\n{why}\n")
            for file in files if many else []:
                file.unlink(missing_ok=True)
    print(f"{count} runs, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
