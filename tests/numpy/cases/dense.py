"""Dense functions of floats: stencils, products, layers, and the derivations of the literature."""

import math

import numpy as np

from .case import PICTURES, ROWS, Arrays, Case, Sizes, both, floats, grid, pairs, valid


def zero_outside(a: np.ndarray, shift: tuple[int, ...]) -> np.ndarray:
    """`out[i, ..] = a?[i + shift, ..]`."""
    out = np.zeros_like(a)
    to = tuple(slice(max(0, -s), max(0, min(n, n - s))) for s, n in zip(shift, a.shape))
    of = tuple(slice(max(0, s), max(0, min(n, n + s))) for s, n in zip(shift, a.shape))
    out[to] = a[of]
    return out


def blur(img: np.ndarray) -> np.ndarray:
    wide = img.astype(np.float64)
    return sum(zero_outside(wide, (dy, dx)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) / 9.0


def diffuse(u: np.ndarray) -> np.ndarray:
    u = u.astype(np.float64)
    for _ in range(3):
        u = 0.25 * zero_outside(u, (-1, 0)) + 0.5 * u + 0.25 * zero_outside(u, (1, 0))
    return u


def windows(x: np.ndarray, extents: tuple[int, ...], counts: tuple[int, ...]) -> np.ndarray:
    """`out[p.., r..] = x[p + r..]`, also where there is nothing to see."""
    out = np.zeros(counts + extents, np.float64)
    for r in np.ndindex(*extents):
        out[(...,) + r] = x[tuple(slice(o, o + n) for o, n in zip(r, counts))]
    return out


def conv1d(a: Arrays, s: Sizes) -> np.ndarray:
    return windows(a["x"], (s["R"],), (s["W"],)) @ a["w"].astype(np.float64)


def conv1d_same(a: Arrays, s: Sizes) -> np.ndarray:
    x = a["x"].astype(np.float64)
    return sum((a["w"][r] * zero_outside(x, (r - s["R"] // 2,)) for r in range(s["R"])), np.zeros(s["N"]))


def conv2d(a: Arrays, s: Sizes) -> np.ndarray:
    view = windows(a["img"], (s["R"], s["S"]), (s["P"], s["Q"]))
    return np.einsum("pqrs,rs->pq", view, a["w"].astype(np.float64))


def im2col(a: Arrays, s: Sizes) -> np.ndarray:
    view = windows(a["img"], (s["R"], s["S"]), (s["P"], s["Q"]))
    return view.reshape(s["P"] * s["Q"], s["R"] * s["S"]).astype(np.float32)


def correlate(a: Arrays, s: Sizes) -> np.ndarray:
    x = a["x"].astype(np.float64)
    w = a["w"].astype(np.float64)
    out = np.zeros((s["B"], s["K"], s["W"]))
    for r in range(s["R"]):
        out += np.einsum("kc,ncp->nkp", w[:, :, r], x[:, :, r : r + s["W"]])
    return out


def layer_2d(a: Arrays, s: Sizes) -> np.ndarray:
    x = a["x"].astype(np.float64)
    out = np.zeros((s["B"], s["K"], s["P"], s["Q"]))
    for r, t in np.ndindex(s["R"], s["S"]):
        out += np.einsum("kc,ncpq->nkpq", a["w"][:, :, r, t], x[:, :, r : r + s["P"], t : t + s["Q"]])
    return out


def interpolate(a: Arrays, _: Sizes) -> np.ndarray:
    wide = a["a"].astype(np.float64)
    return np.einsum("il,jm,kn,elmn->eijk", wide, wide, wide, a["u"], optimize=True)


def interpolate_batches(a: Arrays, _: Sizes) -> np.ndarray:
    wide = a["a"].astype(np.float64)
    return np.einsum("il,jm,kn,blmne->bijke", wide, wide, wide, a["u"], optimize=True)


def pipeline(a: Arrays, _: Sizes) -> np.ndarray:
    x = a["a"].astype(np.float64)
    smooth = 0.25 * zero_outside(x, (-1,)) + 0.5 * x + 0.25 * zero_outside(x, (1,))
    return zero_outside(smooth, (1,)) - zero_outside(smooth, (-1,))


def softmax(a: Arrays, _: Sizes) -> np.ndarray:
    x = a["x"].astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True, initial=-np.inf))
    return e / e.sum(axis=1, keepdims=True)


def gelu(a: Arrays, _: Sizes) -> np.ndarray:
    x = a["x"].astype(np.float64)
    return 0.5 * x * (1 + np.vectorize(math.erf, otypes=[np.float64])(x / math.sqrt(2)))


def places(rng: np.random.Generator, s: Sizes) -> Arrays:
    """Places on a sphere, and the one that they are compared with."""
    n = s["N"]
    return {
        "lat": rng.uniform(-1.5, 1.5, n), "lon": rng.uniform(-3.1, 3.1, n),
        "to": np.array([rng.uniform(-1.5, 1.5), rng.uniform(-3.1, 3.1)]),
    }


def distance(a: Arrays, _: Sizes) -> np.ndarray:
    lat, lon, to = a["lat"], a["lon"], a["to"]
    h = np.sin((lat - to[0]) / 2) ** 2 + np.cos(lat) * np.cos(to[0]) * np.sin((lon - to[1]) / 2) ** 2
    return 2 * np.arcsin(np.minimum(1, np.sqrt(h)))


def layer_norm(a: Arrays, s: Sizes) -> np.ndarray:
    if s["M"] == 0:
        return np.zeros((s["N"], 0))
    x = a["x"].astype(np.float64)
    deviation = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    return (x - x.mean(axis=1, keepdims=True)) / deviation * a["scale"] + a["shift"]


def distances(rng: np.random.Generator, s: Sizes) -> Arrays:
    """Distances and edges, some of them missing."""
    v = s["V"]
    d = rng.uniform(0, 9, v).astype(np.float32)
    w = rng.uniform(0, 9, (v, v)).astype(np.float32)
    d[rng.random(v) < 0.3] = np.inf
    w[rng.random((v, v)) < 0.5] = np.inf
    return {"d": d, "w": w}


def relax(a: Arrays, _: Sizes) -> np.ndarray:
    return (a["d"][:, None] + a["w"]).min(axis=0, initial=np.float32(np.inf))


def closure_step(a: Arrays, _: Sizes) -> np.ndarray:
    r = a["r"]
    return r | ((r[:, :, None] & r[None, :, :]).any(axis=1))


def scatter(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """`out[n, k, p]`, the sum of `x[n, c, p + r] * w[k, c, r]` over what there is of `x`."""
    out = np.zeros((x.shape[0], w.shape[0], x.shape[2]))
    for r in range(w.shape[2]):
        shifted = zero_outside(x.astype(np.float64), (0, 0, r))
        out += np.einsum("kc,ncp->nkp", w[:, :, r], shifted)
    return out


def neighbours(a: Arrays, _: Sizes) -> np.ndarray:
    f = a["f"].astype(np.float64)
    return zero_outside(f, (-1,)) + f


def shift(a: Arrays, s: Sizes) -> np.ndarray:
    out = np.zeros(s["N"])
    count = max(0, min(s["N"] - 2, s["M"]))
    out[2 : 2 + count] = a["c"][:count]
    return out


STENCILS = both(
    valid("P", "H", "R", (1, 1), (5, 5), (3, 4), (7, 3), (11, 4), (2, 0), (18, 3)),
    valid("Q", "W", "S", (1, 1), (7, 2), (5, 1), (41, 3), (33, 2), (5, 3), (0, 1)),
)
# Pictures of the width that a schedule is for.
JOINED = both(valid("P", "H", "R", (2, 3), (3, 3), (18, 3)), valid("Q", "W", "S", (58, 3)))

CASES = [
    Case(
        "blur.atl", "blur", floats(img="N, M"), lambda a, _: blur(a["img"]),
        pairs("N", "M", *PICTURES, (64, 64), (67, 131)),
    ),
    Case("conv1d.atl", "conv1d", floats(x="N", w="R"), conv1d,
         valid("W", "N", "R", (0, 1), (0, 0), (1, 1), (3, 0), (3, 4), (7, 3), (31, 5), (32, 1), (37, 5), (71, 8))),
    Case("conv1d.atl", "conv1d_same", floats(x="N", w="R"), conv1d_same,
         pairs("N", "R", (0, 0), (0, 3), (1, 1), (5, 0), (2, 7), (13, 3), (16, 4), (37, 5))),
    Case("conv2d.atl", "conv2d", floats(img="H, W", w="R, S"), conv2d, STENCILS),
    Case("im2col.atl", "im2col", floats(img="H, W"), im2col, STENCILS, ("R", "S"), tolerance=0),
    Case("im2col.atl", "correlate", floats(x="B, C, L", w="K, C, R"), correlate,
         both(valid("W", "L", "R", (0, 1), (1, 1), (7, 3), (11, 4), (17, 2)), grid(B=[0, 1, 3], K=[1, 2], C=[0, 3]))),
    Case("conv_layers.atl", "conv1d_layer", floats(x="B, C, L", w="K, C, R"), correlate,
         both(valid("W", "L", "R", (0, 1), (1, 1), (7, 3), (11, 4), (67, 2)), grid(B=[0, 1, 3], K=[1, 5], C=[0, 3]))),
    Case("conv_layers.atl", "conv2d_layer", floats(x="B, C, H, W", w="K, C, R, S"), layer_2d,
         both(STENCILS + JOINED, grid(B=[1, 2, 0], K=[5, 1], C=[3, 0]))),
    Case("columns.atl", "columns_product", floats(a="M, K", x="K"), lambda a, _: a["a"].astype(np.float64) @ a["x"],
         pairs("M", "K", (0, 3), (3, 0), (1, 1), (5, 7), (9, 4))),
    Case("columns.atl", "panels_product", floats(a="M, K", x="K"), lambda a, _: a["a"].astype(np.float64) @ a["x"],
         pairs("M", "K", (0, 3), (3, 0), (1, 1), (5, 7), (8, 4))),
    Case("columns.atl", "blas_product", floats(a="M, K", b="K, N"), lambda a, _: a["a"].astype(np.float64) @ a["b"],
         [dict(zip("MKN", s)) for s in [(0, 3, 2), (2, 0, 3), (3, 2, 0), (1, 1, 1), (9, 4, 7), (16, 5, 3)]]),
    Case("columns.atl", "panels", floats(a="M, K"), lambda a, _: a["a"],
         pairs("M", "K", (0, 3), (3, 0), (1, 1), (5, 7), (8, 4)), tolerance=0),
    Case("cuda.atl", "transposed", floats(a="M, N"), lambda a, _: a["a"].T,
         pairs("M", "N", (0, 3), (1, 1), (5, 7), (32, 64), (33, 31)), tolerance=0),
    Case("cuda.atl", "triad", floats(x="N", y="N"), lambda a, _: 3 * a["x"] + a["y"],
         [{"N": n} for n in (0, 1, 255, 256, 300)]),
    Case("cuda.atl", "product", floats(a="M, K", b="K, N"), lambda a, _: a["a"].astype(np.float64) @ a["b"],
         [dict(zip("MKN", s)) for s in [(0, 8, 2), (2, 0, 3), (1, 8, 1), (65, 16, 66)]],
         promised=[dict(zip("MKN", s)) for s in [(0, 3, 2), (1, 1, 1), (13, 37, 33)]]),
    Case("cuda.atl", "blurred", floats(img="N, M"), lambda a, _: 9.0 * blur(a["img"]),
         pairs("N", "M", (0, 3), (1, 1), (16, 32), (17, 33))),
    Case("diffuse.atl", "diffuse", floats(u="N, M"), lambda a, _: diffuse(a["u"]), pairs("N", "M", *PICTURES, (67, 131))),
    Case("elementwise.atl", "add", floats(a="N", b="N"), lambda a, _: a["a"] + a["b"], ROWS, tolerance=0),
    Case("elementwise.atl", "clamp", floats(x="N"), lambda a, _: np.clip(0.125 * a["x"] + 0.5, 0, 1), ROWS),
    Case("elementwise.atl", "multiply_add", floats(a="N", b="N", c="N"),
         lambda a, _: a["a"].astype(np.float64) * a["b"] + a["c"], ROWS),
    Case("interpolation.atl", "interpolate", floats(a="Q, P", u="E, P, P, P"), interpolate,
         [dict(zip("EQP", s)) for s in [(0, 2, 2), (1, 0, 2), (1, 2, 0), (1, 1, 1), (3, 3, 2), (2, 4, 4), (1, 5, 9)]],
         promised=[dict(zip("EQP", s)) for s in [(0, 4, 4), (37, 4, 4), (3, 8, 8), (2, 12, 12), (3, 16, 16)]]),
    Case("interpolation.atl", "interpolate_batches", floats(a="Q, P", u="B, P, P, P, L"), interpolate_batches,
         [dict(zip("BPQL", s)) for s in [(0, 2, 2, 3), (1, 2, 0, 1), (2, 1, 1, 0), (2, 3, 2, 5), (1, 4, 4, 16)]],
         promised=[dict(zip("BPQL", (n, 4, 4, 16))) for n in (0, 1, 2, 5)]),
    Case("image.atl", "grayscale", floats(img="H, W, 3"),
         lambda a, _: a["img"].astype(np.float64) @ [0.299, 0.587, 0.114], pairs("H", "W", *PICTURES)),
    Case("image.atl", "sharpen", floats(img="N, M"), lambda a, _: 2.0 * a["img"] - blur(a["img"]),
         pairs("N", "M", *PICTURES)),
    Case("layer_norm.atl", "layer_norm", floats(x="N, M", scale="M", shift="M"), layer_norm,
         pairs("N", "M", (0, 0), (0, 5), (3, 0), (1, 1), (2, 3), (5, 16), (7, 19), (3, 64), (2, 215)),
         tolerance=1e-4),
    Case("matmul.atl", "matmul", floats(a="M, K", b="K, N"),
         lambda a, _: a["a"].astype(np.float64) @ a["b"],
         [dict(zip("MKN", s)) for s in
          [(0, 0, 0), (0, 3, 2), (3, 0, 2), (2, 3, 0), (1, 1, 1), (2, 3, 5), (8, 32, 16), (7, 31, 17), (13, 37, 33)]]),
    Case("pipeline.atl", "pipeline", floats(a="N"), pipeline,
         [{"N": n} for n in (0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 53)]),
    Case("functions.atl", "gelu", floats(x="N"), gelu, ROWS),
    Case("functions.atl", "distance", places, distance, ROWS, tolerance=1e-14),
    Case("relax.atl", "relax", distances, relax, [{"V": n} for n in (0, 1, 2, 3, 7, 8, 13, 17)], tolerance=0),
    Case("softmax.atl", "softmax", floats(x="N, M"), softmax,
         pairs("N", "M", (0, 0), (0, 5), (3, 0), (1, 1), (2, 3), (4, 8), (5, 16), (7, 19), (3, 64), (2, 215), (19, 70))),
    Case("tensor_add.atl", "add", floats(a="A, B, C, D", b="A, B, C, D"), lambda a, _: a["a"] + a["b"],
         [dict(zip("ABCD", s)) for s in [(0, 0, 0, 0), (2, 0, 3, 4), (1, 1, 1, 1), (2, 3, 5, 7), (3, 1, 2, 8), (2, 2, 3, 19)]],
         tolerance=0),
    Case("tensor_add.atl", "add_flat", floats(a="A, B, C, D", b="A, B, C, D"), lambda a, _: (a["a"] + a["b"]).ravel(),
         [dict(zip("ABCD", s)) for s in [(0, 0, 0, 0), (2, 0, 3, 4), (1, 1, 1, 1), (2, 3, 5, 7), (3, 1, 2, 8), (2, 2, 3, 19)]],
         tolerance=0),
    Case("transitive_closure.atl", "closure_step", lambda rng, s: {"r": rng.random((s["V"], s["V"])) < 0.2}, closure_step,
         [{"V": n} for n in (0, 1, 2, 3, 7, 8, 13, 17)], tolerance=0),
]

# The derivations of the literature, whose tile sizes are parameters.
TILES = [(0, 0), (1, 1), (2, 3), (5, 2), (8, 12), (7, 9)]
CASES += [
    Case("derivations/pipeline.atl", "pipeline", floats(f="N"), neighbours,
         grid(N=[0, 1, 5, 12], K=[1, 4]), ("K",)),
    Case("derivations/matmul.atl", "matmul", floats(a="M, K", b="K, N"),
         lambda a, _: a["a"].astype(np.float64) @ a["b"],
         [dict(zip("MKNT", s)) for s in [(0, 3, 2, 1), (1, 0, 1, 2), (7, 3, 10, 4), (8, 2, 12, 4)]], ("T",)),
    Case("derivations/convolution.atl", "shift", floats(c="M"), shift, grid(M=[3, 4, 7], N=[0, 1, 5, 11]), ("N",)),
    Case("derivations/im2col.atl", "correlate", floats(x="B, C, L", w="K, C, R"), correlate,
         both(valid("W", "L", "R", (0, 1), (1, 1), (7, 3), (11, 4)), grid(B=[1, 2], K=[1, 2], C=[0, 3])), ("W",)),
    Case("derivations/im2col.atl", "correlate_1d", floats(x="L", w="K, R"),
         lambda a, _: scatter(a["x"][None, None], a["w"][:, None])[0], grid(L=[0, 1, 7], K=[1, 3], R=[1, 4])),
    Case("derivations/gather.atl", "scatter", floats(x="B, C, W", w="K, C, R"), lambda a, _: scatter(a["x"], a["w"]),
         both(pairs("W", "R", (0, 1), (1, 3), (6, 3), (7, 1)), grid(B=[1, 2], K=[1, 3], C=[0, 2]))),
    Case("derivations/gather.atl", "scatter_1d", floats(x="W", w="R"),
         lambda a, _: scatter(a["x"][None, None], a["w"][None, None])[0, 0],
         pairs("W", "R", (0, 1), (1, 4), (6, 3), (7, 0))),
    Case("derivations/elementwise.atl", "product", floats(a="A, C, B, D", b="A, C, B, D"), lambda a, _: a["a"] * a["b"],
         [dict(zip("ACBD", s)) for s in [(0, 2, 3, 4), (1, 1, 1, 1), (2, 3, 5, 7)]], tolerance=0),
    Case("derivations/blur.atl", "blur", floats(v="N, M"), lambda a, _: 9.0 * blur(a["v"]),
         pairs("N", "M", (2, 2), (3, 7), (8, 2), (11, 13))),
    Case("derivations/blur.atl", "blur_tiles", floats(v="N, M"), lambda a, _: 9.0 * blur(a["v"]),
         both(pairs("N", "M", *TILES), pairs("S", "T", (1, 1), (4, 4), (2, 3), (5, 2))), ("S", "T")),
]


def centred(a: Arrays, _: Sizes) -> tuple[np.ndarray, np.ndarray]:
    mean = a["x"].mean(axis=1, dtype=np.float64)
    return mean.astype(np.float32), (a["x"] - mean[:, None]).astype(np.float32)


def extent_of_rows(a: Arrays, _: Sizes) -> tuple[np.ndarray, ...]:
    x = a["x"]
    return x.min(axis=1), x.max(axis=1), (x < 0).sum(axis=1).astype(np.int32)


FILLED = [dict(zip("NM", n)) for n in [(0, 1), (1, 1), (3, 7), (5, 17), (31, 64)]]
CASES += [
    Case("several.atl", "centred", floats(x="N, M"), centred, FILLED),
    Case("several.atl", "range", floats(x="N, M"), extent_of_rows, FILLED, tolerance=0),
    Case("several.atl", "scaled", floats(x="N, M"),
         lambda a, _: (a["x"] - a["x"].min(axis=1, keepdims=True)) / (np.ptp(a["x"], axis=1, keepdims=True) + np.float32(1)), FILLED),
]
