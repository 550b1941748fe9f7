//! Index terms, predicates and certificates as syntax of `Index.v` and `Certificate.v`.

use atl_kernel::cert::Derive;
use atl_kernel::{Cert, Cmp, Ix, IxOp, Pred, Var};

/// How variables and arrays are written, which the scope has by level, and what is written for a leaf: a
/// number or a variable.
pub(crate) struct Deep<'a> {
    pub(crate) index: &'a dyn Fn(u32) -> String,
    pub(crate) array: &'a dyn Fn(u32) -> u32,
    pub(crate) leaf: &'a dyn Fn(String) -> String,
}

/// The entries of the context, by level.
pub(crate) const BY_LEVEL: Deep<'_> = Deep {
    index: &|level| format!("Free {level}"),
    array: &|level| level,
    leaf: &|text| format!("({text})"),
};

/// A list of Rocq.
pub(crate) fn list<T>(parts: impl IntoIterator<Item = T>, text: impl FnMut(T) -> String) -> String {
    format!("[{}]", parts.into_iter().map(text).collect::<Vec<_>>().join("; "))
}

/// The constructor of an operation.
pub(crate) fn operation(op: IxOp) -> &'static str {
    match op {
        IxOp::Add => "Add",
        IxOp::Sub => "Sub",
        IxOp::Mul => "Mul",
        IxOp::Div => "Div",
        IxOp::Mod => "Mod",
        IxOp::Min => "Min",
        IxOp::Max => "Max",
    }
}

/// The constructor of a comparison.
pub(crate) fn comparison(cmp: Cmp) -> &'static str {
    match cmp {
        Cmp::Eq => "Eq",
        Cmp::Lt => "Lt",
        Cmp::Le => "Le",
    }
}

fn numbers<T: ToString>(parts: &[T]) -> String {
    list(parts, |k| format!("{}%nat", k.to_string()))
}

impl Deep<'_> {
    pub(crate) fn ix(&self, ix: &Ix) -> String {
        match ix {
            Ix::Lit(n) if *n < 0 => (self.leaf)(format!("Lit ({n})")),
            Ix::Lit(n) => (self.leaf)(format!("Lit {n}")),
            Ix::Var(Var::Free(level)) => (self.leaf)((self.index)(*level)),
            Ix::Var(Var::Bound(k)) => (self.leaf)(format!("Bound {k}")),
            Ix::Bin(op, ab) => format!("(Op {} {} {})", operation(*op), self.ix(&ab.0), self.ix(&ab.1)),
            // A bound array is refused where the term is printed as a term.
            Ix::Read(Var::Free(level) | Var::Bound(level), at) => {
                format!("(Read {} {})", (self.array)(*level), self.list(at))
            }
        }
    }

    pub(crate) fn list(&self, parts: &[Ix]) -> String {
        list(parts, |ix| self.ix(ix))
    }

    pub(crate) fn pred(&self, p: &Pred) -> String {
        match p {
            Pred::True => "True_".to_owned(),
            Pred::False => "False_".to_owned(),
            Pred::Cmp(cmp, a, b) => format!("(Cmp {} {} {})", comparison(*cmp), self.ix(a), self.ix(b)),
            Pred::Not(q) => format!("(Not {})", self.pred(q)),
            Pred::And(pq) => format!("(And {} {})", self.pred(&pq.0), self.pred(&pq.1)),
            Pred::Or(pq) => format!("(Or {} {})", self.pred(&pq.0), self.pred(&pq.1)),
        }
    }

    fn step(&self, step: &Derive) -> String {
        match step {
            Derive::Combine(parts) => {
                format!("(Combine {})", list(parts, |(c, facts)| format!("(({c}), {})", numbers(facts))))
            }
            Derive::Cut(f, d) => format!("(Cut {f} {d})"),
            Derive::Euclid(a, d, f) => format!("(Euclid {} {} {f})", self.ix(a), self.ix(d)),
            Derive::Min(a, b) => format!("(Minimum {} {})", self.ix(a), self.ix(b)),
            Derive::Max(a, b) => format!("(Maximum {} {})", self.ix(a), self.ix(b)),
            Derive::Instance(k, at) => format!("(Instance {k} {})", self.list(at)),
            // `ranges` has made an instance of it, so Rocq refuses what would be written here.
            Derive::Type(level, at) => format!("(Instance type_of_{level} {})", self.list(at)),
        }
    }

    pub(crate) fn cert(&self, cert: &Cert) -> String {
        match cert {
            Cert::Absurd(k) => format!("(Absurd {k})"),
            Cert::Step(step, rest) => format!("(Then {} {})", self.step(step), self.cert(rest)),
            Cert::Split(k, l, r) => format!("(Split {k} {} {})", self.cert(l), self.cert(r)),
            Cert::Case(p, l, r) => format!("(Case {} {} {})", self.pred(p), self.cert(l), self.cert(r)),
        }
    }
}
