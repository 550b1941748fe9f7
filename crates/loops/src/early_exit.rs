//! Reductions with an absorbing value: a value that no further combination changes.
//!
//! The one idea: a loop that only combines into a register may exit once the register holds the absorbing value. The skipped iterations
//! could not have changed a cell, so the interpreter, which runs all of them, computes the same.

use crate::{Literal, Name, ReduceOp, Scalar, Stmt, StoreMode};

impl ReduceOp {
    /// The absorbing value of the operation: of `or` and `and`, and of the minimum and the maximum of numbers. A float is the least only if it is an infinity, which no NaN replaces: it is not less, and not greater.
    pub fn end(self, scalar: Scalar) -> Option<Literal> {
        let (least, greatest) = (Literal::least(scalar), Literal::greatest(scalar));
        match (self, scalar) {
            (ReduceOp::Or, Scalar::Bool) => Some(greatest),
            (ReduceOp::And, Scalar::Bool) => Some(least),
            (_, Scalar::Bool) => None,
            (ReduceOp::Min, _) => Some(least),
            (ReduceOp::Max, _) => Some(greatest),
            _ => None,
        }
    }
}

impl Stmt {
    /// The operation by which this statement combines into the buffer; if there are several, the last one.
    pub fn reduction_into(&self, buf: &Name) -> Option<ReduceOp> {
        let mut found = None;
        self.for_each(&mut |stmt| match stmt {
            Stmt::Store { buf: stored, mode: StoreMode::Reduce(op), .. } if stored == buf => {
                found = Some(*op)
            }
            _ => {}
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use crate::{Literal, ReduceOp, Scalar};

    #[test]
    fn nothing_changes_the_end_of_a_reduction() {
        let ops = [ReduceOp::Add, ReduceOp::Mul, ReduceOp::Min, ReduceOp::Max, ReduceOp::Or, ReduceOp::And];
        let floats = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1.5, -2.0, f64::MAX, f64::MIN];
        let values = |scalar: Scalar| -> Vec<Literal> {
            let small = [0, 1, 7].map(|n| Literal::of_integer(scalar, n));
            let ends = [Literal::least(scalar), Literal::greatest(scalar)];
            let special = floats.map(|x| Literal::F64(x).convert(scalar));
            [&small[..], &ends, if scalar.is_float() { &special } else { &[] }].concat()
        };
        let mut ended = 0;
        for scalar in Scalar::ALL {
            for op in ops {
                let Some(end) = op.end(scalar) else { continue };
                ended += 1;
                for value in values(scalar) {
                    assert_eq!(op.bin_op().apply(end, value), Some(end), "{op:?} of {end:?} and {value:?}");
                }
            }
        }
        assert_eq!(ended, 2 * Scalar::ALL.len());
    }
}
