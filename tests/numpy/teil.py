#!/usr/bin/env python3
"""Compares TeIL, as the literature writes its kernels, and operators of fluid dynamics with NumPy.

The arrays hold small whole numbers, so results are equal or wrong, lifted ones too. `--elements` and `--backends` do more.
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
    return re.sub(r"\[[mn]( [mn])*\]", lambda sizes: re.sub("[mn]", str(nodes), sizes[0]), text)


def saved(name: str, array: np.ndarray) -> Path:
    path = SCRATCH / f"{name}.npy"
    np.save(path, array)
    return path


def shape_of(text: str) -> dict[str, tuple[int, ...]]:
    """The inputs of a program with their shapes."""
    parts = text.split("input ")[1:]
    sizes = {part.split(" :")[0]: part.split("[")[1].split("]")[0].split(",") for part in parts}
    return {name: tuple(SIZES[s.strip()] for s in of) for name, of in sizes.items()}


def runs(backends: list[str], nodes: list[int], elements: int):
    """Every run: its words, the path of its result, and what that should hold."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    every = []
    for name, text, meaning in KERNELS:
        file = SCRATCH / f"{name}.teil"
        file.write_text(text + "\n")
        arrays = {a: rng.integers(-3, 4, shape).astype(float) for a, shape in shape_of(text).items()}
        found = meaning if callable(meaning) else (lambda *given, s=meaning: np.einsum(s, *given))
        every.append((name, file, [None, "lifted"] if name in ("nested", "kronecker") else [None], None, arrays, found))
    for name, function, inputs, meaning in OPERATORS:
        for n in nodes:
            arrays = {a: rng.integers(-3, 4, shape(n, elements)).astype(float) for a, shape in inputs.items()}
            example = ROOT / "examples" / f"{name}.cfd"
            schedules = [None] if name == "gradient" else ["lifted"] + [None] * (n <= 6)
            every.append((f"{name}-{n}", example, schedules, function, arrays, meaning))
            if name == "gradient":
                continue
            # Tiles are of numbers; here there are as many points as nodes.
            arrays = arrays | {a: array[:n] for a, array in arrays.items() if a == "P"}
            file = SCRATCH / f"{name}_{n}.cfd"
            file.write_text(with_numbers(example.read_text(), n))
            every.append((f"{name}-of-{n}", file, ["batched"], function, arrays, meaning))
    for name, file, schedules, function, arrays, meaning in every:
        expected = meaning(*arrays.values())
        paths = {a: saved(f"{name}-{a}", array) for a, array in arrays.items()}
        for schedule in schedules:
            for backend in backends:
                out = SCRATCH / f"{name}-{schedule}-{backend}.npy"
                words = ["run", str(file), "--backend", backend, "--out", str(out)]
                words += ["--fn", function] * (function is not None)
                words += ["--schedule", schedule] * (schedule is not None)
                words += [word for a, path in paths.items() for word in ("--in", f"{a}={path}")]
                yield words, out, expected


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/debug/atl", help="the command to test")
    parser.add_argument("--backends", default="cranelift", help="which back ends, separated by commas")
    parser.add_argument("--nodes", default="2,3,4,5,6,7,8,9,10,12,13,16,20", help="nodes in each direction, separated by commas")
    parser.add_argument("--elements", type=int, default=3, help="how many elements operators are applied to")
    args = parser.parse_args()
    atl = str(Path(args.atl).resolve())
    nodes = [int(n) for n in args.nodes.split(",")]
    wrong, count = 0, 0
    every = runs(args.backends.split(","), nodes, args.elements)
    with ThreadPoolExecutor(2) as pool:
        for words, why in pool.map(lambda run: (run[0], compare(atl, *run)), every):
            count += 1
            if why is not None:
                wrong += 1
                print(f"{' '.join([atl, *words])}\n{why}\n")
    print(f"{count} runs, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
