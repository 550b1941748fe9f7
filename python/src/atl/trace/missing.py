"""What to write in place of what symbols do not have."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from ..errors import Refused, refusal

__all__ = ["instead", "of_a_library"]

SORTED = "a kernel does not sort: call it with `np.sort(x)`; the median of a sorted vector is `(x[(N - 1) // 2] + x[N // 2]) / 2`"
SOLVED = "a kernel does not decompose matrices: call NumPy or SciPy between kernels; `atl.linop` gives a kernel to SciPy's iterative solvers"
COUNTED = "how many there are is known when the kernel runs: keep all places, `np.where(x > 0, x, 0)`, and count by `np.count_nonzero(x > 0)`"
SPECTRUM = "write the sum: `gen(sum(x[j] * np.exp(-2j * np.pi * k * j / N) for j in N) for k in N)`, or call `np.fft` between kernels"

#: For functions that are often looked for.
INSTEAD = {
    "bincount": "add 1 at each place: `atl.zeros(K, atl.i64).at[b].add(1)`; weights are added in place of 1",
    "histogram": "add 1 at the place of each number: `b = np.clip(((x - lo) / (hi - lo) * 10).astype(np.int64), 0, 9)`, then "
    "`atl.zeros(10, atl.i64).at[b].add(1)`",
    "append": "of vectors `np.concatenate([x, y])`, and of one number `np.concatenate([x, [1.0]])`",
    "unwrap": "add up what is left of the steps: `d = np.diff(p)`, `np.cumsum(d - 2 * np.pi * np.rint(d / (2 * np.pi))) + p[0]` is all but the first",
    **dict.fromkeys("item tolist".split(), "leave it out: what is computed of an element is a number already, and no number is known before the kernel runs"),
    **dict.fromkeys("sort argsort partition argpartition median nanmedian percentile quantile unique lexsort".split(), SORTED),
    **dict.fromkeys("solve inv pinv det svd eig eigh eigvals eigvalsh qr cholesky lstsq matrix_rank".split(), SOLVED),
    **dict.fromkeys("nonzero flatnonzero argwhere compress extract".split(), COUNTED),
    **dict.fromkeys("fft ifft rfft irfft fft2 ifft2 fftn".split(), SPECTRUM),
    **dict.fromkeys("apply_along_axis apply_over_axes piecewise".split(), "write the elements: `gen(f(x[i]) for i in N)`, where `f` is any Python function"),
}

#: Whose code computes with numbers, and what to write.
LIBRARIES = {
    "scipy": (
        "SciPy",
        "of its functions those that are NumPy's ufuncs, such as `expit` and `erf`, take symbols; of others write what they compute: of `softmax(x, 1)` "
        "`e = np.exp(x - x.max(1, keepdims=True))` and `e / e.sum(1, keepdims=True)`, of `logsumexp(x, 1)` `np.log(e.sum(1)) + x.max(1)`",
    ),
    "jax": (
        "JAX",
        "write NumPy's function, `np.sin` for `jnp.sin`; for `lax.scan` `atl.scan`, for `lax.fori_loop` `atl.iterate`, for `lax.cond` `atl.where`, "
        "for `vmap` one more index",
    ),
    "torch": ("torch", "write NumPy's function, `np.sin` for `torch.sin`"),
}


def instead(name: str) -> str:
    """What to write in place of a function or a method of NumPy's."""
    from .windows import ARRAYS

    known = ", ".join(f"`{name}`" for name in sorted(ARRAYS))
    every = f"of whole arrays there are {known}, `@` and `.T`; else write the elements: `gen(f(x[i]) for i in N)`, `sum(x[i] for i in N)`"
    return INSTEAD.get(name, every)


def of_a_library(error: Refused) -> Refused:
    """The refusal of a function of another library's, at the line that calls it; or the same refusal."""
    entries: list[TracebackType] = []
    trace = error.__traceback__
    library: Any = None
    while trace is not None and library is None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        library = LIBRARIES.get(module.partition(".")[0])
        entries.append(trace)
        trace = trace.tb_next
    if library is None:
        return error
    kept: TracebackType | None = None
    for entry in reversed(entries[:-1]):
        kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    name, help = library
    return refusal(f"a function of {name}'s is called with a symbol", note=f"{name} computes with numbers, and a symbol has none", help=help).with_traceback(kept)
