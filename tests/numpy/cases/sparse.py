"""Functions of operands in formats, and of graphs."""

import numpy as np

from .case import Arrays, Case, Sizes, grid, pairs


def sparse(**names: str):
    """Inputs of double-precision numbers; those whose name is written with a capital letter first are mostly zeros, with
    empty rows and columns among them, unless the shape ends in `!`."""
    def make(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        arrays = {}
        for name, shape in names.items():
            extents = [sizes[e] for e in shape.rstrip("!").split(", ")]
            array = rng.standard_normal(extents)
            if not shape.endswith("!"):
                array[rng.random(extents) < 0.75] = 0
                for axis, n in enumerate(extents):
                    array[(slice(None),) * axis + (rng.random(n) < 0.2,)] = 0
            arrays[name] = array
        return arrays

    return make


def lengths(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """A graph's edges, infinitely long where there are none."""
    w = rng.random((sizes["V"], sizes["V"]))
    w[rng.random(w.shape) < 0.7] = np.inf
    return {"d": rng.random(sizes["V"]), "w": w}


def graph(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Edges as truth values, and which vertices and pairs are reached."""
    edges = rng.random((sizes["V"], sizes["V"])) < 0.2
    return {"x": rng.random(sizes["V"]) < 0.3, "A": edges}


def labels(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Edges of -inf where there are some, and a label for each vertex."""
    edges = np.where(rng.random((sizes["V"], sizes["V"])) < 0.2, -np.inf, np.inf)
    return {"l": rng.permutation(sizes["V"]).astype(np.float64), "A": edges}


def parents(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Edges of -inf where there are some, and for each vertex that is reached a vertex."""
    found = labels(rng, sizes)
    return {"p": np.where(rng.random(sizes["V"]) < 0.3, found["l"], np.inf), "A": found["A"]}


def grouped(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """A matrix, mostly of zeros, and a group for each of its rows and columns."""
    return {**sparse(A="N, N")(rng, sizes), "group": rng.integers(0, 3, sizes["N"]).astype(np.int32)}


def within(a: Arrays, _: Sizes) -> np.ndarray:
    return a["A"] * (a["group"][:, None] == a["group"])


MATRICES = pairs("N", "M", (0, 0), (0, 3), (3, 0), (1, 1), (1, 9), (9, 1), (5, 7), (12, 8), (23, 19))
PROPER = [s for s in MATRICES if s["N"] and s["M"]]
NARROW = [{**s, "K": k} for s, k in zip(MATRICES, (1, 5, 1, 3, 0, 5, 4, 1, 39))]


def product_of(a: Arrays, _: Sizes) -> np.ndarray:
    return a["A"] @ a["x"]


CASES = [
    Case("sparse.atl", "spmv", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_csc", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_dcsr", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_coo", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_ell", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_dia", sparse(A="N, M", x="M!"), product_of, PROPER, tolerance=1e-12),
    Case("sparse.atl", "spmv_bitmask", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_hash", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmv_bcsr", sparse(A="N, M", x="M!"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmspv", sparse(A="N, M", x="M"), product_of, MATRICES, tolerance=1e-12),
    Case("sparse.atl", "spmm", sparse(A="N, M", B="M, K!"), lambda a, _: a["A"] @ a["B"], NARROW, tolerance=1e-12),
    Case("sparse.atl", "spgemm", sparse(A="N, M", B="M, K"), lambda a, _: a["A"] @ a["B"], NARROW, tolerance=1e-12),
    Case("sparse.atl", "sddmm", sparse(A="N, M", B="N, K!", C="K, M!"), lambda a, _: a["A"] * (a["B"] @ a["C"]), NARROW,
         tolerance=1e-12),
    Case("sparse.atl", "ttv", sparse(B="I, K, L", c="L!"), lambda a, _: a["B"] @ a["c"],
         [dict(zip("IKL", n)) for n in [(0, 1, 2), (1, 0, 3), (5, 4, 7), (2, 6, 1)]], tolerance=1e-12),
    Case("sparse.atl", "ttv_sparse", sparse(B="I, K, L", c="L"), lambda a, _: a["B"] @ a["c"],
         [dict(zip("IKL", n)) for n in [(0, 1, 2), (1, 0, 3), (5, 4, 7), (2, 6, 1)]], tolerance=1e-12),
    Case("sparse.atl", "mttkrp", sparse(B="I, K, L", C="K, R!", D="L, R!"),
         lambda a, _: np.einsum("ikl,kr,lr->ir", a["B"], a["C"], a["D"]),
         [dict(zip("IKLR", n)) for n in [(0, 1, 2, 1), (5, 4, 7, 3), (2, 6, 1, 37), (3, 2, 4, 0)]], tolerance=1e-12),
    Case("sparse.atl", "mttkrp_rows", sparse(B="I, K, L", C="K, R!", D="L, R!"),
         lambda a, _: np.einsum("ikl,kr,lr->ir", a["B"], a["C"], a["D"]),
         [dict(zip("IKLR", n)) for n in [(0, 1, 2, 1), (5, 4, 7, 3), (2, 6, 1, 33), (3, 2, 4, 0)]], tolerance=1e-12),
    Case("sparse.atl", "hadamard", sparse(A="N, M", B="N, M"), lambda a, _: a["A"] * a["B"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "triangles", sparse(A="N, N"), lambda a, _: np.sum(a["A"] @ a["A"] * a["A"]),
         [{"N": n} for n in (0, 1, 2, 9, 23)], tolerance=1e-12),
    Case("sparse.atl", "spgemm_csr", sparse(A="N, M", B="M, K"), lambda a, _: a["A"] @ a["B"], NARROW, tolerance=1e-12),
    Case("sparse.atl", "sddmm_csr", sparse(A="N, M", B="N, K!", C="K, M!"), lambda a, _: a["A"] * (a["B"] @ a["C"]), NARROW,
         tolerance=1e-12),
    Case("sparse.atl", "within", grouped, within, grid(N=[0, 1, 2, 13]), tolerance=0),
    Case("sparse.atl", "within_coo", grouped, within, grid(N=[0, 1, 2, 13]), tolerance=0),
    Case("sparse.atl", "turn", sparse(A="N, M"), lambda a, _: a["A"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "add", sparse(A="N, M", B="N, M"), lambda a, _: a["A"] + a["B"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "add_coo", sparse(A="N, M", B="N, M"), lambda a, _: a["A"] + a["B"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "hadamard_coo", sparse(A="N, M", B="N, M"), lambda a, _: a["A"] * a["B"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "compact", sparse(A="N, M"), lambda a, _: a["A"], MATRICES, tolerance=1e-12),
    Case("sparse.atl", "outer", sparse(x="N", y="M"), lambda a, _: np.outer(a["x"], a["y"]), MATRICES, tolerance=1e-12),
    Case("sparse.atl", "diagonal", sparse(A="N, N"), lambda a, _: np.diag(a["A"]).copy(), grid(N=[0, 1, 2, 11]), tolerance=1e-12),
    Case("sparse.atl", "relax_edges", lengths,
         lambda a, _: np.min(a["d"][:, None] + a["w"], axis=0, initial=np.inf), grid(V=[0, 1, 2, 13]), tolerance=0),
]

GRAPHS = grid(V=[0, 1, 2, 13])
CASES += [
    Case("graphs.atl", "reach", graph, lambda a, _: a["x"] | (a["x"][:, None] & a["A"]).any(axis=0), GRAPHS, tolerance=0),
    Case("graphs.atl", "shortest", lambda rng, s: {"d": (a := lengths(rng, s))["d"], "A": a["w"]},
         lambda a, _: np.minimum(a["d"], np.min(a["d"][:, None] + a["A"], axis=0, initial=np.inf)), GRAPHS, tolerance=0),
    Case("graphs.atl", "tree", parents,
         lambda a, _: np.where(a["p"] < np.inf, a["p"],
                               np.min(np.where((a["p"] < np.inf)[:, None] & (a["A"] < 0), np.arange(len(a["p"]))[:, None], np.inf), axis=0, initial=np.inf)),
         GRAPHS, tolerance=0),
    Case("graphs.atl", "components", lambda rng, s: {n: array.astype(np.float32) for n, array in labels(rng, s).items()},
         lambda a, _: np.minimum(a["l"], np.min(np.maximum(a["l"][:, None], a["A"]), axis=0, initial=np.inf)), GRAPHS,
         tolerance=0),
    Case("graphs.atl", "rank", sparse(x="V!", A="V, V", jump="V!"),
         lambda a, _: 0.15 * a["jump"] + 0.85 * (a["x"] @ a["A"]), GRAPHS, tolerance=1e-12),
    Case("graphs.atl", "triangles", lambda rng, s: {"A": (rng.random((s["V"], s["V"])) < 0.4).astype(np.int64)},
         lambda a, _: np.sum(a["A"] @ a["A"] * a["A"]), GRAPHS, tolerance=0),
    Case("graphs.atl", "closure", lambda rng, s: {"r": (a := graph(rng, s))["A"].T.copy(), "A": a["A"]},
         lambda a, _: a["r"] | ((a["r"][:, :, None] & a["A"][None]).any(axis=1)), GRAPHS, tolerance=0),
]

CUBES = [dict(zip("IKL", n)) for n in [(0, 1, 2), (1, 0, 3), (5, 4, 7), (2, 6, 1), (9, 8, 11)]]
CASES += [
    Case("contractions.atl", "rows_combined", sparse(A="N, M", B="M, K"), lambda a, _: a["A"] @ a["B"], NARROW, tolerance=1e-12),
    Case("contractions.atl", "inner_products", sparse(A="N, M", B="K, M"), lambda a, _: a["A"] @ a["B"].T, NARROW, tolerance=1e-12),
    Case("contractions.atl", "times_vector", sparse(B="I, K, L", c="L"), lambda a, _: a["B"] @ a["c"], CUBES, tolerance=1e-12),
    Case("contractions.atl", "times_matrix", sparse(B="I, K, L", C="R, L"), lambda a, _: a["B"] @ a["C"].T,
         [s | {"R": r} for s, r in zip(CUBES, (2, 3, 0, 1, 5))], tolerance=1e-12),
    Case("contractions.atl", "sparse_factors", sparse(B="I, K, L", C="K, R", D="L, R"),
         lambda a, _: np.einsum("ikl,kr,lr->ir", a["B"], a["C"], a["D"]),
         [s | {"R": r} for s, r in zip(CUBES, (2, 3, 0, 1, 5))], tolerance=1e-12),
    Case("contractions.atl", "inner_product", sparse(A="I, K, L", B="I, K, L"), lambda a, _: np.sum(a["A"] * a["B"]), CUBES, tolerance=1e-12),
    Case("contractions.atl", "filtered", sparse(A="N, M", x="M"), lambda a, _: a["A"] @ np.where(a["x"] > 0.5, a["x"], 0), MATRICES,
         tolerance=1e-12),
]
