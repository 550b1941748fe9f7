#!/usr/bin/env python3
"""Runs the text for a device on this machine, and compares it with NumPy and with the interpreter of loops.

Every schedule of `examples/cuda.atl`, and of `cases.atl` beside this file, is built with `atl build --backend cuda`, and the file is compiled by g++ behind `emulate.h`: threads of a
block are threads, and barriers are barriers. Results are compared on random data at sizes that divide and at odd ones; where the
schedule keeps every bit, so do they. Then the same under ThreadSanitizer: as it is there is no race, and without any one of its barriers
there is. `--quick` leaves that out. What is built is left in `target/cuda`.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed (./test installs it)")
    sys.exit(0)

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / "target" / "cuda"
PROGRAMS = [ROOT / "examples" / "cuda.atl", ROOT / "tests" / "cuda" / "cases.atl"]
TIME_LIMIT = 600
RACE = "WARNING: ThreadSanitizer: data race"

# A function: its sizes, its arrays with their shapes (of integers where the name is `k`), its result's shape, and what it is.
FUNCTIONS = {
    "transposed": (["M", "N"], {"a": "MN"}, "NM", lambda a: a["a"].T),
    "triad": (["N"], {"x": "N", "y": "N"}, "N", lambda a: np.float32(3) * a["x"] + a["y"]),
    "product": (["M", "K", "N"], {"a": "MK", "b": "KN"}, "MN", lambda a: a["a"].astype(np.float64) @ a["b"].astype(np.float64)),
    "blurred": (["N", "M"], {"img": "NM"}, "NM", lambda a: blurred(a["img"])),
    "turned": (["M", "N"], {"a": "MN"}, "NM", lambda a: a["a"].T),
    "totals": (["N", "M"], {"x": "NM"}, "N", lambda a: a["x"].sum(axis=1)),
    "mixed": (["N"], {"x": "N", "k": "N"}, "N", lambda a: mixed(a["x"], a["k"])),
    "bits": (["N"], {"k": "N"}, "N", lambda a: bits(a["k"])),
    "halves": (["N"], {"x": "N", "k": "N"}, "N", lambda a: halves(a["x"], a["k"])),
    "norms": (["N", "M"], {"x": "NM"}, "N", lambda a: (a["x"] * a["x"]).sum(axis=1)),
}

# The sizes of its runs; the last that a schedule admits are those at which races are looked for.
SIZES = {
    "transposed": [(0, 0), (0, 5), (1, 1), (32, 64), (33, 31), (70, 41)],
    "triad": [(0,), (1,), (256,), (257,), (700,)],
    "product": [(0, 3, 2), (2, 0, 3), (1, 1, 1), (128, 32, 128), (64, 16, 64), (130, 48, 131), (70, 33, 65)],
    "blurred": [(0, 4), (1, 1), (16, 32), (17, 33), (40, 50)],
    "turned": [(0, 5), (128, 256), (130, 70)],
    "totals": [(0, 5), (3, 0), (4, 8), (7, 5)],
    "mixed": [(0,), (32,), (77,)],
    "bits": [(0,), (32,), (1001,)],
    "halves": [(0,), (32,), (1001,)],
    "norms": [(0, 32), (3, 0), (1, 5), (5, 96)],
}


def blurred(x: np.ndarray) -> np.ndarray:
    wide = np.pad(x, 1)
    rows = wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]
    return rows[:-2] + rows[1:-1] + rows[2:]


def mixed(x: np.ndarray, k: np.ndarray) -> np.ndarray:
    one = np.float32
    whole = np.clip(np.trunc(x.astype(np.float64) * 1e10), -(2.0**31), 2.0**31 - 1)
    return (np.sqrt(abs(x)) / np.maximum(x, one(0.1)) + np.minimum(x, (k // 3).astype(np.float32)) * one(0.001)
            - np.floor(x) + (np.arange(len(x)) // 7 % 3).astype(np.float32) + whole.astype(np.float32))


def halves(x: np.ndarray, k: np.ndarray) -> np.ndarray:
    one, half = np.float32, np.float16

    def brain(x: np.ndarray) -> np.ndarray:
        """Rounded to the upper half, to nearest even; the numbers here are exact in `float64`, or far from a middle."""
        u = np.asarray(x, one).view(np.uint32)
        return (u + 0x7FFF + (u >> 16 & 1) >> 16 << 16).astype(np.uint32).view(one)

    a, b = x.astype(half), brain(x * one(3))
    fused = (a.astype(np.float64) * a - a).astype(half)
    return ((a * a + (k % 1000).astype(half)).astype(one) + brain(brain(np.sqrt(abs(b))) / brain(2.5)) + (x.astype(np.float64) / 3).astype(half).astype(one)
            + brain(k.astype(np.int64) * 65537) + np.where(brain(a) < b, brain(a), b) + fused.astype(one) + (a < b.astype(half)).astype(one) - abs(b))


def bits(k: np.ndarray) -> np.ndarray:
    def word(k: int) -> list[int]:
        def wrapped(x: int, bits: int = 32) -> int:
            return (x + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)

        own, shift = k % 2**32, k % 40
        a = own.bit_count() + 32 - own.bit_length() + 64 * (32 if k == 0 else (k & -k).bit_length() - 1)
        b = (k & 255 | 3) ^ ~k % 1000
        high = wrapped(k * 1000003) * wrapped(65537 * k) >> 32
        moved = wrapped(k << shift) if shift < 32 else 0
        c = high + (k >> shift) + (moved & 65535)
        byte = k % 256
        d = byte.bit_count() + (byte >> shift) % 7
        e = (k % 65536 * 40503 >> 16) + k % 2**64 % 1000
        return [a + b, c, d, e]

    parts = np.array([word(int(x)) for x in k], dtype=np.float32).reshape(-1, 4)
    return parts[:, 0] + parts[:, 1] + parts[:, 2] + parts[:, 3]


def schedules() -> list[tuple[Path, str, str]]:
    """The schedules of the programs, each with its program and function."""
    found = [(p, s, f) for p in PROGRAMS for s, f in re.findall(r"^schedule (\w+) of (\w+)", p.read_text(), re.M)]
    assert {f for _, _, f in found} == set(FUNCTIONS) == set(SIZES), "a function has no case, or a case no schedule"
    return found


def admitted(program: Path, schedule: str, names: list[str], sizes: tuple[int, ...]) -> bool:
    """Do the sizes satisfy what the schedule assumes?"""
    text = program.read_text().split(f"schedule {schedule} of ")[1].split("\n}")[0]
    return all(eval(p, {}, dict(zip(names, sizes))) for p in re.findall(r"assume ([^;]+);", text))


def run(command: list[str], **more) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, **more)


def must(command: list[str]) -> None:
    done = run(command)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr[:4000]}")


def main_text(cu: str, function: str) -> str:
    """A program that reads sizes and arrays, launches, and writes the result."""
    names, arrays, result, _ = FUNCTIONS[function]
    cells = " * ".join
    lines = [f'#include "{cu}"', "#include <cstdio>", "#include <cstdlib>", "int main(int, char **argv) {"]
    lines += [f"  const long long {name} = atoll(argv[{k + 1}]);" for k, name in enumerate(names)]
    lines.append(f'  FILE *in = fopen(argv[{len(names) + 1}], "rb"), *file = fopen(argv[{len(names) + 2}], "wb");')
    for name, shape in arrays.items():
        ty = "int" if name == "k" else "float"
        lines.append(f"  std::vector<{ty}> {name}({cells(shape)} + 1);")
        lines.append(f"  if (fread({name}.data(), 4, {cells(shape)}, in) != (size_t)({cells(shape)})) return 9;")
    lines.append(f"  std::vector<float> out({cells(result)} + 1, 12345.0f);")
    arguments = [*names, *(f"{name}.data()" for name in arrays), "out.data()", "nullptr"]
    lines.append(f"  const int status = {function}_launch({', '.join(arguments)});")
    lines.append(f"  if (out[{cells(result)}] != 12345.0f) return 8;")
    lines.append(f"  fwrite(out.data(), 4, {cells(result)}, file);\n  fclose(file);\n  return status;\n}}")
    return "\n".join(lines) + "\n"


def compiled(cu: Path, function: str, *flags: str) -> Path:
    """The program of a text, compiled."""
    main = cu.with_suffix(".cpp")
    main.write_text(main_text(cu.name, function))
    program = cu.with_name(cu.stem + ("_races" if flags else ""))
    must(["g++", "-std=c++20", "-O1", "-g", "-ffp-contract=off", "-Wno-unknown-pragmas", "-pthread", *flags,
          "-include", str(ROOT / "tests" / "cuda" / "emulate.h"), str(main), "-o", str(program)])
    return program


def at_fixed_places() -> list[str]:
    """How a program runs whose memory is where it always is: random places are more than ThreadSanitizer knows of on some systems."""
    try:
        return ["setarch", "-R"] if run(["setarch", "-R", "true"]).returncode == 0 else []
    except FileNotFoundError:
        return []


AT_FIXED_PLACES = at_fixed_places()


def inputs(function: str, sizes: tuple[int, ...]) -> dict[str, np.ndarray]:
    names, arrays, _, _ = FUNCTIONS[function]
    of = dict(zip(names, sizes))
    rng = np.random.default_rng(sum(sizes) + 7)
    made = {x: rng.standard_normal([of[s] for s in shape]).astype(np.float32) for x, shape in arrays.items()}
    return {x: (100 * array).astype(np.int32) if x == "k" else array for x, array in made.items()}


def launched(program: Path, function: str, sizes: tuple[int, ...]) -> tuple[subprocess.CompletedProcess, np.ndarray]:
    """What a program does at these sizes."""
    names, _, result, _ = FUNCTIONS[function]
    arrays = inputs(function, sizes)
    data, out = program.with_suffix(".in"), program.with_suffix(".out")
    data.write_bytes(b"".join(array.tobytes() for array in arrays.values()))
    out.unlink(missing_ok=True)
    done = run([*AT_FIXED_PLACES, str(program), *map(str, sizes), str(data), str(out)])
    shape = [dict(zip(names, sizes))[s] for s in result]
    found = np.fromfile(out, dtype=np.float32) if out.exists() else np.zeros(0, np.float32)
    return done, found.reshape(shape) if found.size == int(np.prod(shape)) else found


def compare(atl: str, source: Path, schedule: str, function: str) -> tuple[int, int]:
    """How many runs and how many barriers were looked at."""
    names, _, _, reference = FUNCTIONS[function]
    cu = SCRATCH / f"{schedule}_{function}.cu"
    must([atl, "build", str(source), "--fn", function, "--schedule", schedule, "--backend", "cuda", "-o", str(cu)])
    text = cu.read_text()
    exact = "are not fused" in text
    program = compiled(cu, function)
    runs = 0
    for sizes in SIZES[function]:
        done, found = launched(program, function, sizes)
        what = f"{function} {schedule} {dict(zip(names, sizes))}"
        if not admitted(source, schedule, names, sizes):
            assert done.returncode == 2, f"{what}: sizes that are excluded are not refused: {done}"
            continue
        assert done.returncode == 0, f"{what}: {done}"
        arrays = inputs(function, sizes)
        expected = np.asarray(reference(arrays))
        assert found.shape == expected.shape, f"{what}: {found.shape}"
        assert np.allclose(found, expected, rtol=1e-4, atol=1e-4), f"{what}: {abs(found - expected).max()}"
        if exact and all(sizes):
            files = [f"--in={x}={SCRATCH / x}.npy" for x in arrays]
            for x, array in arrays.items():
                np.save(SCRATCH / f"{x}.npy", array)
            out = SCRATCH / "out.npy"
            must([atl, "run", str(source), "--fn", function, "--schedule", schedule, "--backend", "loops", *files, "--out", str(out)])
            assert np.load(out).tobytes() == found.tobytes(), f"{what}: other bits than the interpreter's"
        runs += 1
    return runs, text.count("__syncthreads();")


def races(source: Path, schedule: str, function: str) -> None:
    """There is no race, and there is one without any of the barriers."""
    names, *_ = FUNCTIONS[function]
    cu = SCRATCH / f"{schedule}_{function}.cu"
    text = cu.read_text()
    sizes = [s for s in SIZES[function] if admitted(source, schedule, names, s)][-1]
    done, _ = launched(compiled(cu, function, "-fsanitize=thread"), function, sizes)
    assert done.returncode == 0 and RACE not in done.stderr, f"{schedule} of {function}: {done.stderr[:3000]}"
    parts = text.split("__syncthreads();")
    for k in range(1, len(parts)):
        without = cu.with_name(f"{cu.stem}_without_{k}.cu")
        without.write_text("__syncthreads();".join(parts[:k]) + "__syncthreads();".join(parts[k:]))
        done, _ = launched(compiled(without, function, "-fsanitize=thread"), function, sizes)
        assert RACE in done.stderr, f"{schedule} of {function}: no race without barrier {k}: {done.stderr[:2000]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atl", default=str(ROOT / "target" / "debug" / "atl"))
    parser.add_argument("--only", default="", help="schedules whose name has this in it")
    parser.add_argument("--quick", action="store_true", help="do not look for races")
    args = parser.parse_args()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    atl = str(Path(args.atl).resolve())
    try:
        has_compiler = run(["g++", "--version"]).returncode == 0
    except FileNotFoundError:
        has_compiler = False
    if not has_compiler:
        print("skipped: no g++ to emulate a device with")
        return
    for source, schedule, function in schedules():
        if args.only not in schedule:
            continue
        runs, barriers = compare(atl, source, schedule, function)
        said = f"{function} {schedule}: {runs} sizes agree, {barriers} barriers"
        if not args.quick:
            races(source, schedule, function)
            said += ", each needed and none missing"
        print(said, flush=True)


if __name__ == "__main__":
    main()
