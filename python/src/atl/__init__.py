"""Tensor kernels for NumPy and SciPy whose every optimisation is a theorem.

>>> import atl, numpy as np
>>> double = atl.compile("fn double(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } }")
>>> double(np.arange(3, dtype=np.float32))
array([0., 2., 4.], dtype=float32)
"""

import os as _os

from . import _atl
from ._atl import set_num_threads
from .errors import CompilerWarning, CopyWarning, InternalError, Refused, RefusedArgument, Span
from .iterate import fixpoint, linop
from .kernel import Kernel
from .layout import Layout, layout
from .program import Program, compile, load
from .require import require
from .sql import Answer, sql
from .tensor import Packed, cache_clear, cache_info, einsum, pack, tensor, tensordot, transpose
from .theorem import Theorem
from .trace.binders import all, any, gen, let, max, min, prod, sum
from .trace.constants import constant
from .trace.expr import between, guard, index, where
from .trace.filled import arange, eye, full, linspace, ones, zeros
from .trace.function import Polymorphic, fn
from .trace.functions import abs_ as abs
from .trace.functions import (
    acos, asin, atan, atan2, cbrt, ceil, clz, copysign, cos, cosh, ctz, erf, erfc, exp, exp10, exp2, expm1, floor, fma, fmod, hypot,
    log, log10, log1p, log2, mulhi, popcount, pow, round, rsqrt, sign, sin, sinh, sqrt, tan, tanh, trunc,
)  # fmt: skip
from .trace.rounds import iterate, old, rec, scan
from .trace.types import bf16, bool_, c64, c128, elem, f16, f32, f64, i8, i16, i32, i64, size, sizes, span, u8, u16, u32, u64, upto

__version__ = _atl.version()

__all__ = [
    "Answer",
    "CompilerWarning",
    "CopyWarning",
    "InternalError",
    "Kernel",
    "Layout",
    "Packed",
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



def load_ipython_extension(shell: object) -> None:
    """What ``%load_ext atl`` does: the cell magic ``%%atl``."""
    from .notebook import load_ipython_extension as load_into

    load_into(shell)


if hasattr(_os, "register_at_fork"):
    # The threads of a parallel loop do not survive a fork.
    _os.register_at_fork(after_in_child=_atl.forked)
