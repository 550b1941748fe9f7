//! Sums of a few products at once, as they are counted.
//!
//! One idea: a machine adds up four products of bytes, or two of numbers of 16 bits, in each lane as
//! quickly as one of words. So in loops over vectors such a sum counts as one product of words, each of
//! which lies where the numbers do.

use atl_loops::dot::{Dot, Factor};
use atl_loops::lanes::{Lanes, Vectors};
use atl_loops::{BinOp, Int, Name, ReduceOp, Scalar, Stmt, StoreMode, Val};
use std::collections::BTreeMap;

/// The body of a loop over vectors with one product for each sum of a few.
pub(crate) fn counted(types: &BTreeMap<Name, Scalar>, vectors: &Vectors, body: &Stmt) -> Stmt {
    let lanes = Lanes::new(vectors, body);
    counted_in(&lanes, types, body)
}

fn counted_in(lanes: &Lanes<'_>, types: &BTreeMap<Name, Scalar>, stmt: &Stmt) -> Stmt {
    let Some(Dot { sum, terms, factors }) = lanes.dot(types, stmt) else {
        return stmt.map_parts(&mut |part| counted_in(lanes, types, part));
    };
    let word = types.get(sum).copied().unwrap_or(Scalar::I32);
    let [a, b] = factors.map(|Factor { buf, first, varies, .. }| {
        let cell = if varies { first.floor_div(Int::Lit(i64::from(terms))) } else { first };
        Val::convert(word, Val::load(buf.clone(), cell))
    });
    Stmt::Store {
        buf: sum.clone(),
        index: Int::Lit(0),
        value: Val::bin(BinOp::Mul, a, b),
        mode: StoreMode::Reduce(ReduceOp::Add),
    }
}
