"""Halide: its textbook schedules, and the best that we found by hand. Every pipeline is compiled for the sizes at hand.

Halide names the innermost dimension first, so shapes here read backwards.
"""

from pathlib import Path
from typing import Callable, Iterator

import halide as hl
from build import Candidate

AUTHOR = "Halide"
F32 = hl.Float(32)
LANES = 16

Pipeline = tuple[list[hl.ImageParam], hl.Func, list[list[int]]]


def version() -> str:
    return f"{hl.__file__} {hl.get_host_target()}"


def image(name: str, *extents: int) -> hl.ImageParam:
    """An array whose extents are promised."""
    array = hl.ImageParam(F32, len(extents), name)
    stride = 1
    for k, extent in enumerate(extents):
        array.dim(k).set_bounds(0, extent).set_stride(stride)
        stride *= extent
    return array


def promised(out: hl.Func, *extents: int) -> None:
    """The result's extents."""
    buffer = out.output_buffer()
    stride = 1
    for k, extent in enumerate(extents):
        buffer.dim(k).set_bounds(0, extent).set_stride(stride)
        stride *= extent


def v(names: str) -> list[hl.Var]:
    return [hl.Var(name) for name in names.split()]


def blur(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Pipeline]]:
    n, m = s["N"], s["M"]
    for name in ["two stages", "fused", "tiled 64 by 64", "strips of 32 rows", "windows of 8 rows in registers"]:
        x, y, xi, yi, yo = v("x y xi yi yo")
        img, bx, out = image("img", m, n), hl.Func("bx"), hl.Func("out")
        zero = hl.BoundaryConditions.constant_exterior(img, 0.0)
        bx[x, y] = zero[x - 1, y] + zero[x, y] + zero[x + 1, y]
        out[x, y] = (bx[x, y - 1] + bx[x, y] + bx[x, y + 1]) / 9.0
        outer = y
        if name == "two stages":
            bx.compute_root().vectorize(x, LANES)
            out.vectorize(x, LANES)
            if parallel:
                bx.parallel(y)
        elif name == "fused":
            out.vectorize(x, LANES)
        elif name == "tiled 64 by 64":
            out.tile(x, y, xi, yi, 64, 64).vectorize(xi, LANES)
            bx.compute_at(out, x).vectorize(x, LANES)
        elif name == "strips of 32 rows":
            out.split(y, yo, yi, 32).vectorize(x, LANES)
            bx.store_at(out, yo).compute_at(out, yi).vectorize(x, LANES)
            outer = yo
        else:
            out.tile(x, y, xi, yi, 2 * LANES, 8).vectorize(xi, LANES).unroll(xi).unroll(yi)
            bx.compute_at(out, x).vectorize(x, LANES).unroll(x).unroll(y)
        if parallel:
            out.parallel(outer)
        promised(out, m, n)
        yield name, ([img], out, [[m, n], [m, n]])


def matmul(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Pipeline]]:
    m, k, n = s["M"], s["K"], s["N"]
    rows, wide = 12, 2 * LANES
    for name, block in [("packed, panels outside", None), ("packed, 96 rows outside", 8)]:
        i, j, ji, ii, jo, io, ioo, jj, p = v("i j ji ii jo io ioo jj p")
        a, b = image("a", k, m), image("b", n, k)
        r = hl.RDom([(0, k)])
        whole = hl.BoundaryConditions.constant_exterior(b, 0.0)
        packed, acc, out = hl.Func("packed"), hl.Func("acc"), hl.Func("out")
        packed[jj, p, jo] = whole[jo * wide + jj, p]
        rows_of_a = hl.BoundaryConditions.repeat_edge(a) if m % rows else a
        acc[j, i] = 0.0
        acc[j, i] += rows_of_a[r.x, i] * packed[j % wide, r.x, j / wide]
        out[j, i] = acc[j, i]
        tail = hl.TailStrategy.Auto if m % rows == 0 and n % wide == 0 else hl.TailStrategy.GuardWithIf
        out.split(j, jo, ji, wide, tail).split(i, io, ii, rows, tail).vectorize(ji, LANES).unroll(ji).unroll(ii)
        if block:
            out.split(io, ioo, io, block, hl.TailStrategy.GuardWithIf).reorder(ji, ii, io, jo, ioo)
            outer = ioo
        else:
            out.reorder(ji, ii, io, jo)
            outer = jo
        acc.compute_at(out, io).vectorize(j, LANES).unroll(j).unroll(i)
        acc.update().reorder(j, i, r.x).vectorize(j, LANES).unroll(j).unroll(i)
        packed.compute_root().bound(jj, 0, wide).vectorize(jj, LANES).unroll(jj)
        if parallel:
            out.parallel(outer)
            packed.parallel(jo)
        promised(out, n, m)
        yield name, ([a, b], out, [[k, m], [n, k], [n, m]])


def conv1d(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Pipeline]]:
    b, c, w, k, r = (s[name] for name in ["B", "C", "W", "K", "R"])
    wide = w - r + 1
    for filters, points in [(8, 3 * LANES), (8, 2 * LANES), (4, 4 * LANES)]:
        p, f, n, pi, fi = v("p f n pi fi")
        x, weights = image("x", w, c, b), image("w", r, c, k)
        d = hl.RDom([(0, r), (0, c)])
        acc, out = hl.Func("acc"), hl.Func("out")
        acc[p, f, n] = 0.0
        acc[p, f, n] += x[p + d.x, d.y, n] * weights[d.x, d.y, f]
        out[p, f, n] = acc[p, f, n]
        out.tile(p, f, pi, fi, points, filters).vectorize(pi, LANES).unroll(pi).unroll(fi)
        acc.compute_at(out, p).vectorize(p, LANES).unroll(p).unroll(f)
        acc.update().reorder(p, f, d.x, d.y).vectorize(p, LANES).unroll(p).unroll(f).unroll(d.x)
        if parallel:
            out.parallel(n)
        promised(out, wide, k, b)
        yield f"tiles of {filters} filters by {points} points", ([x, weights], out, [[w, c, b], [r, c, k], [wide, k, b]])


def conv2d(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Pipeline]]:
    b, c, h, w, k, r, t = (s[name] for name in ["B", "C", "H", "W", "K", "R", "S"])
    high, wide = h - r + 1, w - t + 1
    for filters, points in [(8, 2 * LANES), (16, LANES), (8, 28)]:
        q, p, f, n, qi, fi = v("q p f n qi fi")
        x, weights = image("x", w, h, c, b), image("w", t, r, c, k)
        d = hl.RDom([(0, t), (0, r), (0, c)])
        acc, out = hl.Func("acc"), hl.Func("out")
        acc[q, p, f, n] = 0.0
        acc[q, p, f, n] += x[q + d.x, p + d.y, d.z, n] * weights[d.x, d.y, d.z, f]
        out[q, p, f, n] = acc[q, p, f, n]
        lanes = min(points, LANES) if points % LANES == 0 else points
        fo, qo = v("fo qo")
        out.split(f, fo, fi, filters).split(q, qo, qi, points).reorder(qi, fi, qo, p, fo, n)
        out.vectorize(qi, lanes).unroll(qi).unroll(fi)
        acc.compute_at(out, qo).vectorize(q, lanes).unroll(q).unroll(f)
        acc.update().reorder(q, f, d.x, d.y, d.z).vectorize(q, lanes).unroll(q).unroll(f).unroll(d.x)
        if parallel:
            out.parallel(fo)
        promised(out, wide, high, k, b)
        shapes = [[w, h, c, b], [t, r, c, k], [wide, high, k, b]]
        yield f"tiles of {filters} filters by {points} points", ([x, weights], out, shapes)


def add(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Pipeline]]:
    n = s["N"]
    (i, o) = v("i o")
    a, b, out = image("a", n), image("b", n), hl.Func("out")
    out[i] = a[i] + b[i]
    out.vectorize(i, LANES)
    if parallel:
        out.split(i, o, i, 4096).parallel(o)
    promised(out, n)
    yield "vectors", ([a, b], out, [[n]] * 3)


def multiply_add(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Pipeline]]:
    n = s["N"]
    (i, o) = v("i o")
    a, b, c, out = image("a", n), image("b", n), image("c", n), hl.Func("out")
    out[i] = a[i] * b[i] + c[i]
    out.vectorize(i, LANES)
    if parallel:
        out.split(i, o, i, 4096).parallel(o)
    promised(out, n)
    yield "vectors", ([a, b, c], out, [[n]] * 4)


def interpolate(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Pipeline]]:
    q, p, e = s["Q"], s["P"], s["E"]
    for rows in sorted({min(q, 4), q}):
        i, j, k, l, m, n, el, ji = v("i j k l m n el ji")
        a, u = image("a", p, q), image("u", p, p, p, e)
        turned, one, two, out = (hl.Func(name) for name in ["turned", "one", "two", "out"])
        acc = hl.Func("acc")
        turned[k, n] = a[n, k]
        r1, r2, r3 = (hl.RDom([(0, p)]) for _ in range(3))
        one[k, m, l, el] = 0.0
        one[k, m, l, el] += turned[k, r1.x] * u[r1.x, m, l, el]
        two[k, j, l, el] = 0.0
        two[k, j, l, el] += a[r2.x, j] * one[k, r2.x, l, el]
        acc[k, j, i, el] = 0.0
        acc[k, j, i, el] += a[r3.x, i] * two[k, j, r3.x, el]
        out[k, j, i, el] = acc[k, j, i, el]
        turned.compute_root()
        lanes = min(q, LANES)
        for stage, middle, over in [(one, m, r1.x), (two, j, r2.x)]:
            inner = hl.Var("inner")
            stage.compute_at(out, el).bound_extent(k, q).vectorize(k, lanes)
            stage.update().split(middle, middle, inner, rows, hl.TailStrategy.GuardWithIf)
            stage.update().reorder(k, inner, over, middle, l).vectorize(k, lanes).unroll(inner)
        out.split(j, j, ji, rows, hl.TailStrategy.GuardWithIf).vectorize(k, lanes).unroll(ji)
        acc.compute_at(out, j).vectorize(k, lanes).unroll(j)
        acc.update().reorder(k, j, r3.x).vectorize(k, lanes).unroll(j)
        if parallel:
            out.parallel(el)
        promised(out, q, q, q, e)
        yield f"factored, {rows} rows in registers", ([a, u], out, [[p, q], [p, p, p, e], [q, q, q, e]])


def in_lanes(over: hl.RVar, stage: hl.Func, at: hl.Var, out: hl.Func) -> None:
    """A reduction of a row, in as many partial results as a vector has lanes."""
    outer, inner, lane = hl.RVar("outer"), hl.RVar("inner"), hl.Var("lane")
    stage.compute_at(out, at)
    stage.update().split(over, outer, inner, 4 * LANES)
    partial = stage.update().rfactor(inner, lane)
    partial.compute_at(out, at).vectorize(lane, LANES).unroll(lane)
    partial.update().reorder(lane, outer).vectorize(lane, LANES).unroll(lane)


def softmax(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Pipeline]]:
    n, m = s["N"], s["M"]
    i, j = v("i j")
    x = image("x", m, n)
    top, e, total, out = (hl.Func(name) for name in ["top", "e", "total", "out"])
    r1, r2 = hl.RDom([(0, m)]), hl.RDom([(0, m)])
    top[i] = F32.min()
    top[i] = hl.max(top[i], x[r1.x, i])
    e[j, i] = hl.exp(x[j, i] - top[i])
    total[i] = 0.0
    total[i] += e[r2.x, i]
    out[j, i] = e[j, i] / total[i]
    out.vectorize(j, LANES)
    e.compute_at(out, i).vectorize(j, LANES)
    in_lanes(r1.x, top, i, out)
    in_lanes(r2.x, total, i, out)
    if parallel:
        out.parallel(i)
    promised(out, m, n)
    yield "row by row", ([x], out, [[m, n]] * 2)


def layer_norm(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Pipeline]]:
    n, m = s["N"], s["M"]
    i, j = v("i j")
    x, scale, shift = image("x", m, n), image("scale", m), image("shift", m)
    mean, variance, out = (hl.Func(name) for name in ["mean", "variance", "out"])
    r1, r2 = hl.RDom([(0, m)]), hl.RDom([(0, m)])
    mean[i] = 0.0
    mean[i] += x[r1.x, i]
    middle = mean[i] / float(m)
    variance[i] = 0.0
    variance[i] += (x[r2.x, i] - middle) * (x[r2.x, i] - middle)
    deviation = hl.sqrt(variance[i] / float(m) + hl.f32(0.00001))
    out[j, i] = (x[j, i] - middle) / deviation * scale[j] + shift[j]
    out.vectorize(j, LANES)
    in_lanes(r1.x, mean, i, out)
    in_lanes(r2.x, variance, i, out)
    if parallel:
        out.parallel(i)
    promised(out, m, n)
    yield "row by row", ([x, scale, shift], out, [[m, n], [m], [m], [m, n]])


CASES: dict[str, Callable[[dict[str, int], bool], Iterator[tuple[str, Pipeline]]]] = {
    "blur": blur,
    "matmul": matmul,
    "conv1d": conv1d,
    "conv2d": conv2d,
    "add": add,
    "multiply_add": multiply_add,
    "interpolate": interpolate,
    "softmax": softmax,
    "layer_norm": layer_norm,
}


def wrapper(shapes: list[list[int]], sizes: int) -> str:
    """The C that calls the pipeline."""
    text = "#include <HalideRuntime.h>\n"
    text += f"int pipeline({', '.join(['struct halide_buffer_t *'] * len(shapes))});\n"
    text += "int32_t peer(const int64_t *sizes, void *const *buffers) {\n"
    text += f"  halide_set_num_threads((int)sizes[{sizes}]);\n"
    for k, shape in enumerate(shapes):
        stride, dims = 1, []
        for extent in shape:
            dims.append(f"{{0, {extent}, {stride}, 0}}")
            stride *= extent
        text += f"  struct halide_dimension_t d{k}[] = {{{', '.join(dims)}}};\n"
        text += f"  struct halide_buffer_t b{k} = {{.host = buffers[{k}], .type = {{halide_type_float, 32, 1}}, "
        text += f".dimensions = {len(shape)}, .dim = d{k}}};\n"
    return text + f"  return pipeline({', '.join(f'&b{k}' for k in range(len(shapes)))});\n}}\n"


def candidates(case: str, sizes: dict[str, int], threads: int) -> list[Candidate]:
    def compiled(pipeline: Pipeline) -> Callable[[Path], list[str]]:
        inputs, out, shapes = pipeline

        def write(folder: Path) -> list[str]:
            files = {hl.OutputFileType.object: str(folder / "pipeline.o")}
            out.compile_to(files, inputs, "pipeline", hl.get_host_target())
            source = folder / "peer.c"
            source.write_text(wrapper(shapes, len(sizes)))
            include = Path(hl.__file__).parent / "include"
            return [f"-I{include}", str(source), str(folder / "pipeline.o")]

        return write

    found = CASES[case](sizes, threads > 1) if case in CASES else []
    return [Candidate(name, compiled(pipeline)) for name, pipeline in found]
