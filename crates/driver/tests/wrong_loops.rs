//! Loops that are wrong are not exported to Rocq. Each loop, condition, temporary and store of some kernels is changed in turn: what
//! is exported all the same computes what the unchanged kernel computes.

use crate::programs::{CARRIED, DIAGONALS};
use atl_driver::Program;
use atl_loops::interp::{Cells, Options, interpret};
use atl_loops::{Access, Bool, CmpOp, Init, Int, Kernel, Name, ReduceOp, Stmt, StoreMode, Val};
use atl_rocq::{Header, Loops, export};

/// A way to change a statement, if it is one that can be changed so.
type Change = Box<dyn Fn(&Stmt) -> Option<Stmt>>;

/// The statement with the one of this number changed, counted from the outside.
fn changed(
    stmt: &Stmt,
    at: &mut usize,
    number: usize,
    change: &dyn Fn(&Stmt) -> Option<Stmt>,
) -> Option<Stmt> {
    if *at == number {
        *at += 1;
        return change(stmt);
    }
    *at += 1;
    let mut found = true;
    let whole = stmt.map_parts(&mut |part| {
        changed(part, at, number, change).unwrap_or_else(|| {
            found = false;
            part.clone()
        })
    });
    found.then_some(whole)
}

/// The value with its first read changed.
fn read_elsewhere(v: &Val) -> Option<Val> {
    Some(match v {
        Val::Load { buf, index } => Val::load(buf.clone(), index.clone() + Int::Lit(1)),
        Val::Un(op, a) => Val::Un(*op, Box::new(read_elsewhere(a)?)),
        Val::Bin(op, a, b) => match read_elsewhere(a) {
            Some(a) => Val::Bin(*op, Box::new(a), b.clone()),
            None => Val::Bin(*op, a.clone(), Box::new(read_elsewhere(b)?)),
        },
        _ => return None,
    })
}

/// The ways to change a statement, of a kernel with this input.
fn changes(input: &Name) -> Vec<(&'static str, Change)> {
    fn bounds(f: impl Fn(Int, Int) -> (Int, Int) + 'static) -> Change {
        Box::new(move |stmt| {
            let Stmt::For { var, lo, hi, kind, body } = stmt else { return None };
            let (lo, hi) = f(lo.clone(), hi.clone());
            Some(Stmt::for_loop(var.clone(), lo, hi, kind.clone(), (**body).clone()))
        })
    }
    fn store(
        f: impl Fn(&Name, &Int, &Val, StoreMode) -> Option<(Name, Int, Val, StoreMode)> + 'static,
    ) -> Change {
        Box::new(move |stmt| {
            let Stmt::Store { buf, index, value, mode } = stmt else { return None };
            let (buf, index, value, mode) = f(buf, index, value, *mode)?;
            Some(Stmt::Store { buf, index, value, mode })
        })
    }
    let one = || Int::Lit(1);
    let input = input.clone();
    vec![
        ("one iteration more", bounds(move |lo, hi| (lo, hi + one()))),
        ("one iteration less", bounds(move |lo, hi| (lo, hi - one()))),
        ("the first iteration left out", bounds(move |lo, hi| (lo + one(), hi))),
        ("twice as many iterations", bounds(|lo, hi| (lo, hi * Int::Lit(2)))),
        (
            "no condition",
            Box::new(|stmt| match stmt {
                Stmt::If { then, .. } => Some((**then).clone()),
                _ => None,
            }),
        ),
        (
            "a condition off by one",
            Box::new(|stmt| match stmt {
                Stmt::If { cond: Bool::Cmp(CmpOp::Lt, a, b), then, otherwise } => Some(Stmt::If {
                    cond: Bool::Cmp(CmpOp::Le, a.clone(), b.clone()),
                    then: then.clone(),
                    otherwise: otherwise.clone(),
                }),
                _ => None,
            }),
        ),
        (
            "the other way round",
            Box::new(|stmt| match stmt {
                Stmt::If { cond, then, otherwise } => Some(Stmt::If {
                    cond: Bool::Not(Box::new(cond.clone())),
                    then: then.clone(),
                    otherwise: otherwise.clone(),
                }),
                _ => None,
            }),
        ),
        (
            "a temporary that is too small",
            Box::new(|stmt| match stmt {
                Stmt::Alloc { buf, scalar, extents, storage, init, body } if !extents.is_empty() => {
                    let mut extents = extents.clone();
                    extents[0] = extents[0].clone() - Int::Lit(1);
                    Some(Stmt::Alloc {
                        buf: buf.clone(),
                        scalar: *scalar,
                        extents,
                        storage: *storage,
                        init: init.clone(),
                        body: body.clone(),
                    })
                }
                _ => None,
            }),
        ),
        (
            "sums that begin as nothing",
            Box::new(|stmt| match stmt {
                Stmt::Reset { buf, init: Init::Value(_) } => {
                    Some(Stmt::Reset { buf: buf.clone(), init: Init::Uninit })
                }
                Stmt::Alloc { buf, scalar, extents, storage, init: Init::Value(_), body } => {
                    Some(Stmt::Alloc {
                        buf: buf.clone(),
                        scalar: *scalar,
                        extents: extents.clone(),
                        storage: *storage,
                        init: Init::Uninit,
                        body: body.clone(),
                    })
                }
                _ => None,
            }),
        ),
        (
            "a statement left out",
            Box::new(|stmt| match stmt {
                Stmt::Store { .. } | Stmt::Reset { .. } | Stmt::Forget { .. } => Some(Stmt::skip()),
                _ => None,
            }),
        ),
        (
            "other cells forgotten",
            Box::new(|stmt| match stmt {
                Stmt::Forget { buf, lo, hi } => {
                    let (lo, hi) = (lo.clone() + Int::Lit(1), hi.clone() + Int::Lit(1));
                    Some(Stmt::Forget { buf: buf.clone(), lo, hi })
                }
                _ => None,
            }),
        ),
        (
            "a statement twice",
            Box::new(|stmt| match stmt {
                Stmt::Store { .. } => Some(Stmt::seq([stmt.clone(), stmt.clone()])),
                _ => None,
            }),
        ),
        (
            "the neighbour's cell",
            store(move |buf, index, value, mode| {
                Some((buf.clone(), index.clone() + one(), value.clone(), mode))
            }),
        ),
        (
            "one cell for all",
            store(|buf, index, value, mode| {
                (*index != Int::Lit(0)).then(|| (buf.clone(), Int::Lit(0), value.clone(), mode))
            }),
        ),
        (
            "another stride",
            store(|buf, index, value, mode| {
                (*index != Int::Lit(0))
                    .then(|| (buf.clone(), index.clone() * Int::Lit(2), value.clone(), mode))
            }),
        ),
        (
            "= for += and += for =",
            store(|buf, index, value, mode| {
                let other = match mode {
                    StoreMode::Set | StoreMode::Replace => StoreMode::Reduce(ReduceOp::Add),
                    StoreMode::Reduce(_) => StoreMode::Set,
                };
                Some((buf.clone(), index.clone(), value.clone(), other))
            }),
        ),
        (
            "another reduction",
            store(|buf, index, value, mode| match mode {
                StoreMode::Reduce(ReduceOp::Max) | StoreMode::Set | StoreMode::Replace => None,
                StoreMode::Reduce(_) => {
                    Some((buf.clone(), index.clone(), value.clone(), StoreMode::Reduce(ReduceOp::Max)))
                }
            }),
        ),
        (
            "a store to an argument",
            store(move |_, index, value, mode| Some((input.clone(), index.clone(), value.clone(), mode))),
        ),
        (
            "a read of the neighbour",
            store(|buf, index, value, mode| Some((buf.clone(), index.clone(), read_elsewhere(value)?, mode))),
        ),
        (
            "swapped operands",
            store(|buf, index, value, mode| match value {
                Val::Bin(op, a, b) if a != b => {
                    Some((buf.clone(), index.clone(), Val::Bin(*op, b.clone(), a.clone()), mode))
                }
                _ => None,
            }),
        ),
    ]
}

/// What a kernel computes at some sizes; nothing where it refuses its arguments.
fn outputs(kernel: &Kernel) -> Vec<Option<Vec<Cells>>> {
    let run = |base: i64| {
        let sizes: Vec<i64> = (0..kernel.sizes.len()).map(|k| (base + 3 * k as i64) % 6).collect();
        let counts = kernel.cell_counts(&sizes).ok()?;
        let read = kernel.params.iter().zip(counts).filter(|(param, _)| param.access == Access::Read);
        let inputs: Vec<Cells> = read
            .map(|(param, n)| match param.scalar {
                atl_kernel::Scalar::F32 => {
                    Cells::F32((0..n).map(|k| ((k * 5 + n) % 11) as f32 - 4.5).collect())
                }
                atl_kernel::Scalar::F64 => {
                    Cells::F64((0..n).map(|k| ((k * 5 + n) % 11) as f64 - 4.5).collect())
                }
                atl_kernel::Scalar::I64 => Cells::I64(vec![0; n]),
                _ => Cells::I32(vec![0; n]),
            })
            .collect();
        interpret(kernel, &sizes, &inputs, Options::default()).ok()
    };
    (0..6).map(run).collect()
}

/// How many changed kernels of an example are refused.
fn refused(path: &str, function: Option<&str>, schedule: &str) -> usize {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let program = atl_driver::load(format!("{root}/{path}")).unwrap_or_else(|e| panic!("{e}"));
    refused_of(&program, path, function, schedule)
}

fn refused_of(program: &Program, path: &str, function: Option<&str>, schedule: &str) -> usize {
    let name = program.function(function, Some(schedule)).unwrap().name.clone();
    let lowered = program.scheduled(&name, Some(schedule)).and_then(|s| s.lower());
    let lowered = lowered.unwrap_or_else(|e| panic!("{e}"));
    let f = &lowered.function;
    let exported = |kernel: &Kernel| {
        let loops = Loops {
            kernel,
            sizes: f.sizes.iter().map(|size| (size.level, size.name.clone())).collect(),
            inputs: f.params.iter().map(|param| (param.level, param.name.clone())).collect(),
        };
        export(&lowered.theorem, Some(&loops), &Header::default()).is_ok()
    };
    // The loops that searches mean, so that each of their parts is changed, too.
    let kernel = &Kernel { body: lowered.kernel.body.plain_loops(), ..lowered.kernel.clone() };
    assert!(exported(kernel), "{path} {schedule}");
    let mut statements = 0;
    kernel.body.for_each(&mut |_| statements += 1);
    let (expected, mut refused) = (outputs(kernel), 0);
    for (what, change) in changes(&kernel.params[0].name) {
        for number in 0..statements {
            let Some(body) = changed(&kernel.body, &mut 0, number, &*change) else { continue };
            let wrong = Kernel { body, ..kernel.clone() };
            if exported(&wrong) {
                assert_eq!(outputs(&wrong), expected, "{path} {schedule}: {what}, at {number}, is exported");
            } else {
                refused += 1;
            }
        }
    }
    refused
}

#[test]
fn wrong_loops_are_not_exported() {
    let kernels = [
        ("examples/derivations/matmul.atl", None, "tiled"),
        ("examples/derivations/pipeline.atl", None, "staged"),
        ("examples/derivations/gather.atl", None, "gather"),
        ("examples/derivations/im2col.atl", None, "windows"),
        ("examples/derivations/convolution.atl", None, "picked"),
        ("examples/sparse.atl", Some("spmv"), "rows"),
        ("examples/sparse.atl", Some("spmspv"), "rows"),
    ];
    let count: usize =
        kernels.iter().map(|(path, function, schedule)| refused(path, *function, schedule)).sum();
    assert!(count >= 240, "{count}");
}

/// Iterations and vectors one after the other, in registers.
const WRITTEN_OUT: &str = "
fn small(a: f32[2, K], b: f32[K, 4]) -> f32[2, 4] { gen i < 2, j < 4 { sum k < K { a[i, k] * b[k, j] } } }
schedule registers of small {
    reorder k, i, j;
    stage k as acc;
    store acc in register;
    unroll i, acc/i;
    vectorize j by 2;
    vectorize acc/j by 2;
}";

#[test]
fn wrong_loops_that_are_written_out_are_not_exported() {
    let program = Program::parse("small.atl", WRITTEN_OUT).unwrap_or_else(|e| panic!("{e}"));
    let count = refused_of(&program, "small.atl", None, "registers");
    assert!(count >= 100, "{count}");
}

#[test]
fn wrong_windows_are_not_exported() {
    let program = Program::parse("two.atl", CARRIED).unwrap_or_else(|e| panic!("{e}"));
    let count = refused_of(&program, "two.atl", None, "carried");
    assert!(count >= 60, "{count}");
}

#[test]
fn wrong_diagonals_are_not_exported() {
    let program = Program::parse("diagonals.atl", DIAGONALS).unwrap_or_else(|e| panic!("{e}"));
    let counts = ["sheared", "unsheared"].map(|of| refused_of(&program, "diagonals.atl", Some(of), "direct"));
    assert!(counts.iter().all(|count| *count >= 10), "{counts:?}");
}
