"""Programs, schedules, theorems, and exceptions."""

import multiprocessing
import os
import pathlib
import pickle
import random
import re
import subprocess
import sys
import traceback

import numpy as np
import pytest

import atl

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
TWICE = "fn twice(x: f32[N]) -> f32[N] { gen i < N { x[i] + x[i] } }"


def test_a_file_with_its_schedules():
    p = atl.load(EXAMPLES / "blur.atl")
    assert p.functions == ["blur"] and "tiled" in p.schedules["blur"]
    blur = p["blur"]
    img = np.random.default_rng(0).random((70, 90)).astype(np.float32)
    for name in p.schedules["blur"]:
        scheduled = blur.schedule(name)
        assert scheduled.theorem.rounding == "bitwise"
        np.testing.assert_array_equal(scheduled(img), blur(img), err_msg=name)


def test_imports_are_found_beside_the_file(tmp_path):
    (tmp_path / "one.atl").write_text(TWICE)
    (tmp_path / "two.atl").write_text(
        'import "one.atl"\nfn four(x: f32[N]) -> f32[N] { let y = twice(x); twice(y) }'
    )
    four = atl.load(tmp_path / "two.atl")["four"]
    assert four(np.ones(1, np.float32))[0] == 4
    assert pickle.loads(pickle.dumps(four))(np.ones(1, np.float32))[0] == 4


def test_methods_are_steps():
    blur = atl.load(EXAMPLES / "blur.atl")["blur"]
    fast = blur.tile("y, x", by=(64, 64)).compute("bx", at="x.o").peel().vectorize("x.i", by=16)
    text = "tile y, x by 64, 64;\ncompute bx at x.o;\npeel;\nvectorize x.i by 16;"
    assert fast.script == text
    assert blur.schedule(text).show("loops") == fast.show("loops")
    assert blur.schedule("fused").peel().script.endswith("simplify;\npeel;")
    with pytest.raises(AttributeError, match="no attribute or directive"):
        blur.tyle("y")
    assert "tile" in dir(blur) and blur.tile.__name__ == "tile"


def test_a_schedule_cannot_change_the_answer():
    blur = atl.load(EXAMPLES / "blur.atl")["blur"]
    with pytest.raises(atl.Refused) as caught:
        blur.tile("y, z", by=(64, 64))
    assert caught.value.code == "E0303" and "did you mean" in str(caught.value) or caught.value.help
    with pytest.raises(atl.Refused, match="E0511"):
        blur.schedule("tild")


def test_refusals_have_code_place_and_counterexample():
    with pytest.raises(atl.Refused) as caught:
        atl.compile("fn f(x: f32[N]) -> f32[N] {\n    gen i < N { x[i] + x[i + 1] }\n}")
    e = caught.value
    assert (e.code, e.span.line, e.span.column) == ("E0401", 2, 24)
    assert "error[E0401]" in str(e) and e.notes and e.to_dict()["code"] == "E0401"
    assert pickle.loads(pickle.dumps(e)).code == "E0401"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: atl.compile("fn"),
        lambda: atl.load("nowhere.atl"),
        lambda: atl.Program("fn"),
        lambda: atl.Program(TWICE)["thrice"],
        lambda: atl.compile(TWICE)(1.0),
        lambda: atl.compile(TWICE).schedule("split i by"),
        lambda: atl.compile(TWICE).split("k", by=4),
        lambda: atl.compile(TWICE).show("c", N=3),
        lambda: atl.compile(TWICE + TWICE.replace("twice", "other")),
    ],
)
def test_tracebacks_end_at_the_line_of_the_user(wrong):
    with pytest.raises(atl.Refused) as caught:
        wrong()
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].filename == __file__ and "lambda" in frames[-1].line
    assert "--fn" not in str(caught.value) and "--schedule" not in str(caught.value)


def test_theorems():
    kernel = atl.compile(TWICE).split("i", by=4)
    t = kernel.theorem
    assert (t.laws, t.rounding) == ([], "bitwise") and t.inferences > 1
    t.verify()
    total = atl.compile("fn total(x: f32[N]) -> f32 { sum i < N { x[i] } }").schedule("split i by 4;")
    assert total.theorem.rounding == "real" and total.theorem.laws
    assert "as written" in str(total.theorem)


def test_a_changed_proof_is_refused():
    proof = atl.compile(TWICE).split("i", by=4).theorem.proof.decode()
    lines = proof.splitlines(keepends=True)
    accepted = []
    for at in range(0, len(lines), max(1, len(lines) // 40)):
        changed = lines[:at] + lines[at + 1 :]
        try:
            atl._atl.verify("p", "".join(changed))
            accepted.append(lines[at])
        except atl.Refused as e:
            assert e.code.startswith("E080")
    assert all(line.startswith("#") or not line.strip() for line in accepted), accepted


def is_accepted(check):
    try:
        return check()
    except atl.Refused as refused:
        assert refused.code.startswith("E080")
        return False


def test_no_byte_of_a_step_can_be_changed_but_names_of_loops():
    """`ATL_MUTANTS=1000` tries so many proofs, of which a byte of the steps is another one."""
    total = atl.compile("fn total(x: f32[N]) -> f32 { sum i < N { x[i] } }").schedule("split i by 4;")
    rng = random.Random(18)
    for kernel in (atl.compile(TWICE).split("i", by=4).peel(), total):
        proof = kernel.theorem.proof.decode()
        whole, claim = atl._atl.verify(kernel.name, proof), unnamed(atl._atl.recheck(proof)[1])
        steps = proof.index("\nproof\n") + len("\nproof\n")
        for _ in range(int(os.environ.get("ATL_MUTANTS", "60")) // 2):
            at = rng.randrange(steps, len(proof))
            other = rng.choice([c for c in '0123456789 abcdegilnoprstux*"\n' if c != proof[at]])
            changed = proof[:at] + other + proof[at + 1 :]
            is_proof, said = atl._atl.recheck(changed)
            assert not is_proof or unnamed(said) == claim
            if is_accepted(lambda: atl._atl.verify(kernel.name, changed) == whole) or is_proof:
                assert unnamed(changed[steps:]) == unnamed(proof[steps:]), changed


def unnamed(text):
    """The text without names, and without references to names of loops."""
    return re.sub(r'"[^"\n]*"|\bl\d+', "", text)


def test_what_is_shown():
    kernel = atl.compile(TWICE).split("i", by=4)
    assert "int32_t twice(int64_t N" in kernel.show("c")
    assert "kernel twice(N)" in kernel.show("loops")
    assert "out[5]" in kernel.show("order", N=5)
    assert "split i by 4" in str(kernel.explain()) and repr(kernel.text).startswith("fn twice")
    bundle = kernel.explain()._repr_mimebundle_()
    assert bundle["text/html"].startswith("<iframe srcdoc=") and "<script" not in bundle["text/html"]
    with pytest.raises(ValueError, match="no stage"):
        kernel.show("asm")


def test_one_step_is_shown_alone():
    kernel = atl.compile(TWICE).split("i", by=4).schedule("simplify;")
    first = str(kernel.explain(step=1))
    assert "split i by 4" in first and "simplify" not in first and first in str(kernel.explain())
    with pytest.raises(atl.Refused, match="no step 3"):
        kernel.explain(step=3)


def test_the_second_checker_accepts_proofs_and_refuses_changed_ones():
    theorem = atl.compile(TWICE).split("i", by=4).theorem
    theorem.verify(checker="recheck")
    with pytest.raises(atl.Refused, match="no checker `rocq`"):
        theorem.verify(checker="rocq")
    proof = theorem.proof.decode()
    assert atl._atl.recheck(proof)[0]
    is_proof, said = atl._atl.recheck("\n".join(line for line in proof.splitlines() if "split" not in line))
    assert not is_proof and said


def test_a_schedule_from_the_model():
    matmul = atl.load(EXAMPLES / "matmul.atl")["matmul"]
    chosen = matmul.schedule("auto", M=96, K=96, N=96, budget=10)
    assert chosen.script and chosen.script == matmul.schedule("auto", M=96, K=96, N=96, budget=10).script
    rng = np.random.default_rng(1)
    a, b = (rng.random((37, 37)).astype(np.float32) for _ in range(2))
    np.testing.assert_array_equal(chosen(a, b), matmul(a, b))


def test_pickles_of_the_examples_are_small_and_the_same_elsewhere(tmp_path):
    digests = {}
    for file in sorted(EXAMPLES.glob("*.atl")):
        program = atl.load(file)
        for name in program.functions:
            data = pickle.dumps(program[name])
            # The text is the program's; what is beside it is small.
            assert len(data) < max(10_000, len(program.text.encode()) + 2_000), (file.name, name, len(data))
            where = tmp_path / f"{file.stem}.{name}"
            where.write_bytes(data)
            digests[where.name] = program[name].digest
            break
    assert len(digests) > 30
    program = "import pathlib, pickle, sys\nfor f in sorted(pathlib.Path(sys.argv[1]).iterdir()): print(f.name, pickle.loads(f.read_bytes()).digest)"
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=300)
    assert dict(line.split() for line in done.stdout.splitlines()) == digests, done.stderr


def test_pickles_hold_text_and_no_code():
    kernel = atl.load(EXAMPLES / "blur.atl")["blur"].schedule("tiled").schedule("simplify;")
    data = pickle.dumps(kernel)
    again = pickle.loads(data)
    assert len(data) < 10_000 and again.digest == kernel.digest and again.script == kernel.script
    assert pickle.loads(pickle.dumps(atl.load(EXAMPLES / "blur.atl")["blur"].schedule("tiled"))).script


def test_the_steps_of_an_altered_pickle_are_derived_anew():
    data = pickle.dumps(atl.compile(TWICE).split("i", by=4))
    other = pickle.loads(data.replace(b"x[i] + x[i]", b"x[i] - x[i]"))
    assert "x[i] - x[i]" in other.theorem.proof.decode()
    np.testing.assert_array_equal(other(np.ones(2, np.float32)), [0, 0])
    with pytest.raises(atl.Refused):
        pickle.loads(data.replace(b"x[i] + x[i]", b"x[i] + y[i]")).theorem


def apply(kernel, x):
    return kernel(x)


def test_kernels_go_to_other_processes():
    kernel = atl.compile(TWICE)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        result = pool.apply(apply, (kernel, np.ones(3, np.float32)))
    np.testing.assert_array_equal(result, np.full(3, 2, np.float32))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_computes_after_a_parallel_call():
    text = "fn f(x: f64[N, M]) -> f64[N, M] { gen i < N, j < M { x[i, j] + 1 } }"
    program = f"""
import atl, numpy as np, os
k = atl.compile({text!r}).parallel("i")
x = np.zeros((200, 200))
k(x, threads=2)
pid = os.fork()
if pid == 0:
    os._exit(0 if (k(x, threads=2) == 1).all() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "0", done.stderr


def test_digests_are_the_same_everywhere(tmp_path):
    """In 20 processes with other seeds of hashes, folders, locales and zones of time."""
    program = f"import atl; print(atl.compile({TWICE!r}).split('i', by=4).digest)"
    ways = [(seed, locale, zone) for seed in range(5) for locale in ("C", "C.UTF-8") for zone in ("UTC", "Asia/Tokyo")]

    def started(k, seed, locale, zone):
        folder = tmp_path / str(k)
        folder.mkdir()
        env = {**os.environ, "PYTHONHASHSEED": str(seed), "LC_ALL": locale, "TZ": zone}
        return subprocess.Popen([sys.executable, "-c", program], env=env, cwd=folder, stdout=subprocess.PIPE, text=True)

    digests = set()
    for first in range(0, len(ways), 4):
        processes = [started(first + k, *way) for k, way in enumerate(ways[first : first + 4])]
        digests |= {process.communicate(timeout=120)[0] for process in processes}
    assert len(digests) == 1 and len(digests.pop()) == 65


def test_nothing_more_than_numpy_is_imported():
    program = "import sys, atl; print([m for m in ('scipy', 'pandas', 'IPython', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_a_compiler_the_user_is_told():
    program = f"""
import atl, numpy as np, warnings
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    k = atl.compile({TWICE!r})
    atl.compile({TWICE!r})
print(k.backend, [w.category.__name__ for w in found], "ziglang" in str(found[0].message), k(np.ones(1, np.float32)))
"""
    env = {k: v for k, v in os.environ.items() if k not in {"CC", "PATH"}}
    done = subprocess.run([sys.executable, "-c", program], env={**env, "PATH": ""}, capture_output=True, text=True)
    assert done.stdout.strip() == "cranelift ['CompilerWarning'] True [2.]", done.stderr


def test_schedules_are_held_to_a_rounding():
    total = atl.compile("fn total(x: f32[N]) -> f32 { sum i < N { x[i] } }")
    with atl.require(rounding="bitwise"):
        with pytest.raises(atl.Refused, match="E0702"):
            total.split("i", by=4)
    total.split("i", by=4)
    with pytest.raises(ValueError, match="no rounding"):
        atl.require(rounding="exact")


def test_without_a_schedule_one_is_chosen_for_the_c_back_end():
    product = atl.compile("fn product(a: f32[M, K], b: f32[K, N]) -> f32[M, N] { gen i < M, j < N { sum k < K { a[i, k] * b[k, j] } } }")
    chosen, written = product.schedule("auto"), product.schedule("none")
    assert product.script == "" and written.script == ""
    assert "vectorize" in chosen.script and chosen.theorem.rounding == "bitwise"
    rng = np.random.default_rng(0)
    a, b = rng.random((37, 19), dtype=np.float32), rng.random((19, 70), dtype=np.float32)
    np.testing.assert_array_equal(product(a, b), written(a, b))
    np.testing.assert_array_equal(product(a, b), chosen(a, b))
    assert (product.open, written.open, chosen.open) == ("auto bitwise", None, None) or product.backend != "c"
    assert product.schedule("auto", rounding="real").theorem.rounding in ("bitwise", "finite", "real")
    with pytest.raises(atl.Refused, match="begins with the function as it is written"):
        chosen.schedule("none")


def test_what_is_required_holds_of_schedules_that_are_chosen():
    text = "fn spmv(A: f64[N, M] as csr, x: f64[M]) -> f64[N] { gen i < N { sum j < M { A[i, j] * x[j] } } }"
    if atl.compile(text).backend == "c":
        assert atl.compile(text).open == "auto real"
        with atl.require(rounding="bitwise"):
            assert atl.compile(text).open == "auto bitwise"


def test_a_text_of_several_functions_says_what_to_type():
    text = "fn a(x: f64[N]) -> f64[N] { x }\nfn b(x: f64[N]) -> f64[N] { 2 * x }"
    with pytest.raises(atl.Refused) as caught:
        atl.compile(text)
    assert caught.value.code == "E0512" and caught.value.help == ['name one: `atl.compile(text, "b")`']
    assert caught.value.help[0] in str(caught.value) and "`a`, `b`" in str(caught.value)
    np.testing.assert_array_equal(atl.compile(text, "b")(np.ones(2)), [2, 2])
