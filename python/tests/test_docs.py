"""The chapter of the book, and docstrings, run as they stand."""

import doctest
import importlib
import pathlib
import pkgutil

import pytest

import atl
from atl.trace.types import NAMED

CHAPTER = pathlib.Path(__file__).resolve().parents[2] / "docs/book/src/python.md"
MODULES = [name for _, name, _ in pkgutil.walk_packages(atl.__path__, "atl.") if name != "atl._atl"]


def examples(text):
    """The blocks of Python, as one session; prose is left out."""
    kept, inside = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = line == "```python"
            line = ""
        kept.append(line if inside else "")
    return "\n".join(kept)


def test_the_chapter():
    text = examples(CHAPTER.read_text())
    test = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(CHAPTER), 0)
    assert len(test.examples) > 30
    result = doctest.DocTestRunner().run(test)
    assert result.failed == 0


def test_the_readme():
    text = (CHAPTER.parents[3] / "README.md").read_text()
    blocks = [block.partition("```")[0] for block in text.split("```python\n")[1:]]
    assert blocks
    for block in blocks:
        exec(block, {})


@pytest.mark.parametrize("name", ["atl", *MODULES])
def test_docstrings(name):
    module = importlib.import_module(name)
    globs = {**vars(module), "atl": atl}
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name, globs=globs):
        assert doctest.DocTestRunner().run(test).failed == 0, test.name


def test_everything_public_has_a_docstring():
    values = {"size", "einsum", "bool_", *NAMED}
    missing = [n for n in atl.__all__ if n not in values and not getattr(atl, n).__doc__]
    assert not missing
