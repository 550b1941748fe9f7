"""The pictures of `values.atl` in Halide, under three schedules each. The innermost dimension comes first."""

import halide as hl
import numpy as np

U8, U16, U32, I16 = hl.UInt(8), hl.UInt(16), hl.UInt(32), hl.Int(16)


def dilate(x, y, of, stage):
    rows = stage(lambda x, y: hl.max(hl.max(of[x, y], of[x, y + 1]), of[x, y + 2]))
    return hl.max(hl.max(rows[x, y], rows[x + 1, y]), rows[x + 2, y])


def box(x, y, of, stage):
    rows = stage(lambda x, y: hl.cast(U32, of[x, y]) + of[x, y + 1] + of[x, y + 2])
    return hl.cast(U16, (rows[x, y] + rows[x + 1, y] + rows[x + 2, y]) / hl.cast(U32, 9))


def sobel(x, y, of, stage):
    def t(x, y):
        return hl.cast(I16, of[x, y])

    smooth = stage(lambda x, y: t(x, y) + 2 * t(x, y + 1) + t(x, y + 2))
    slope = stage(lambda x, y: t(x, y + 2) - t(x, y))
    across = smooth[x + 2, y] - smooth[x, y]
    down = slope[x, y] + 2 * slope[x + 1, y] + slope[x + 2, y]
    return hl.cast(I16, hl.abs(across)) + hl.cast(I16, hl.abs(down))


def gauss(x, y, of, stage):
    def weighted(a):
        return a[0] + hl.cast(U16, 4) * (a[1] + a[3]) + hl.cast(U16, 6) * a[2] + a[4]

    rows = stage(lambda x, y: weighted([hl.cast(U16, of[x, y + r]) for r in range(5)]))
    return hl.cast(U8, (weighted([rows[x + s, y] for s in range(5)]) + hl.cast(U16, 128)) >> hl.cast(U16, 8))


def unsharp(x, y, of, stage):
    def t(x, y):
        return hl.cast(I16, of[x, y])

    rows = stage(lambda x, y: t(x, y) + 2 * t(x, y + 1) + t(x, y + 2))
    blurred = (rows[x, y] + 2 * rows[x + 1, y] + rows[x + 2, y] + 8) >> 4
    return hl.cast(U8, hl.clamp(2 * t(x + 1, y + 1) - blurred, 0, 255))


KINDS = (dilate, U8), (box, U16), (sobel, U8), (gauss, U8), (unsharp, U8)
PICTURES = {define.__name__: (define, kind) for define, kind in KINDS}


def candidates(name, x, like):
    """The pipeline under each schedule: its name, a function that runs it, and the array, like this one, of its own."""
    define, kind = PICTURES[name]
    source, lanes = hl.Buffer(x), 64 // max(x.itemsize, like.itemsize)
    for schedule in ("one loop", "rows of each stage", "strips of 32 rows"):
        image, stages, whole = hl.ImageParam(kind, 2), [], hl.Func("whole")
        i, j, o, r = (hl.Var(v) for v in "ijor")

        def stage(of):
            stages.append(hl.Func())
            stages[-1][i, j] = of(i, j)
            return stages[-1]

        whole[i, j] = define(i, j, image, stage)
        whole.vectorize(i, lanes)
        if schedule == "strips of 32 rows":
            whole.split(j, o, r, 32)
        for each in stages:
            if schedule == "rows of each stage":
                each.compute_at(whole, j).vectorize(i, lanes)
            elif schedule == "strips of 32 rows":
                each.store_at(whole, o).compute_at(whole, r).vectorize(i, lanes)
        image.set(source)
        whole.compile_jit()
        result = hl.Buffer(out := np.empty_like(like))
        yield schedule, lambda whole=whole, result=result: whole.realize(result), out
