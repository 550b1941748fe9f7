"""Tensor kernels for NumPy and SciPy whose every optimisation is a theorem.

>>> import atl, numpy as np
>>> double = atl.compile("fn double(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } }")
>>> double(np.arange(3, dtype=np.float32))
array([0., 2., 4.], dtype=float32)
"""

import os as _os
from typing import TYPE_CHECKING

from . import _atl
from ._atl import set_num_threads
from .errors import CompilerWarning, CopyWarning, InternalError, PerformanceWarning, Refused, RefusedArgument, Span
from .fixpoints import fixpoint, linop
from .kernel import Kernel
from .layout import Layout, layout
from .program import Program, compile, load
from .require import require
from .sql import Answer, sql
from .tensor import Packed, cache_clear, cache_info, einsum, pack, tensor, tensordot, transpose
from .theorem import Theorem

if TYPE_CHECKING:
    from .trace import *  # noqa: F403

__version__ = _atl.version()

__all__ = [
    "Answer",
    "CompilerWarning",
    "CopyWarning",
    "InternalError",
    "Kernel",
    "Layout",
    "Packed",
    "PerformanceWarning",
    "Polymorphic",
    "Program",
    "Refused",
    "RefusedArgument",
    "Span",
    "Theorem",
    "abs",
    "acos",
    "all",
    "any",
    "arange",
    "asin",
    "atan",
    "atan2",
    "between",
    "bf16",
    "bool_",
    "c128",
    "c64",
    "cache_clear",
    "cache_info",
    "cbrt",
    "ceil",
    "clz",
    "compile",
    "constant",
    "copysign",
    "cos",
    "cosh",
    "ctz",
    "einsum",
    "elem",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "eye",
    "f16",
    "f32",
    "f64",
    "fixpoint",
    "floor",
    "fma",
    "fmod",
    "fn",
    "full",
    "gen",
    "guard",
    "hypot",
    "i16",
    "i32",
    "i64",
    "i8",
    "index",
    "iterate",
    "layout",
    "let",
    "linop",
    "linspace",
    "load",
    "log",
    "log10",
    "log1p",
    "log2",
    "max",
    "min",
    "mulhi",
    "old",
    "ones",
    "pack",
    "popcount",
    "pow",
    "prod",
    "rec",
    "require",
    "round",
    "rsqrt",
    "scan",
    "set_num_threads",
    "sign",
    "sin",
    "sinh",
    "size",
    "sizes",
    "span",
    "sql",
    "sqrt",
    "sum",
    "tan",
    "tanh",
    "tensor",
    "tensordot",
    "transpose",
    "trunc",
    "u16",
    "u32",
    "u64",
    "u8",
    "upto",
    "where",
    "zeros",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """What traces functions is imported when the first of it is wanted."""
        if name not in __all__:
            raise AttributeError(f"module 'atl' has no attribute {name!r}")
        from . import trace

        globals()[name] = getattr(trace, name)
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


def load_ipython_extension(shell: object) -> None:
    """What ``%load_ext atl`` does: the cell magic ``%%atl``."""
    from .notebook import load_ipython_extension as load_into

    load_into(shell)


if hasattr(_os, "register_at_fork"):
    # The threads of a parallel loop do not survive a fork.
    _os.register_at_fork(after_in_child=_atl.forked)
