#!/usr/bin/env python3
"""Compares `atl tensor` on einsum strings with NumPy's `einsum`, dense and with operands in formats.

The arrays hold small whole numbers, so results are equal or wrong. Every run is one run of the command, as a user would
type it; a failing one can be run again as printed.
"""

import argparse
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed (./test installs it)")
    sys.exit(0)

from once import ROOT, compare

SCRATCH = ROOT / "target" / "numpy" / "einsum"

STRINGS = """i-> i->i ij->ji ij-> ij->i ij->j ii ii->i ij ba ij,j ij,j->i ij,jk ij,jk->ki ij,ij-> ij,ij->ij i,j->ij i,j i,i
    ij,ji ij,ji->i ijk,k->ij ijk,jl,kl->il ijk->kji iij->j iii iii->i i,ij,j ij,jk,kl->il ij,kj->ik ij,kj aB,Bc,c ,ij->ij ij,
    ijk,ijk-> ijkl,kl->ij bij,bjk->bik ijk,jk->i ik,k,jk->ij""".split() + ["i , j -> ji", "ij, jk"]
ELLIPSES = "...ij->...ji i... ...i->i... ...->... ...i,i->... ...i,...i->... ...ij,jk->...ik ...ij,...jk->...ik ...ii->...i i...,j...->ij...".split()
MANY = "ij,jk,kl,lm->im abc,cd,de,ef,fb->a ij,ik,il,im->i i,i,i,i-> gfl,egh,efj,mjk,cdn,bck,bdi,oih->lmno ab,bc,cd,de,ef,fg,gh,hi->ai ab,bc,cd,de,ef,fg,gh,hi,ij,jk,kl->al".split()
EXTENTS = [{"i": 4, "j": 2, "k": 5, "default": 3}, {"default": 3}, {"j": 1, "default": 2}, {"j": 0, "default": 2}]
FORMATS = [{1: "s", 2: "csr", 3: "csf"}, {1: "bitmask", 2: "ds:1,0", 3: "ucq"}]


def runs(backends: list[str]):
    """Every run: its words, the path of its result, and what that should hold."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    # The first extents for every string, and the others in turn.
    pairs = [(s, e) for k, s in enumerate(STRINGS + ELLIPSES + MANY) for e in (EXTENTS[0], EXTENTS[1 + k % (len(EXTENTS) - 1)])]
    for number, (string, extents) in enumerate(pairs):
        rng = np.random.default_rng(number)
        groups = string.replace(" ", "").split("->")[0].split(",")
        arrays = []
        for group in groups:
            letters = group.replace("...", "YZ" if number % 3 else "Z")
            shape = [extents.get(letter, extents["default"]) for letter in letters]
            arrays.append(np.array(rng.integers(-2, 4, shape) * rng.integers(0, 2, shape), np.float64))
        expected = np.einsum(string, *arrays)
        names = [f"T{k}" for k in range(len(groups))]
        paths = [SCRATCH / f"{number}-{name}.npy" for name in names]
        for path, array in zip(paths, arrays):
            np.save(path, array)
        for k, formats in enumerate(({}, FORMATS[number % len(FORMATS)])):
            given = [(n, formats[len(g)]) for n, g in zip(names, groups) if len(g) in formats and "." not in g]
            if k > 0 and not given:
                continue
            for backend in backends:
                out = SCRATCH / f"{number}-{k}-{backend}.npy"
                words = ["tensor", string, *names, "--backend", backend, "-o", str(out)]
                words += [word for name, path in zip(names, paths) for word in ("-i", f"{name}={path}")]
                words += [word for name, format in given for word in ("-f", f"{name}:{format}")]
                yield words, out, expected


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/debug/atl", help="the command to test")
    parser.add_argument("--backends", default="cranelift", help="which back ends, separated by commas")
    args = parser.parse_args()
    atl = str(Path(args.atl).resolve())
    every = list(runs(args.backends.split(",")))
    with ThreadPoolExecutor() as pool:
        wrong = list(pool.map(lambda run: compare(atl, *run), every))
    for (words, _, _), why in zip(every, wrong):
        if why:
            print(f"atl {shlex.join(words)}\n{why}\n")
    failed = sum(why is not None for why in wrong)
    print(f"{len(every)} einsums, {failed} differ from NumPy's")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
