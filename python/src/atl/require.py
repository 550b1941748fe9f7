"""What every schedule must preserve."""

from __future__ import annotations

from types import TracebackType

__all__ = ["require"]

#: The class of rounding that schedules are held to; none at first.
_required: str | None = None


def required() -> str | None:
    """The class of rounding that new kernels must preserve."""
    return _required


class require:
    """From now on schedules that preserve less than this in floating point are refused, in the whole process.

    As a context manager it ends with the block.

    >>> import atl
    >>> total = atl.compile("fn total(x: f32[N]) -> f32 { sum i < N { x[i] } }")
    >>> with require(rounding="bitwise"):
    ...     try: total.split("i", by=4)
    ...     except atl.Refused as refused: print(refused.code)
    E0702
    """

    def __init__(self, *, rounding: str) -> None:
        if rounding not in ("bitwise", "finite", "real"):
            raise ValueError(f"there is no rounding `{rounding}`; the classes are bitwise, finite and real")
        global _required
        self._before = _required
        _required = rounding

    def __enter__(self) -> require:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        global _required
        _required = self._before
