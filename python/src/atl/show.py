"""Texts and pages of what the compiler did."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .kernel import Kernel

__all__ = ["Explanation", "Text"]


class Text(str):
    """A text of several lines, which a prompt shows as it is."""

    def __repr__(self) -> str:
        return str(self)


class Explanation:
    """A derivation: ``str`` is a text for a terminal, a notebook shows a page."""

    def __init__(self, kernel: Kernel, sizes: dict[str, int]) -> None:
        self._kernel = kernel
        self._sizes = list(sizes.items())

    def __str__(self) -> str:
        return self._kernel.explain_text()

    def __repr__(self) -> str:
        return str(self)

    def to_html(self) -> str:
        """The page, which needs no other file and no script."""
        return self._kernel.explain_html(self._sizes)

    def html(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_html())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        import html  # for pages alone

        page = html.escape(self.to_html(), quote=True)
        frame = f'<iframe srcdoc="{page}" sandbox style="width:100%;height:36em;border:1px solid #ccc"></iframe>'
        return {"text/plain": str(self), "text/html": frame}
