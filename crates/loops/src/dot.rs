//! Sums of a few products of narrow integers, in lanes: what machines have an instruction for.
//!
//! ```text
//! for k in 0..4 { t += i32(a[i + k]) * i32(b[4 * j + k]) }
//! ```
//!
//! in a loop over vectors along `j`: four products of bytes are added to each lane, or two of numbers of 16
//! bits. Their cells lie side by side, so a lane of one operand is a word, and so is what the lanes have in
//! common of the other. The loop stays what it is: only a printer that knows such an instruction looks for
//! it.

use crate::growth::growth;
use crate::lanes::Lanes;
use crate::passes::with_value;
use crate::{BinOp, Int, Kind, LoopKind, Name, ReduceOp, Scalar, Stmt, StoreMode, Val};
use std::collections::BTreeMap;

/// A sum of products in lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dot<'s> {
    /// The variable to which they are added.
    pub sum: &'s Name,
    /// How many there are: 2 or 4.
    pub terms: u32,
    /// What is multiplied; the second depends on the lane.
    pub factors: [Factor<'s>; 2],
}

/// A factor of the products.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factor<'s> {
    /// The buffer that has the numbers.
    pub buf: &'s Name,
    /// Their type.
    pub scalar: Scalar,
    /// The cell of the first term.
    pub first: Int,
    /// Has each lane its own numbers, side by side with those of others?
    pub varies: bool,
}

impl Lanes<'_> {
    /// The sum of products that a statement is.
    pub fn dot<'s>(&self, types: &BTreeMap<Name, Scalar>, stmt: &'s Stmt) -> Option<Dot<'s>> {
        let Stmt::For { var: term, lo: Int::Lit(0), hi, kind, body } = stmt else { return None };
        let Stmt::Store { buf: sum, value, mode: StoreMode::Reduce(ReduceOp::Add), .. } = &**body else {
            return None;
        };
        let is_sum = matches!(kind, LoopKind::Serial | LoopKind::Unroll) && self.is_local(sum);
        let word = *types.get(sum)?;
        let is_word = word.is_integer() && word.bits() == 32;
        let Val::Bin(BinOp::Mul, a, b) = value else { return None };
        let terms = u32::try_from(hi.constant()?).ok().filter(|terms| matches!(terms, 2 | 4))?;
        let factor = |val| self.factor(types, val, (term, terms), word);
        let mut factors = [factor(a)?, factor(b)?];
        if !factors[1].varies {
            factors.reverse();
        }
        (is_sum && is_word && factors[1].varies).then_some(Dot { sum, terms, factors })
    }

    fn factor<'s>(
        &self,
        types: &BTreeMap<Name, Scalar>,
        val: &'s Val,
        (term, terms): (&Name, u32),
        word: Scalar,
    ) -> Option<Factor<'s>> {
        let Val::Convert { to, val } = val else { return None };
        let Val::Load { buf, index } = &**val else { return None };
        let scalar = *types.get(buf)?;
        // A lane is a word of 32 bits.
        let fits = matches!(scalar.kind(), Kind::Signed | Kind::Unsigned)
            && matches!(scalar.bits(), 8 | 16)
            && scalar.bits() * terms <= 32;
        let varies = match self.step(index)? {
            0 => false,
            step => (step == i64::from(terms)).then_some(true)?,
        };
        let is_apt = *to == word && fits && !index.reads() && !self.is_local(buf);
        let first =
            (is_apt && growth(index, term) == Some(1)).then(|| with_value(index, term, Int::Lit(0)))?;
        Some(Factor { buf, scalar, first, varies })
    }
}

#[cfg(test)]
mod tests {
    use crate::lanes::{Lanes, Vectors};
    use crate::text::parse_kernel;
    use crate::{LoopKind, Stmt};

    /// Of how many terms is the sum of this loop, in lanes along `j`?
    fn check(body: &str, expected: Option<u32>) {
        let text = format!(
            "kernel t(N, M) in i8 a[N] in u8 b[N] in i16 h[N] in i32 w[N] out i32 y[N] {{ \
             vector(4) for j in 0..N {{ alloc register i32 s = 0i32 {{ {body} y[j] = s }} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let Stmt::For { var, lo, hi, kind: LoopKind::Vector { .. }, body: inside } = &kernel.body else {
            panic!("{text}");
        };
        let types = kernel.buffer_types();
        let vectors =
            Vectors::try_new(&types, var, (lo, hi), 4, inside).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let lanes = Lanes::new(&vectors, inside);
        let mut found = None;
        inside.for_each(&mut |stmt| found = found.or(lanes.dot(&types, stmt).map(|dot| dot.terms)));
        assert_eq!(found, expected, "{body}");
    }

    fn sum(terms: &str, product: &str) -> String {
        format!("for k in 0..{terms} {{ s += {product} }}")
    }

    #[test]
    fn words_of_terms() {
        check(&sum("4", "i32(a[M * 4 + k]) * i32(b[(M + j) * 4 + k])"), Some(4));
        check(&sum("4", "i32(b[4 * j + k]) * i32(a[k + M])"), Some(4));
        check(&sum("4", "i32(b[4 * j + k]) * i32(b[4 * j + 4 + k])"), Some(4));
        check(&sum("2", "i32(a[M + k]) * i32(h[2 * j + k])"), Some(2));
        check(&sum("2", "i32(b[2 * j + k]) * i32(h[k])"), Some(2));
    }

    #[test]
    fn other_sums() {
        for (terms, product) in [
            ("4", "i32(a[k]) * i32(h[4 * j + k])"),
            ("3", "i32(a[k]) * i32(b[3 * j + k])"),
            ("M", "i32(a[k]) * i32(b[4 * j + k])"),
            ("4", "i32(a[k]) * i32(b[2 * j + k])"),
            ("4", "i32(a[k]) * i32(b[j + k])"),
            ("4", "i32(a[2 * k]) * i32(b[4 * j + k])"),
            ("4", "i32(a[k]) * i32(a[M + k])"),
            ("4", "i32(a[k]) + i32(b[4 * j + k])"),
            ("2", "w[k] * i32(h[2 * j + k])"),
            ("4", "i32(a[w[0] + k]) * i32(b[4 * j + k])"),
        ] {
            check(&sum(terms, product), None);
        }
    }
}
