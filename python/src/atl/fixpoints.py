"""Kernels that are called again with their result, and kernels as linear operators of SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import refusal
from .kernel import Kernel
from .program import entry

__all__ = ["fixpoint", "linop"]

#: How many calls there are at most, by default.
MOST = 1_000_000


@entry
def fixpoint(kernel: Kernel, /, *, times: int | None = None, most: int = MOST, **arguments: Any) -> Any:
    """Calls a kernel with its result in place of the first argument by name, until nothing changes.

    ``times`` says how many calls there are instead; ``most`` is how many there may be. What does not change is compared bit
    for bit. Raises ``Refused`` after ``most`` calls, and where the result has another shape.

    >>> import numpy as np
    >>> from atl import compile
    >>> halve = compile("fn halve(x: i64[N]) -> i64[N] { gen i < N { x[i] / 2 } }")
    >>> fixpoint(halve, x=np.array([5, 900]))
    array([0, 0])
    """
    if not arguments:
        raise refusal("`fixpoint` without arguments", help="name the one that is replaced first: `fixpoint(relax, d=d0, w=w)`")
    name = next(iter(arguments))
    value = np.array(arguments[name])
    shape = value.shape
    for _ in range(most if times is None else times):
        result = np.asarray(kernel(**{**arguments, name: value}))
        if result.shape != shape or result.dtype != value.dtype:
            raise refusal(
                f"the result cannot replace `{name}`",
                note=f"it is {result.dtype}{list(result.shape)}, and `{name}` {value.dtype}{list(shape)}",
                help="give the argument with the type and shape of the result first",
            )
        if times is None and result.tobytes() == value.tobytes():
            return result
        value = result
    if times is None:
        raise refusal(f"`{kernel.name}` still changes its result after {most} calls", help="allow more with `most=`, or count them with `times=`")
    return value


@entry
def linop(kernel: Kernel, name: str, /, *, transposed: Kernel | None = None, **fixed: Any) -> Any:
    """A kernel of one vector, the argument called ``name``, as a ``scipy.sparse.linalg.LinearOperator``.

    The other arguments are fixed; the one that is a matrix says the shape. What is not linear is not noticed.
    ``transposed`` is a kernel of the same parameters for ``L.T @ y``, which the kernel itself does not say.

    >>> import numpy as np
    >>> from atl import compile
    >>> times = compile("fn times(A: f64[N, M], x: f64[M]) -> f64[N] { gen i { sum j { A[i, j] * x[j] } } }")
    >>> back = compile("fn back(A: f64[N, M], x: f64[N]) -> f64[M] { gen j { sum i { A[i, j] * x[i] } } }")
    >>> L = linop(times, "x", transposed=back, A=np.array([[1.0, 2, 3]]))
    >>> L @ np.ones(3), L.T @ np.ones(1)
    (array([6.]), array([1., 2., 3.]))
    """
    from scipy.sparse.linalg import LinearOperator  # type: ignore[import-untyped, unused-ignore]

    matrices = [a for a in fixed.values() if getattr(a, "ndim", 0) == 2]
    if len(matrices) != 1:
        raise refusal(f"`linop` of {len(matrices)} matrices", help='fix one: `linop(spmv, "x", A=A)`')
    matrix = matrices[0]

    def calls(of: Kernel, x: Any) -> Any:
        return of(**fixed, **{name: np.ascontiguousarray(x, dtype=matrix.dtype).reshape(-1)})

    def adjoint(y: Any) -> Any:
        return np.conj(calls(transposed, np.conj(y))) if transposed is not None else None

    make: Any = LinearOperator
    rmatvec = None if transposed is None else adjoint
    return make(matrix.shape, matvec=lambda x: calls(kernel, x), rmatvec=rmatvec, dtype=matrix.dtype)
