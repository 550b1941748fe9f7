"""TVM: register tiles, packed panels and fused stages, scheduled by hand on tensor programs. Compiled for the sizes at hand,
where tiles divide them.
"""

from pathlib import Path
from typing import Callable, Iterator, NamedTuple

import tvm
import tvm_ffi
from build import Candidate
from tvm import te
from tvm.s_tir.schedule import LoopRV, SBlockRV, Schedule

AUTHOR = "TVM"
LANES = 16

Tensors = list[te.Tensor]
# What is computed, and its schedule.
Program = tuple[Tensors, Callable[[Schedule], None]]


def version() -> str:
    return f"{tvm.__version__} {tvm.__file__}"


def array(name: str, *extents: int) -> te.Tensor:
    return te.placeholder(extents, name=name)


def over(name: str, extent: int):
    """What a sum goes over."""
    return te.reduce_axis((0, extent), name=name)


def vectors(s: Schedule, block, unroll: int = 0) -> None:
    """The innermost loop in lanes, and some around it written out."""
    *_, last = loops = s.get_loops(block)
    s.vectorize(last)
    for loop in loops[len(loops) - 1 - unroll : -1]:
        s.unroll(loop)


class Tiles(NamedTuple):
    """A block in tiles."""

    block: SBlockRV
    # Over tiles: those of the dimension and of the last one at the end.
    loops: list[LoopRV]
    # The outermost of the sums.
    sum: LoopRV

    def zero(self, s: Schedule) -> None:
        """Lets registers begin with zeros outside of the sums; no loop can be marked afterwards."""
        vectors(s, s.decompose_reduction(self.block, self.sum), 2)


def registers(s: Schedule, name: str, rows: int, wide: int, lanes: int = LANES, dimension: int = -2, shared: int = 0) -> "Tiles":
    """Tiles of a dimension and of the last one, added up in registers over all sums. The outermost `shared` loops are other
    blocks' too, and stay where they are.
    """
    block = s.get_sblock(name)
    kinds = s.get(block).iter_vars
    outer = [loop for loop, kind in zip(s.get_loops(block), kinds) if kind.iter_type == 0]
    sums = [loop for loop, kind in zip(s.get_loops(block), kinds) if kind.iter_type != 0]
    i, j = outer.pop(dimension), outer.pop()
    (io, ii), (jo, ji) = s.split(i, [None, rows]), s.split(j, [None, wide])
    jv, jl = s.split(ji, [None, lanes])
    s.reorder(*outer[shared:], io, jo, *sums, ii, jv, jl)
    stored = s.cache_write(block, 0, "local")
    s.reverse_compute_at(stored, jo)
    *_, last = s.get_loops(stored)
    s.split(last, [None, lanes])
    vectors(s, stored, 2)
    vectors(s, block, 2)
    return Tiles(block, [*outer, io, jo], sums[0])


def add(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Program]]:
    n = s["N"]
    a, b = array("a", n), array("b", n)
    out = te.compute((n,), lambda i: a[i] + b[i], name="out")
    yield from elementwise([a, b, out], n, parallel)


def multiply_add(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Program]]:
    n = s["N"]
    a, b, c = array("a", n), array("b", n), array("c", n)
    out = te.compute((n,), lambda i: a[i] * b[i] + c[i], name="out")
    yield from elementwise([a, b, c, out], n, parallel)


def elementwise(tensors: Tensors, n: int, parallel: bool) -> Iterator[tuple[str, Program]]:
    if n % LANES:
        return

    def schedule(s: Schedule) -> None:
        (i,) = s.get_loops(s.get_sblock("out"))
        outer, inner = s.split(i, [None, LANES])
        s.vectorize(inner)
        if parallel:
            s.parallel(outer)

    yield "vectors", (tensors, schedule)


def blur(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Program]]:
    n, m = s["N"], s["M"]
    if n % 8 or m % LANES:
        return

    def tensors() -> Tensors:
        image = array("img", n, m)
        inside = lambda y, x: te.if_then_else(te.all(y >= 0, y < n, x >= 0, x < m), image[y, x], 0.0)
        rows = te.compute((n + 2, m), lambda y, x: inside(y - 1, x - 1) + inside(y - 1, x) + inside(y - 1, x + 1), name="rows")
        out = te.compute((n, m), lambda y, x: (rows[y, x] + rows[y + 1, x] + rows[y + 2, x]) / 9.0, name="out")
        return [image, out]

    def two_stages(s: Schedule) -> None:
        for name in ["rows", "out"]:
            y, x = s.get_loops(s.get_sblock(name))
            _, inner = s.split(x, [None, LANES])
            s.vectorize(inner)
            if parallel:
                s.parallel(y)

    def strips(s: Schedule) -> None:
        rows, out = s.get_sblock("rows"), s.get_sblock("out")
        y, x = s.get_loops(out)
        yo, _ = s.split(y, [None, 8])
        s.compute_at(rows, yo)
        for block in [rows, out]:
            *_, x = s.get_loops(block)
            _, inner = s.split(x, [None, LANES])
            s.vectorize(inner)
        if parallel:
            s.parallel(yo)

    yield "two stages", (tensors(), two_stages)
    yield "strips of 8 rows", (tensors(), strips)


def matmul(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Program]]:
    m, k, n = s["M"], s["K"], s["N"]
    rows, wide = 8, 2 * LANES
    if m % rows or n % wide:
        return
    a, b, r = array("a", m, k), array("b", k, n), over("r", k)
    panels = te.compute((n // wide, k, wide), lambda jo, p, ji: b[p, jo * wide + ji], name="panels")
    out = te.compute(
        (m, n), lambda i, j: te.sum(a[i, r] * panels[j // wide, r, j % wide], axis=r), name="out"
    )

    def schedule(s: Schedule) -> None:
        tiles = registers(s, "out", rows, wide)
        io, jo = tiles.loops
        s.reorder(jo, io)
        copied = s.get_sblock("panels")
        *_, last = s.get_loops(copied)
        s.split(last, [None, LANES])
        vectors(s, copied, 1)
        if parallel:
            s.parallel(jo)
            s.parallel(s.get_loops(copied)[0])
        tiles.zero(s)

    yield f"packed, tiles of {rows} by {wide}", ([a, b, out], schedule)


def conv1d(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Program]]:
    b, c, w, k, r = (s[name] for name in ["B", "C", "W", "K", "R"])
    wide = w - r + 1
    filters, points = 8, 2 * LANES
    if k % filters or wide % points:
        return
    x, weights, d, t = array("x", b, c, w), array("w", k, c, r), over("d", c), over("t", r)
    out = te.compute(
        (b, k, wide), lambda n, f, p: te.sum(x[n, d, p + t] * weights[f, d, t], axis=[d, t]), name="out"
    )

    def schedule(s: Schedule) -> None:
        tiles = registers(s, "out", filters, points)
        if parallel:
            s.parallel(tiles.loops[0])
        tiles.zero(s)

    yield f"tiles of {filters} filters by {points} points", ([x, weights, out], schedule)


def conv2d(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Program]]:
    b, c, h, w, k, r, t = (s[name] for name in ["B", "C", "H", "W", "K", "R", "S"])
    high, wide = h - r + 1, w - t + 1
    filters, points, lanes = 4, 56, 8
    if k % filters or wide % points:
        return
    x, weights = array("x", b, c, h, w), array("w", k, c, r, t)
    d, u, v = over("d", c), over("u", r), over("v", t)
    element = lambda n, f, p, q: te.sum(x[n, d, p + u, q + v] * weights[f, d, u, v], axis=[d, u, v])
    out = te.compute((b, k, high, wide), element, name="out")

    def schedule(s: Schedule) -> None:
        tiles = registers(s, "out", filters, points, lanes, dimension=1)
        n, p, fo, qo = tiles.loops
        s.reorder(n, fo, p, qo)
        if parallel:
            s.parallel(fo)
        tiles.zero(s)

    yield f"tiles of {filters} filters by {points} points", ([x, weights, out], schedule)


def interpolate(s: dict[str, int], parallel: bool) -> Iterator[tuple[str, Program]]:
    q, p, e = s["Q"], s["P"], s["E"]
    a, u = array("a", q, p), array("u", e, p, p, p)
    l, m, n = over("l", p), over("m", p), over("n", p)
    turned = te.compute((p, q), lambda n, k: a[k, n], name="turned")
    one = te.compute((e, p, p, q), lambda x, l, m, k: te.sum(u[x, l, m, n] * turned[n, k], axis=n), name="one")
    two = te.compute((e, p, q, q), lambda x, l, j, k: te.sum(a[j, m] * one[x, l, m, k], axis=m), name="two")
    out = te.compute((e, q, q, q), lambda x, i, j, k: te.sum(a[i, l] * two[x, l, j, k], axis=l), name="out")
    rows = 4 if q % 4 == 0 and p % 4 == 0 else 1

    def schedule(s: Schedule) -> None:
        stages = [registers(s, "out", rows, q, q)]
        element = stages[0].loops[0]
        for name in ["two", "one"]:
            s.compute_at(s.get_sblock(name), element)
            stages.append(registers(s, name, rows, q, q, shared=1))
        if parallel:
            s.parallel(element)
        for tiles in stages:
            tiles.zero(s)

    yield f"factored, {rows} rows in registers", ([a, u, out], schedule)


CASES: dict[str, Callable[[dict[str, int], bool], Iterator[tuple[str, Program]]]] = {
    "add": add,
    "multiply_add": multiply_add,
    "blur": blur,
    "matmul": matmul,
    "conv1d": conv1d,
    "conv2d": conv2d,
    "interpolate": interpolate,
}


def wrapper(shapes: list[list[int]], threads: int) -> str:
    """The C that calls the program, and gives it what its loader would have given."""
    text = "#include <stdlib.h>\n#include <tvm/ffi/c_api.h>\n"
    text += "int __tvm_ffi_pipeline(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);\n"
    services = ["TVMBackendAllocWorkspace", "TVMBackendFreeWorkspace", "TVMBackendParallelLaunch"]
    for name in services:
        text += f"extern char {name}[];\nextern void *__{name} __attribute__((weak));\n"
    text += "static void load(void) {\n"
    text += f'  setenv("TVM_NUM_THREADS", "{threads}", 1);\n'
    text += "".join(f"  if (&__{name}) __{name} = {name};\n" for name in services)
    text += "}\nint32_t peer(const int64_t *sizes, void *const *buffers) {\n"
    text += "  static int loaded;\n  if (!loaded++) load();\n"
    text += f"  TVMFFIAny result = {{0}}, args[{len(shapes)}] = {{{{0}}}};\n"
    for k, shape in enumerate(shapes):
        extents = ", ".join(map(str, shape))
        text += f"  int64_t shape{k}[] = {{{extents}}};\n"
        text += f"  DLTensor t{k} = {{.data = buffers[{k}], .device = {{kDLCPU, 0}}, .ndim = {len(shape)}, "
        text += f".dtype = {{kDLFloat, 32, 1}}, .shape = shape{k}}};\n"
        text += f"  args[{k}].type_index = kTVMFFIDLTensorPtr;\n  args[{k}].v_ptr = &t{k};\n"
    return text + f"  return __tvm_ffi_pipeline(NULL, args, {len(shapes)}, &result);\n}}\n"


def candidates(case: str, sizes: dict[str, int], threads: int) -> list[Candidate]:
    def compiled(program: Program) -> Callable[[Path], list[str]]:
        tensors, schedule = program

        def write(folder: Path) -> list[str]:
            s = Schedule(te.create_prim_func(tensors).with_attr("global_symbol", "pipeline"))
            schedule(s)
            processor = tvm.get_global_func("target.llvm_get_system_cpu")()
            built = tvm.compile(s.mod, target=tvm.target.Target({"kind": "llvm", "mcpu": processor}))
            built.mod.write_to_file(str(folder / "pipeline.o"), "o")
            source = folder / "peer.c"
            source.write_text(wrapper([[int(n) for n in t.shape] for t in tensors], threads))
            ffi = Path(tvm_ffi.__file__).parent
            libraries = [Path(tvm.__file__).parent / "lib" / "libtvm_runtime.so", ffi / "lib" / "libtvm_ffi.so"]
            linked = [word for path in libraries for word in [str(path), f"-Wl,-rpath,{path.parent}"]]
            includes = [f"-I{ffi / folder}" for folder in ["include", "3rdparty/dlpack/include"]]
            return [*includes, str(source), str(folder / "pipeline.o"), *linked]

        return write

    found = CASES[case](sizes, threads > 1) if case in CASES else []
    return [Candidate(name, compiled(program)) for name, program in found]
