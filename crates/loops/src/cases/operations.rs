//! Every operation of a type on the values at its edges.

use super::Case;
use crate::interp::Cells;
use crate::{
    Access, BinOp, BufferParam, CmpOp, Function, Int, Kernel, Literal, LoopKind, Name, Scalar, Stmt, UnOp,
    Val,
};

const COMPARISONS: [CmpOp; 4] = [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le];

/// A kernel that applies each operation of the type, each comparison and each conversion from it to all (pairs of) values
/// at the edges of the type.
pub fn operations_case(scalar: Scalar) -> Case {
    let values = edges(scalar);
    let (i, j, n) = (Int::var("i"), Int::var("j"), Int::var("N"));
    let [x, y] = [&i, &j].map(|index| Val::load("x", index.clone()));
    let unary = UnOp::ALL.iter().filter(|op| op.accepts(scalar)).map(|op| Val::un(*op, x.clone()));
    let binary =
        BinOp::ALL.iter().filter(|op| op.accepts(scalar)).map(|op| Val::bin(*op, x.clone(), y.clone()));
    let functions = Function::ALL.iter().filter(|_| scalar.is_float()).map(|function| {
        let operands = [&x, &y, &x].into_iter().take(function.arity());
        Val::call(*function, operands.cloned().collect())
    });
    let mut results: Vec<(Scalar, Val)> =
        unary.chain(binary).chain(functions).map(|val| (scalar, val)).collect();
    results.extend(COMPARISONS.map(|op| (Scalar::Bool, Val::cmp(op, x.clone(), y.clone()))));
    results.extend(Scalar::ALL.map(|to| (to, Val::convert(to, x.clone()))));

    let mut params = vec![param("x".into(), scalar, std::slice::from_ref(&n), Access::Read)];
    let mut stores = Vec::new();
    for (k, (scalar, val)) in results.into_iter().enumerate() {
        let name = Name::from(format!("y{k}"));
        params.push(param(name.clone(), scalar, &[n.clone(), n.clone()], Access::Write));
        stores.push(Stmt::set(name, i.clone() * n.clone() + j.clone(), val));
    }
    let inner = Stmt::for_loop("j", Int::Lit(0), n.clone(), LoopKind::Serial, Stmt::seq(stores));
    let body = Stmt::for_loop("i", Int::Lit(0), n, LoopKind::Serial, inner);
    let name = Name::from(format!("operations_{scalar}"));
    let kernel = Kernel {
        name,
        sizes: vec!["N".into()],
        params,
        requires: Vec::new(),
        requires_all: Vec::new(),
        body,
    };
    let size = i64::try_from(values.len()).unwrap_or(0);
    Case { kernel, sizes: vec![size], inputs: vec![Cells::from_literals(scalar, &values)] }
}

fn param(name: Name, scalar: Scalar, extents: &[Int], access: Access) -> BufferParam {
    BufferParam { name, scalar, extents: extents.to_vec(), access, over: None }
}

/// Zeros, ones, extremes, the bounds of the other types, and what is no number.
pub(super) fn edges(scalar: Scalar) -> Vec<Literal> {
    let mut integers = vec![0, 1, 2, 7, -1, -7, 256];
    // The counts by which a shift leaves the last bit, and none.
    integers.extend([8, 15, 16, 31, 32, 63, 64]);
    // Rounded to a float at once and in two steps these differ; or they are rounded at all.
    integers.extend([(1 << 53) + (1 << 29) + 1, (1 << 53) + 1, (1 << 24) + 1]);
    integers.extend([16_842_753, (1 << 62) + (1 << 54) + 1, -(1 << 62) - (1 << 54) - 1, 65_519, 65_520]);
    let ends = Scalar::ALL.into_iter().filter_map(|of| of.range()).flat_map(|(least, most)| [least, most]);
    integers.extend(ends.filter(|end| ![0, 1].contains(end)));
    integers.sort_unstable();
    integers.dedup();
    let floats = [
        -0.0,
        0.5,
        -0.5,
        255.5,
        65535.5,
        4_294_967_295.5,
        -3.75,
        1e10,
        -1e10,
        1e19,
        2e19,
        -1e19,
        5e-324,
        1e300,
        // The same to 16 bits: beside middles, the least numbers and the greatest.
        1.0 + 1.0 / 2048.0 + 1e-12,
        1.0 + 1.0 / 256.0 + 1e-12,
        65_519.99,
        3.39617e38,
        1.5 / f64::from(1 << 25),
        1.0 / f64::from(1 << 25),
        1e-40,
    ];
    let mut edges: Vec<Literal> = integers.iter().map(|x| Literal::of_integer(scalar, *x)).collect();
    if scalar.is_float() {
        let unusual = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        edges.extend(floats.into_iter().chain(unusual).map(|x| Literal::F64(x).convert(scalar)));
        edges.push(Literal::F32(f32::MIN_POSITIVE).convert(scalar));
    }
    edges
}
