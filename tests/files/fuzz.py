#!/usr/bin/env python3
"""Compares what `atl` reads of generated files with what NumPy, SciPy, Pillow and DuckDB read of them, and damages them.

A valid file is read with the same values, or refused with a remedy where it holds what a buffer does not. A damaged file is read
or refused, and nothing else: what both read has the same values. Files that failed are left in `target/fuzz`. Pictures are skipped where
Pillow is not installed.
"""

import argparse
import io
import re
import subprocess
import sys
import warnings
from pathlib import Path

try:
    import duckdb
    import numpy as np
    import scipy.io
    import scipy.sparse as sp
except ImportError:
    print("skipped: SciPy or DuckDB is not installed (./test installs them)")
    sys.exit(0)
try:
    from PIL import Image
except ImportError:
    Image = None

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / "target" / "fuzz"
# What every refusal of a valid file has: a code, and what to do.
REMEDY = re.compile(r"^error\[E\d+\].*^ *= help: ", re.DOTALL | re.MULTILINE)


class Wrong(Exception):
    """Something differs."""


class Case:
    """A file, how it is read, and what of it is right: an array, or `None` where a refusal is."""

    def __init__(self, name, data, expected, options=(), reread=None):
        self.name, self.data, self.expected = name, data, expected
        self.options, self.reread = list(options), reread


def run(words):
    """The exit status and what was said; a status that no user should see is wrong."""
    done = subprocess.run(words, capture_output=True, timeout=120)
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1) or "atl has a bug" in said:
        raise Wrong(f"exit {done.returncode}: {said}")
    return done.returncode, said, done.stdout.decode(errors="replace")


def read(atl, path, options):
    """What `atl convert` reads, or why it does not."""
    target = SCRATCH / "read.npy"
    target.unlink(missing_ok=True)
    status, said, _ = run([atl, "convert", path, target, "--format", "dense", *options])
    return (np.load(target), said) if status == 0 else (None, said)


def equal(found, expected):
    """The same values; the type may be a wider one."""
    if found.shape != expected.shape:
        return False
    if expected.dtype.kind == "f" or found.dtype.kind == "f":
        return np.array_equal(found.astype(np.float64), expected.astype(np.float64), equal_nan=True)
    return np.array_equal(found.astype(object), expected.astype(object))


# Valid files.


def npy(random):
    """An array of any type in any order, with a header as some program writes it."""
    codes = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1", "c8", "c16", "S3", "U2", "M8[s]"]
    code = str(random.choice(codes))
    order = str(random.choice(["<", ">"]))
    shape = tuple(int(n) for n in random.integers(0, 5, random.integers(0, 5)))
    count = int(np.prod(shape, dtype=int))
    if code[0] in "fc":
        numbers = random.choice([0.0, -0.0, 1.5, -2.25, np.inf, np.nan, 1e4, 6.1e-5], count)
    else:
        numbers = random.integers(0, 2 if code == "b1" else 100, count)
    array = numbers.astype(order + code).reshape(shape)
    if code == "u8" and count and random.random() < 0.3:
        array.flat[0] = 2**63
    if code in ("i8", "i4", "i2", "i1") and count:
        array.flat[-1] = np.iinfo(array.dtype).min
    if random.random() < 0.4:
        array = np.asfortranarray(array)
    is_held = code[0] in "fiub" and not (code == "u8" and count and (array >= 2**63).any())
    file = io.BytesIO()
    version = [(1, 0), (2, 0), (3, 0)][int(random.integers(3))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.lib.format.write_array(file, array, version=version)
    data = header_as_others(file.getvalue(), random)
    return Case("a.npy", data, load(data) if is_held else None, reread=load)


def load(data):
    """What NumPy reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.load(io.BytesIO(data))


def header_as_others(data, random):
    """The same file with another program's header."""
    wide = data[6] > 1
    start = 12 if wide else 10
    length = int.from_bytes(data[8:start], "little")
    text = data[start : start + length].decode("latin1").rstrip()
    choice = int(random.integers(6))
    if choice == 0:
        text = text.replace("'", '"')
    elif choice == 1 and data[6] < 3:
        text = re.sub(r"\((.*?)\)", lambda shape: "(" + re.sub(r"(\d+)", r"\1L", shape[1]) + ")", text)
    elif choice == 2:
        text = text.replace(", }", "}").replace(" ", "")
    elif choice == 3:
        fields = re.findall(r"'\w+': (?:'[^']*'|\w+|\(.*?\))", text)
        text = "{" + ", ".join(reversed(fields)) + "}"
    text += " " * int(random.integers(0, 70)) + "\n"
    head = len(text).to_bytes(start - 8, "little")
    return data[:8] + head + text.encode("latin1") + data[start + length :]


def structured(random):
    """Arrays that no buffer holds."""
    kinds = [
        np.zeros(3, [("x", "<f4"), ("y", "<i4")]),
        np.array([1, "a", None], dtype=object),
        np.zeros(2, np.longdouble),
        np.zeros(2, "V4"),
    ]
    file = io.BytesIO()
    np.save(file, kinds[int(random.integers(len(kinds)))], allow_pickle=True)
    return Case("a.npy", file.getvalue(), None)


def matrix_of(random, dtype):
    """A random matrix by coordinates, each at most once."""
    shape = tuple(int(n) for n in random.integers(0, 8, 2))
    places = random.permutation(shape[0] * shape[1])[: int(random.integers(0, 20))]
    values = random.integers(0, 9, len(places)).astype(dtype)
    coords = np.unravel_index(places, shape) if len(places) else (places, places)
    return sp.coo_array((values, coords), shape=shape)


def archive(random):
    """SciPy's archives, with rows in disorder and wide or narrow indices; with duplicates where they are to be added."""
    matrix = matrix_of(random, random.choice(["f4", "f8", "i4", "i8", "u1", "i2"]))
    form = str(random.choice(["coo", "csr", "csc", "bsr", "dia"]))
    if 0 in matrix.shape and form in ("bsr", "dia"):
        form = "csr"
    expected, options = matrix.toarray(), []
    stored = matrix.asformat(form)
    if form in ("csr", "csc") and random.random() < 0.5:
        width = [np.int32, np.int64][int(random.integers(2))]
        stored.indices, stored.indptr = stored.indices.astype(width), stored.indptr.astype(width)
        for row in range(len(stored.indptr) - 1):
            order = random.permutation(int(stored.indptr[row + 1] - stored.indptr[row])) + stored.indptr[row]
            span = slice(int(stored.indptr[row]), int(stored.indptr[row + 1]))
            stored.indices[span], stored.data[span] = stored.indices[order], stored.data[order]
    if form == "coo" and matrix.nnz and matrix.dtype.kind == "f" and random.random() < 0.4:
        twice = [np.concatenate([part, part[:2]]) for part in (*matrix.coords, matrix.data)]
        stored = sp.coo_array((twice[2], (twice[0], twice[1])), shape=matrix.shape)
        expected, options = stored.toarray(), ["--add-duplicates"]
    file = io.BytesIO()
    sp.save_npz(file, stored, compressed=bool(random.integers(2)))
    reread = lambda bytes: sp.load_npz(io.BytesIO(bytes)).toarray()
    return Case("a.npz", file.getvalue(), expected, options, reread)


def arrays(random):
    """An archive of arrays, of which one is read by its name, or the only one."""
    names = ["a", "b c", "ä"][: int(random.integers(1, 4))]
    made = {name: random.integers(0, 9, tuple(random.integers(0, 4, 2))) for name in names}
    file = io.BytesIO()
    [np.savez, np.savez_compressed][int(random.integers(2))](file, **made)
    name = names[-1] if len(names) > 1 or random.random() < 0.5 else None
    case = Case("a.npz", file.getvalue(), made[names[-1]])
    case.member = name
    return case


def market(random):
    """Matrix Market files as SciPy, and as others write them."""
    layout = str(random.choice(["coordinate", "coordinate", "array"]))
    symmetry = str(random.choice(["general", "symmetric", "skew-symmetric", "hermitian"]))
    field = str(random.choice(["real", "integer", "double", "pattern"]))
    if field == "pattern" and (layout == "array" or symmetry == "skew-symmetric"):
        field = "real"
    if field == "double":  # SciPy knows it as real
        field = "real"
    rows = int(random.integers(1, 6))
    columns = rows if symmetry != "general" else int(random.integers(1, 6))
    shown = {
        "real": ["1", "-2.5", "+3.25", "1e2", "1.5E-1", ".5", "9.", "-0", "007", "1e+03"],
        "integer": ["1", "-2", "+3", "007", "0", "9007199254740993"],
        "pattern": [""],
    }[field]
    places = [(r, c) for r in range(rows) for c in range(columns)]
    if layout == "array":
        places = [(r, c) for c in range(columns) for r in range(rows)]
        places = [(r, c) for r, c in places if symmetry == "general" or r > c or r == c and symmetry != "skew-symmetric"]
    else:
        random.shuffle(places)
        seen, chosen = set(), []
        for r, c in places[: int(random.integers(0, 12))]:
            pair = (min(r, c), max(r, c)) if symmetry != "general" else (r, c)
            if pair not in seen and not (symmetry == "skew-symmetric" and r == c):
                seen.add(pair)
                chosen.append((int(r), int(c)))
        places = chosen
    lines = [f"%%MatrixMarket matrix {layout} {field} {symmetry}"]
    if random.random() < 0.2:
        lines[0] = lines[0].lower().replace("%%matrixmarket", "%%MatrixMarket")
    if random.random() < 0.5:
        lines += ["% a comment", "%"]
    lines.append(f"{rows} {columns}" + (f" {len(places)}" if layout == "coordinate" else ""))
    expected = np.zeros((rows, columns), object if field == "integer" else float)
    for r, c in places:
        text = str(random.choice(shown))
        value = 1 if field == "pattern" else int(text) if field == "integer" else float(text)
        gap = str(random.choice([" ", "  ", "\t"]))
        lines.append(gap.join([str(r + 1), str(c + 1), text]).rstrip() if layout == "coordinate" else text)
        expected[r, c] = value
        if symmetry != "general":
            expected[c, r] = -value if symmetry == "skew-symmetric" and value != 0 else value
    end = str(random.choice(["\n", "\r\n"]))
    data = (end.join(lines) + (end if random.random() < 0.8 else "")).encode()
    return Case("a.mtx", data, expected, reread=read_market)


def read_market(data):
    """What SciPy reads."""
    found = scipy.io.mmread(io.BytesIO(data))
    return found.toarray() if sp.issparse(found) else found


def numbers(random):
    """Tables of numbers, as people write them."""
    tokens = ["1", "-2", "+3", ".5", "9.", "1e5", "1E-3", " 7 ", "-0", "0", "nan", "NaN", "inf", "-inf", "Infinity", "1.5e+2", "007"]
    rows, columns = (int(n) for n in random.integers(1, 5, 2))
    table = [[str(random.choice(tokens)) for _ in range(columns)] for _ in range(rows)]
    end = str(random.choice(["\n", "\r\n"]))
    text = end.join(",".join(row) for row in table) + (end if random.random() < 0.7 else "")
    text = str(random.choice(["", "\ufeff", "# numbers" + end])) + text
    expected = np.array([[float(token) for token in row] for row in table])
    if 1 in expected.shape:
        expected = expected.reshape(-1)
    return Case("a.csv", text.encode(), expected, ["--type", "f64"])


def picture(random):
    """Pictures of every mode that Pillow writes."""
    mode = str(random.choice(["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "Pt", "Lt", "jL", "jRGB"]))
    height, width = (int(n) for n in random.integers(1, 9, 2))
    samples = lambda *more: random.integers(0, 256, (height, width, *more), dtype=np.uint8)
    file, extra, kind = io.BytesIO(), {}, "png"
    if mode == "1":
        made = Image.fromarray(samples() > 127)
    elif mode in ("L", "Lt"):
        made = Image.fromarray(samples())
        extra = {"transparency": 7} if mode == "Lt" else {}
    elif mode in ("LA", "RGBA", "RGB"):
        made = Image.fromarray(samples(len(mode)))
    elif mode in ("P", "Pt"):
        made = Image.fromarray(samples(3)).quantize(int(random.choice([2, 4, 16, 200])))
        extra = {"transparency": 0} if mode == "Pt" else {}
    elif mode == "I;16":
        made = Image.fromarray(random.integers(0, 65536, (height, width)).astype(np.uint16))
    else:
        made, kind = Image.fromarray(samples() if mode == "jL" else samples(3)), "jpg"
        # What stands between halved colours is every decoder's own choice.
        extra = {"progressive": bool(random.integers(2)), "subsampling": 0}
    made.save(file, {"png": "PNG", "jpg": "JPEG"}[kind], **extra)

    def reread(data):
        opened = Image.open(io.BytesIO(data))
        opened.load()
        if opened.mode in ("P", "RGBA"):
            return np.array(opened.convert("RGBA" if "transparency" in opened.info else "RGB"))[..., :3]
        if opened.mode in ("1", "LA"):
            return np.array(opened.convert("L"))
        return np.array(opened)

    case = Case(f"a.{kind}", file.getvalue(), reread(file.getvalue()), reread=reread)
    # Decoders of JPEG round differently.
    case.tolerance = 3 if kind == "jpg" else 0
    return case


def written(atl, random):
    """An array written as a picture: the samples, or a note."""
    kind = str(random.choice(["u1", "i4", "i8", "f4", "f8", "?"]))
    shape = tuple(int(n) for n in random.integers(1, 6, 2)) + ((3,) if random.random() < 0.4 else ())
    most = int(random.choice([2, 256, 400, 65536, 70000]))
    array = (random.random(shape) * most * 1.02 - 0.01 * most).astype(kind) if kind != "u1" else random.integers(0, 256, shape).astype(kind)
    np.save(SCRATCH / "w.npy", array)
    target = SCRATCH / "w.png"
    status, said, _ = run([atl, "convert", SCRATCH / "w.npy", target])
    if status != 0:
        raise Wrong(f"an array of shape {shape} is not written: {said}")
    found, _ = read(atl, target, [])
    scale = 255 if kind == "?" else 1
    most = 65535 if kind in ("i4", "i8") and array.max(initial=0) > 255 else 255
    exact = np.round(array.astype(np.float64) * scale)
    if not np.array_equal(found.astype(np.float64), np.clip(exact, 0, most)):
        raise Wrong(f"{array}\nis written as\n{found}")
    clipped = bool(((array.astype(float) * scale < 0) | (array.astype(float) * scale > most)).any())
    if clipped != ("clamped" in said):
        raise Wrong(f"clamped: {clipped}, and it is said: {said!r}")
    if Image and found.ndim == 2 and not np.array_equal(np.array(Image.open(target)), found):
        raise Wrong("Pillow reads another picture")


# Tables of queries.


def query(atl, random):
    """Columns as people write them, of which one is asked for: what DuckDB says of it, in numbers."""
    kinds = {
        "whole": ["1", "-20", " 7", "0", "-0", "12"],
        "point": [".5", "9.", "-.25", "1.5", "3", "0.0"],
        "exponent": ["1e3", "2", "1.5E-2", ".5"],
        "long": ["0.1234567890123456789", "123456.5", "3"],
        "words": ["x", "007", "", "1,000", 'a "b"', "line\nbreak", "ä"],
    }
    asked = str(random.choice(["whole", "point", "exponent", "long"]))
    others = [str(kind) for kind in random.choice(list(kinds), int(random.integers(0, 3)))]
    names = [str(random.choice(["", "x", "X", "Unnamed: 0"])) for _ in others]
    rows = int(random.integers(1, 7))
    columns = [[str(random.choice(kinds[kind])) for _ in range(rows)] for kind in [asked, *others]]
    quote = lambda text: '"' + text.replace('"', '""') + '"' if any(c in text for c in '",\n') or text == "" and random.random() < 0.5 else text
    head = ["v", *names]
    lines = [",".join(map(quote, head))] + [",".join(quote(column[row]) for column in columns) for row in range(rows)]
    end = str(random.choice(["\n", "\r\n"]))
    text = str(random.choice(["", "\ufeff"])) + end.join(lines) + (end if random.random() < 0.8 else "")
    path = SCRATCH / "q.csv"
    path.write_text(text, newline="")
    expected = [float(token) for token in columns[0]]
    asks = [("sum(v)", sum(expected)), ("count(*)", rows)]
    # Numbers of floating point have no least one, of exact ones it is known.
    if asked in ("whole", "point"):
        asks += [("min(v)", min(expected)), ("max(v)", max(expected))]
    for what, right in asks:
        status, said, out = run([atl, "query", f"select {what} as a from t", f"t={path}", "--backend", "interp"])
        if status != 0:
            raise Wrong(f"{what}: {text!r}\n{said}")
        found = float(out.splitlines()[1])
        if abs(found - right) > 1e-9 * max(1.0, abs(right)):
            raise Wrong(f"{what} is {found}, not {right}: {text!r}\n{said}")
    # DuckDB has no trouble with the same file, so neither is a test of ours stricter than people's tools.
    columns = ", ".join(f"'{'v' if at == 0 else f'c{at}'}': 'VARCHAR'" for at in range(len(head)))
    answer = duckdb.sql(
        f"select sum(trim(v)::double) from read_csv('{path}', header=false, skip=1, columns={{{columns}}}, quote='\"', escape='\"')"
        if all("\n" not in c for column in [head] for c in column)
        else "select NULL"
    )
    found = answer.fetchall()[0][0]
    if found is not None and abs(found - sum(expected)) > 1e-6 * max(1.0, abs(found)):
        raise Wrong(f"DuckDB says {found}, where the file was made for {sum(expected)}: {text!r}")


# Damage.


def damaged(data, random):
    """The file with a few bytes changed, lost, or added."""
    found = bytearray(data)
    for _ in range(int(random.integers(1, 4))):
        at = int(random.integers(0, len(found) + 1)) if found else 0
        choice = int(random.integers(5))
        if choice == 0 and at < len(found):
            found[at] ^= 1 << int(random.integers(8))
        elif choice == 1 and at < len(found):
            found[at] = int(random.choice([0, 10, 32, 45, 48, 57, 255]))
        elif choice == 2:
            del found[at:]
        elif choice == 3:
            del found[at : at + int(random.integers(1, 9))]
        else:
            found[at:at] = random.bytes(int(random.integers(1, 5)))
    return bytes(found)


def check(atl, case, random):
    """A valid file, and three damaged ones."""
    path = SCRATCH / case.name
    path.write_bytes(case.data)
    member = getattr(case, "member", None)
    found, said = read(atl, f"{path}:{member}" if member else path, case.options)
    if case.expected is None:
        if found is not None:
            raise Wrong(f"{case.name} is read as {found}, where a refusal would be right")
        if not REMEDY.search(said):
            raise Wrong(f"{case.name} is refused without a remedy: {said}")
    elif found is None:
        raise Wrong(f"{case.name} is refused: {said}")
    else:
        tolerance = getattr(case, "tolerance", 0)
        near = tolerance and found.shape == case.expected.shape
        near = near and abs(found.astype(int) - case.expected.astype(int)).max(initial=0) <= tolerance
        if not near and not equal(found, case.expected):
            raise Wrong(f"{case.name} is read as\n{found}\nnot\n{case.expected}")
    for _ in range(3):
        data = damaged(case.data, random)
        path.write_bytes(data)
        found, said = read(atl, path, case.options)
        if found is None and not said.startswith("error"):
            raise Wrong(f"a damaged file is refused without a word: {said}")
        if found is None or case.reread is None:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                right = case.reread(data)
        except Exception:  # the other reader refuses in its own ways
            continue
        if getattr(case, "tolerance", 0) == 0 and right.dtype.kind in "fiub" and not equal(found, right):
            raise Wrong(f"a damaged file is read as\n{found}\nnot\n{right}")


VALID = {"npy": npy, "structured": structured, "archive": archive, "arrays": arrays, "market": market, "numbers": numbers}
OTHER = {"written": written, "query": query}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atl", default="target/debug/atl", help="the command to test")
    parser.add_argument("--count", type=int, default=12, help="how many cases of each kind")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--only", help="one kind")
    options = parser.parse_args()
    atl = str((ROOT / options.atl).resolve())
    SCRATCH.mkdir(parents=True, exist_ok=True)
    kinds = VALID | ({"picture": picture} if Image else {})
    total, failed = 0, 0
    for seed in range(options.seed, options.seed + options.count):
        for at, (name, make) in enumerate((kinds | OTHER).items()):
            if options.only not in (None, name):
                continue
            random = np.random.default_rng([seed, at])
            try:
                if name in OTHER:
                    make(atl, random)
                    total += 1
                else:
                    check(atl, make(random), random)
                    total += 4
            except (Wrong, subprocess.TimeoutExpired) as wrong:
                failed += 1
                print(f"{name}, seed {seed}: {wrong}")
    print(f"{total} files compared, {failed} cases failed")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
