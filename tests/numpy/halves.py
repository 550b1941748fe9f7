#!/usr/bin/env python3
"""Compares operations and conversions of `f16` and `bf16` with NumPy's, bit by bit.

Every number of 16 bits goes through what takes one operand, and a million random pairs through what takes two. NumPy has
`float16`; `bf16` is computed here from its definition, in `float32` and with integers.
"""

import argparse
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed (./test installs it)")
    sys.exit(0)

from cases.halves import bf16
from once import ROOT

SCRATCH = ROOT / "target" / "numpy" / "halves"

PROGRAM = """
fn pairs_f16(x: f16[N], y: f16[N]) -> f16[N, 6] { gen i < N { [x[i] + y[i], x[i] - y[i], x[i] * y[i], x[i] / y[i], min(x[i], y[i]), max(x[i], y[i])] } }
fn pairs_bf16(x: bf16[N], y: bf16[N]) -> bf16[N, 6] { gen i < N { [x[i] + y[i], x[i] - y[i], x[i] * y[i], x[i] / y[i], min(x[i], y[i]), max(x[i], y[i])] } }
fn order_f16(x: f16[N], y: f16[N]) -> bool[N, 3] { gen i < N { [x[i] < y[i], x[i] <= y[i], x[i] == y[i]] } }
fn order_bf16(x: bf16[N], y: bf16[N]) -> bool[N, 3] { gen i < N { [x[i] < y[i], x[i] <= y[i], x[i] == y[i]] } }
fn each_f16(x: f16[N]) -> f16[N, 7] { gen i < N { [-x[i], abs(x[i]), sqrt(x[i]), floor(x[i]), ceil(x[i]), trunc(x[i]), round(x[i])] } }
fn each_bf16(x: bf16[N]) -> bf16[N, 7] { gen i < N { [-x[i], abs(x[i]), sqrt(x[i]), floor(x[i]), ceil(x[i]), trunc(x[i]), round(x[i])] } }
fn wide_f16(x: f16[N]) -> f64[N, 2] { gen i < N { [f64(f32(x[i])), f64(x[i])] } }
fn wide_bf16(x: bf16[N]) -> f64[N, 2] { gen i < N { [f64(f32(x[i])), f64(x[i])] } }
fn single_f16(x: f32[N]) -> f16[N] { gen i < N { f16(x[i]) } }
fn single_bf16(x: f32[N]) -> bf16[N] { gen i < N { bf16(x[i]) } }
fn double_f16(x: f64[N]) -> f16[N] { gen i < N { f16(x[i]) } }
fn long_f16(x: i64[N]) -> f16[N] { gen i < N { f16(x[i]) } }
fn long_bf16(x: i64[N]) -> bf16[N] { gen i < N { bf16(x[i]) } }
"""


def wide(bits: np.ndarray, kind: str) -> np.ndarray:
    """The numbers with these bits as `float32`."""
    return bits.view(np.float16).astype(np.float32) if kind == "f16" else (bits.astype(np.uint32) << 16).view(np.float32)


def narrow(x: np.ndarray, kind: str) -> np.ndarray:
    """The bits of `float32` numbers rounded to the type."""
    return x.astype(np.float16).view(np.uint16) if kind == "f16" else bf16(x)


def whole_bf16(n: np.ndarray) -> np.ndarray:
    """Integers rounded once: what an odd last bit stands for is lost in `float64`, and does not decide in `float32`."""
    kept = np.where(np.abs(n) < 2**50, n, n >> 12 << 12 | (n & 4095 != 0).astype(np.int64) << 12).astype(np.float64)
    single = kept.astype(np.float32)
    bits = single.view(np.uint32)
    off = single.astype(np.float64) != kept
    down = np.abs(single.astype(np.float64)) > np.abs(kept)
    return bf16(np.where(off, (bits - down.astype(np.uint32)) | 1, bits).astype(np.uint32).view(np.float32))


def differing(found: np.ndarray, expected: np.ndarray, kind: str) -> int:
    """How many bits patterns differ, where every NaN is the same."""
    both = np.isnan(wide(found, kind)) & np.isnan(wide(expected, kind))
    return int(((found != expected) & ~both).sum())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atl", default="target/debug/atl")
    parser.add_argument("--backends", default="c,cranelift")
    parser.add_argument("--count", type=int, default=1 << 20)
    args = parser.parse_args()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    program = SCRATCH / "halves.atl"
    program.write_text(PROGRAM)
    failures = runs = 0

    def call(backend: str, function: str, result: str, **arrays: np.ndarray) -> np.ndarray:
        nonlocal runs
        runs += 1
        out = SCRATCH / f"{function}-{backend}.npy"
        words = [args.atl, "run", str(program), "--fn", function, "--backend", backend, "--out", str(out)]
        for name, array in arrays.items():
            path = SCRATCH / f"{function}-{name}.npy"
            np.save(path, array)
            words += ["--in", f"{name}={path}"]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
        found = np.load(out)
        return found.view(np.uint16) if result == "bits" else found

    def check(name: str, count: int) -> None:
        nonlocal failures
        failures += count > 0
        if count:
            print(f"{name}: {count} results differ")

    rng = np.random.default_rng(36)
    every = np.arange(1 << 16, dtype=np.uint16)
    x, y = (rng.integers(0, 1 << 16, args.count, dtype=np.uint16) for _ in range(2))
    # Operands of like size, so that sums round.
    y[::2] = (y[::2] & 0x83FF) | ((x[::2] & 0x7C00) + (rng.integers(-2, 3, y[::2].shape) << 10).astype(np.uint16) & 0x7C00)
    for backend in args.backends.split(","):
        for kind in ("f16", "bf16"):
            stored = (lambda bits: bits.view(np.float16)) if kind == "f16" else (lambda bits: bits.view("V2"))
            # NumPy has the arithmetic of `float16` itself.
            a, b = (stored(x), stored(y)) if kind == "f16" else (wide(x, kind), wide(y, kind))
            with np.errstate(all="ignore"):
                results = [a + b, a - b, a * b, a / b]
                bits = [narrow(r, kind) for r in results] + [np.where(b < a, y, x), np.where(a < b, y, x)]
                found = call(backend, f"pairs_{kind}", "bits", x=stored(x), y=stored(y)).reshape(-1, 6)
                for k, name in enumerate(("sum", "difference", "product", "quotient", "min", "max")):
                    check(f"{kind} {name} on {backend}", differing(found[:, k], bits[k], kind))
                found = call(backend, f"order_{kind}", "truth", x=stored(x), y=stored(y))
                check(f"{kind} order on {backend}", int((found != np.stack([a < b, a <= b, a == b], 1)).sum()))
                e = wide(every, kind)
                rounded = [np.sqrt(e), np.floor(e), np.ceil(e), np.trunc(e), np.rint(e)]
                bits = [every ^ 0x8000, every & 0x7FFF] + [narrow(r, kind) for r in rounded]
                found = call(backend, f"each_{kind}", "bits", x=stored(every)).reshape(-1, 7)
                check(f"{kind} functions on {backend}", sum(differing(found[:, k], bits[k], kind) for k in range(7)))
                found = call(backend, f"wide_{kind}", "numbers", x=stored(every))
                same = (found == e[:, None]) & (np.signbit(found) == np.signbit(e)[:, None]) | np.isnan(found) & np.isnan(e)[:, None]
                check(f"{kind} as f32 and f64 on {backend}", int((~same).sum()))
                # Random bits, and numbers midway between two of the type or beside that.
                middles = (wide(x, kind).view(np.uint32) + np.uint32(0x1000 if kind == "f16" else 0x8000)).view(np.float32)
                near = (middles.view(np.uint32) + rng.integers(-1, 2, x.shape).astype(np.uint32)).view(np.float32)
                singles = np.concatenate([near, rng.integers(0, 1 << 32, x.shape, dtype=np.uint64).astype(np.uint32).view(np.float32)])
                found = call(backend, f"single_{kind}", "bits", x=singles)
                check(f"f32 to {kind} on {backend}", differing(found, narrow(singles, kind), kind))
                longs = rng.integers(-(1 << 63), (1 << 63) - 1, args.count) >> rng.integers(0, 63, args.count)
                longs[::2] = np.clip(np.nan_to_num(middles[::2].astype(np.float64)), -9e18, 9e18).astype(np.int64) + rng.integers(-1, 2, longs[::2].shape)
                expected = longs.astype(np.float64).astype(np.float16).view(np.uint16) if kind == "f16" else whole_bf16(longs)
                check(f"i64 to {kind} on {backend}", differing(call(backend, f"long_{kind}", "bits", x=longs), expected, kind))
        with np.errstate(all="ignore"):
            shifted = (x.view(np.float16).astype(np.float64) + rng.choice([0, 1e-12, -1e-12], x.shape)) * (1 + 2.0**-11)
            doubles = np.concatenate([near.astype(np.float64), shifted])
            expected = doubles.astype(np.float16).view(np.uint16)
        check(f"f64 to f16 on {backend}", differing(call(backend, "double_f16", "bits", x=doubles), expected, "f16"))
    print(f"{runs} runs on {args.count} pairs and every number of 16 bits, {failures} with a difference")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
