"""Expressions of whole arrays that are made at random: a trace gives what NumPy gives, or is refused."""

import os
import random

import numpy as np
import pytest

import atl
from atl import bool_, c128, f32, f64, i32, i64, u8

N, M = atl.sizes("N M")
TYPES = [f64, f64, f64, f32, i32, i64, u8, bool_, c128]
SLICES = ["1:", ":-1", "::-1", "::2", ":", "1:-1", "-2:", ":2", "None", "...", "2::3", "-1:0:-2"]

#: Forms with operands `E`, a literal `L`, a slice `S` and an axis `A`.
FORMS = [
    "(E + E)", "(E - E)", "(E * E)", "(E / E)", "(E * L)", "(E + L)", "np.exp(E)", "np.sqrt(E)", "np.square(E)", "abs(E)", "E[S]", "E[S, S]",
    "np.sum(EA)", "np.mean(EA)", "np.max(EA)", "np.std(EA)", "np.sum(EA, keepdims=True)", "np.min(EA, keepdims=True)", "np.where(E < E, E, E)",
    "np.maximum(E, E)", "E.T", "(E @ E)", "np.cumsum(EA)", "np.roll(E, 1A)", "np.pad(E, 1)", "np.diff(EA)", "np.concatenate([E, E])",
    "np.ravel(E)", "np.argmax(EA)", "(E).astype(np.float32)", "np.outer(E, E)", "np.linalg.norm(EA)",
]  # fmt: skip


def expression(rng, names, depth):
    """The text of an expression."""
    if depth == 0 or rng.random() < 0.08:
        return rng.choice(names)
    made = ""
    for c in rng.choice(FORMS):
        choices = {"L": ["2", "3", "0.5"], "S": SLICES, "A": [", axis=0", ", axis=-1"]}.get(c)
        made += expression(rng, names, depth - 1) if c == "E" else rng.choice(choices) if choices else c
    return made


def array(elem, shape, rng):
    if elem is c128:
        return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    if elem in (f32, f64):
        return (rng.random(shape) + 0.1).astype(elem.numpy)
    return rng.integers(0 if elem is bool_ else 1, 2 if elem is bool_ else 9, shape).astype(elem.numpy)


def agree(found, wanted):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    tolerance = 2e-2 if wanted.dtype == np.float16 else 2e-3 if wanted.dtype.name in ("float32", "complex64") else 1e-7
    # NaN among numbers, and what is made of infinities, is not compared.
    sure = np.isfinite(wanted)
    np.testing.assert_allclose(found[sure], wanted[sure], rtol=tolerance, atol=tolerance)


#: `ATL_RANDOM_ARRAYS` says of how many seeds; each takes about 20 ms.
SEEDS = int(os.environ.get("ATL_RANDOM_ARRAYS", "60"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")
def test_random_expressions_mean_what_they_mean_to_numpy():
    compared = 0
    for seed in range(SEEDS):
        rng = random.Random(seed)
        types = [rng.choice(TYPES) for _ in range(3)]
        text = expression(rng, list("xvxvwx"), rng.choice([2, 3, 3]))
        if rng.random() < 0.4:
            text = f"(lambda y: {expression(rng, list('yyxv'), 3)})({text})"
        function = eval(f"lambda x, v, w: {text}", {"np": np})
        function.__name__ = "f"
        try:
            kernel = atl.fn(x=types[0][N, M], v=types[1][M], w=types[2][N], backend="cranelift")(function)
        except atl.Refused:
            continue
        for n, m in [(5, 7), (7, 5), (2, 9), (3, 3)]:
            numbers = np.random.default_rng([seed, n])
            arrays = [array(elem, shape, numbers) for elem, shape in zip(types, [(n, m), (m,), (n,)])]
            try:
                wanted = function(*arrays)
            except (ValueError, TypeError):
                # What is not a part of the result is not checked.
                continue
            try:
                found = kernel(*arrays)
            except atl.Refused:
                assert n == m or "where " in kernel.text, (seed, text)
                continue
            try:
                agree(found, wanted)
            except AssertionError as error:
                raise AssertionError(f"{seed}: {text} of {types}, {n} by {m}\n{kernel.text}") from error
            compared += 1
    assert compared >= SEEDS
