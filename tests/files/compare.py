#!/usr/bin/env python3
"""Compares what `atl convert` reads and writes with SciPy and Pillow: every file that one writes, the other reads as the same tensor.

Matrices are random, and of every kind that has an edge: without rows, columns or entries, full, with explicit zeros, with the
largest integers. `--matrices FOLDER` adds the Matrix Market files of a folder. Files are left in `target/files`.
"""

import argparse
import io
import json
import subprocess
import sys
from pathlib import Path

try:
    import numpy as np
    import scipy.io
    import scipy.io.wavfile
    import scipy.sparse as sp
    from PIL import Image
except ImportError:
    print("skipped: SciPy is not installed (./test installs it)")
    sys.exit(0)

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / "target" / "files"
# The names of formats: SciPy's, and those of `--format`.
FORMATS = {"coo": "coo", "csr": "csr", "csc": "csc", "bsr": "bcsr(1, 2)", "dia": "dia"}


class Wrong(Exception):
    """Something differs."""


def convert(atl: str, source: Path, target: Path, *options: str) -> None:
    """Runs the command."""
    target.unlink(missing_ok=True)
    words = [atl, "convert", str(source), str(target), *options]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise Wrong(f"{' '.join(words)}\n{done.stderr}")


def type_of(matrix) -> str:
    """What `--type` calls it: texts do not say how wide numbers are, and SciPy calls a matrix without entries real."""
    return matrix.dtype.kind + str(8 * matrix.dtype.itemsize)


def mmwrite(path: Path, matrix, symmetry: str) -> None:
    """Writes a matrix without guesses of what it is."""
    scipy.io.mmwrite(path, matrix, symmetry=symmetry, field="integer" if matrix.dtype.kind == "i" else "real")


def same(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Equal elements, of equal types unless integers differ in width."""
    kind = found.dtype.kind
    equal = np.array_equal(found, expected, equal_nan=kind == "f")
    if kind != expected.dtype.kind or not equal or found.shape != expected.shape:
        raise Wrong(f"{what}: {found.dtype}{found.shape}\n{found}\nnot {expected.dtype}{expected.shape}\n{expected}")


def same_sparse(found, expected, what: str) -> None:
    """The same arrays, not only the same tensor: explicit zeros and the order of entries count."""
    if found.format != expected.format:
        raise Wrong(f"{what}: the format is {found.format}, not {expected.format}")
    names = {"coo": ["row", "col"], "dia": ["offsets"]}.get(found.format, ["indptr", "indices"])
    for name in [*names, "data"]:
        same(getattr(found, name), getattr(expected, name), f"{what}: {name}")


def check_same() -> None:
    """The comparison itself must be able to fail."""
    one = sp.coo_array(np.array([[0.0, 1.0]]))
    zero = sp.coo_array(([1.0, 0.0], ([0, 0], [1, 0])), shape=(1, 2))
    same_sparse(one, one.copy(), "one")
    for other in (2 * one, one.astype(np.int64), sp.coo_array(np.array([[1.0, 0.0]])), zero, one.tocsr()):
        try:
            same_sparse(one, other, "one")
        except Wrong:
            continue
        raise AssertionError(f"no difference was found to\n{other}")


def canonical(matrix) -> sp.coo_array:
    """The entries, sorted by rows and then columns; SciPy's own `tocsr` sorts them."""
    rows = sp.csr_array(matrix)
    rows.sort_indices()
    return rows.tocoo()


def matrices(count: int) -> list[sp.coo_array]:
    """Random entries, with explicit zeros, in random order."""
    random = np.random.default_rng(2)
    made = []
    for at in range(count):
        shape = tuple(random.integers([0, 0], [9, 13]))
        places = random.permutation(shape[0] * shape[1])[: [0, 3, 17, 200][at % 4]]
        values = [
            random.choice([-1.5, 0.1, 1e-300, -0.0, 0.0, np.inf, np.nan, 1e22], len(places)),
            random.choice(np.array([-(2**63), 2**63 - 1, 0, 7], np.int64), len(places)),
            random.standard_normal(len(places)).astype(np.float32),
        ][at % 3]
        coords = np.unravel_index(places, shape) if len(places) else (places, places)
        made.append(sp.coo_array((values, coords), shape=shape))
    return made


def reads(atl: str, matrix: sp.coo_array, folder: Path) -> int:
    """What SciPy writes, atl reads."""
    entries = canonical(matrix)
    files = {"general.mtx": lambda path: mmwrite(path, matrix, "general")}
    files["array.mtx"] = lambda path: mmwrite(path, matrix.toarray(), "general")
    for name in FORMATS:
        if name == "bsr" and (matrix.shape[0] == 0 or matrix.shape[1] % 2 or matrix.shape[1] == 0):
            continue
        if name == "dia" and 0 in matrix.shape:
            continue
        stored = sp.bsr_array(matrix, blocksize=(1, 2)) if name == "bsr" else matrix.asformat(name)
        # The layout of diagonals does not tell zeros from what pads.
        compressed = matrix.nnz % 2 == 0
        files[f"{name}.npz"] = lambda path, m=stored, c=compressed: sp.save_npz(path, m, compressed=c)
    for name, write in files.items():
        path, kind = folder / name, ["--type", type_of(matrix)]
        write(path)
        convert(atl, path, folder / "read.npy", *kind, "--format", "dense")
        same(np.load(folder / "read.npy"), matrix.toarray(), name)
        if name in ("general.mtx", "coo.npz", "csr.npz", "csc.npz"):
            convert(atl, path, folder / "read.npz", *kind)
            same_sparse(sp.load_npz(folder / "read.npz").tocoo(), entries, name)
    return len(files)


def writes(atl: str, matrix: sp.coo_array, folder: Path) -> int:
    """What atl writes, SciPy reads."""
    entries = canonical(matrix)
    source = folder / "source.npz"
    sp.save_npz(source, matrix)
    convert(atl, source, folder / "written.mtx")
    same_sparse(sp.coo_array(scipy.io.mmread(folder / "written.mtx")).astype(entries.dtype), entries, "written.mtx")
    convert(atl, source, folder / "array.mtx", "--format", "dense")
    if 0 not in matrix.shape:  # or SciPy divides by zero
        same(scipy.io.mmread(folder / "array.mtx").astype(entries.dtype), matrix.toarray(), "array.mtx")
    count = 2
    for name, format in FORMATS.items():
        if 0 in matrix.shape and name in ("bsr", "dia") or name == "bsr" and matrix.shape[1] % 2:
            continue
        convert(atl, source, folder / "written.npz", "--format", format)
        found = sp.load_npz(folder / "written.npz")
        expected = sp.bsr_array(entries, blocksize=(1, 2)) if name == "bsr" else entries.asformat(name)
        if name != "coo" and name != "dia":
            expected.sort_indices()
        if name == "dia":
            same(found.toarray(), expected.toarray(), "dia")
            same(found.offsets, expected.offsets, "dia: offsets")
        else:
            same_sparse(found, expected, f"written.npz as {format}")
        count += 1
    return count


def symmetric(atl: str, size: int, folder: Path) -> int:
    """Files of which a half is made."""
    random = np.random.default_rng(size)
    lower = np.tril(random.integers(-3, 4, (size, size)))
    below = np.tril(lower, -1)
    for symmetry, matrix in [("symmetric", lower + below.T), ("skew-symmetric", below - below.T)]:
        for stored in [matrix, sp.coo_array(matrix), matrix.astype(float), sp.coo_array(matrix.astype(float))]:
            mmwrite(folder / "half.mtx", stored, symmetry)
            if symmetry not in (folder / "half.mtx").read_text().splitlines()[0]:
                raise Wrong("SciPy wrote the whole matrix")
            convert(atl, folder / "half.mtx", folder / "half.npy", "--type", type_of(stored))
            same(np.load(folder / "half.npy"), np.asarray(matrix, stored.dtype), symmetry)
            for layout in ("coo", "dense"):
                half = folder / "written.mtx"
                convert(atl, folder / "half.npy", half, "--symmetry", symmetry, "--format", layout)
                found = scipy.io.mmread(half)
                found = found.toarray() if sp.issparse(found) else found
                same(found.astype(stored.dtype), matrix.astype(stored.dtype), f"{layout}, {symmetry}")
    scipy.io.mmwrite(folder / "half.mtx", sp.coo_array(matrix), field="pattern", symmetry="general")
    convert(atl, folder / "half.mtx", folder / "half.npy", "--type", "bool")
    same(np.load(folder / "half.npy"), matrix != 0, "pattern")
    return 25


def tensors(atl: str, rank: int, folder: Path) -> int:
    """Tensors of other ranks, as text and as archives."""
    random = np.random.default_rng(rank)
    shape = tuple(random.integers(2, 5, rank))
    tensor = random.choice([0.0, 0.0, 1.5, -2.25], shape)
    np.save(folder / "t.npy", tensor)
    convert(atl, folder / "t.npy", folder / "t.tns")
    rows = np.loadtxt(folder / "t.tns", ndmin=2)
    found = np.zeros(shape)
    found[tuple(rows[:, :-1].astype(int).T - 1)] = rows[:, -1]
    same(found, tensor, "t.tns")
    convert(atl, folder / "t.tns", folder / "u.npy", "--shape", ",".join(map(str, shape)), "--format", "dense")
    same(np.load(folder / "u.npy"), tensor, "u.npy")
    convert(atl, folder / "t.npy", folder / "t.npz", "--format", "coo")
    same(sp.load_npz(folder / "t.npz").toarray(), tensor, "t.npz")
    sp.save_npz(folder / "v.npz", sp.coo_array(tensor))
    convert(atl, folder / "v.npz", folder / "v.npy", "--format", "dense")
    same(np.load(folder / "v.npy"), tensor, "v.npz")
    return 4


def both_ways(atl: str, array: np.ndarray, path: Path, write, read, folder: Path) -> int:
    """What others write, atl reads, and what atl writes, others read."""
    write(path, array)
    convert(atl, path, folder / "s.npy")
    same(np.load(folder / "s.npy"), array, f"reads {path.name}")
    np.save(folder / "s.npy", array)
    convert(atl, folder / "s.npy", path)
    same(np.asarray(read(path)), array, f"writes {path.name}")
    return 2


def samples(atl: str, seed: int, folder: Path) -> int:
    """Pictures, sounds, and tensors behind a header in JSON."""
    random = np.random.default_rng(seed)
    height, width = (1, 1) if seed == 0 else random.integers(1, 12, 2)
    count = 0
    for name, shape, kind in [("s.pgm", (), np.uint8), ("s.pgm", (), np.uint16), ("s.ppm", (3,), np.uint8)]:
        picture = random.integers(0, np.iinfo(kind).max, (height, width, *shape), dtype=kind, endpoint=True)
        picture.flat[0] = np.iinfo(kind).max
        save = lambda path, a: Image.fromarray(a).save(path)
        load = lambda path, k=kind: np.asarray(Image.open(path)).astype(k)
        count += both_ways(atl, picture, folder / name, save, load, folder)
    for kind in (np.uint8, np.int16, np.int32, np.float32, np.float64):
        for shape in ((7 * seed,), (5, 2), (3, 1 + seed)):
            if shape[-1] == 1:
                continue  # SciPy reads one channel as a vector
            sound = (random.standard_normal(shape) * 100).astype(kind)
            save = lambda path, a: scipy.io.wavfile.write(path, 44100, a)
            load = lambda path: scipy.io.wavfile.read(path)[1]
            count += both_ways(atl, sound, folder / "s.wav", save, load, folder)
    codes = {"F32": np.float32, "F64": np.float64, "I8": np.int8, "I64": np.int64, "U16": np.uint16, "BOOL": np.bool_}
    for code, kind in codes.items():
        tensor = (random.standard_normal((seed, 3, 2)) * 10).astype(kind)

        def save(path: Path, a: np.ndarray, code: str = code) -> None:
            header = {"x": {"dtype": code, "shape": a.shape, "data_offsets": [0, a.nbytes]}, "__metadata__": {"by": "us"}}
            text = json.dumps(header).encode()
            path.write_bytes(len(text).to_bytes(8, "little") + text + a.tobytes())

        def load(path: Path, kind: type = kind) -> np.ndarray:
            data = path.read_bytes()
            end = 8 + int.from_bytes(data[:8], "little")
            found = json.loads(data[8:end])["arr_0"]
            if codes[found["dtype"]] != kind or found["data_offsets"] != [0, len(data) - end]:
                raise Wrong(f"the header is {found}")
            return np.frombuffer(data[end:], kind).reshape(found["shape"])

        count += both_ways(atl, tensor, folder / "s.safetensors", save, load, folder)
    return count


def ranks() -> tuple[int, ...]:
    """The ranks of the tensors that this SciPy keeps in files; older ones keep matrices only."""
    try:
        file = io.BytesIO()
        sp.save_npz(file, sp.coo_array(np.ones((1, 1, 1))))
        return (1, 2, 3, 4)
    except (AttributeError, NotImplementedError, TypeError, ValueError):
        return (2,)


def real(atl: str, path: Path, folder: Path) -> int:
    """A matrix of a folder."""
    expected = sp.csr_array(scipy.io.mmread(path))
    expected.sort_indices()
    convert(atl, path, folder / "real.npz", "--format", "csr")
    found = sp.load_npz(folder / "real.npz")
    same_sparse(found, expected.astype(found.dtype), path.name)
    convert(atl, folder / "real.npz", folder / "real.mtx")
    again = sp.csr_array(scipy.io.mmread(folder / "real.mtx"))
    same_sparse(again.astype(found.dtype), found, f"{path.name}, written again")
    return 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/debug/atl", help="the command to test")
    parser.add_argument("--count", type=int, default=24, help="how many random matrices")
    parser.add_argument("--matrices", type=Path, help="a folder of .mtx files")
    options = parser.parse_args()
    atl = str((ROOT / options.atl).resolve())
    SCRATCH.mkdir(parents=True, exist_ok=True)

    check_same()
    work = [(f"reads matrix {at}", reads, matrix) for at, matrix in enumerate(matrices(options.count))]
    work += [(f"writes matrix {at}", writes, matrix) for at, matrix in enumerate(matrices(options.count))]
    work += [(f"half matrices of size {size}", symmetric, size) for size in (1, 2, 5, 8)]
    work += [(f"tensors of rank {rank}", tensors, rank) for rank in ranks()]
    work += [(f"samples {seed}", samples, seed) for seed in range(4)]
    if options.matrices:
        work += [(path.name, real, path) for path in sorted(options.matrices.glob("*.mtx"))]
    total, failed = 0, 0
    for name, check, subject in work:
        try:
            total += check(atl, subject, SCRATCH)
        except Wrong as wrong:
            failed += 1
            print(f"{name}: {wrong}")
    print(f"{total} files compared with SciPy, {failed} of {len(work)} cases failed")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
