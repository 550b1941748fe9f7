//! What a proof file holds, once it is read.

use crate::measure::Size;
use atl_kernel::cert::Derive;
use atl_kernel::{Cert, Child, Ctx, Definition, Expr, Laws, Monoid, Pred, Rounding, Rule};
use std::sync::Arc;

/// The texts of a file for people. No check reads them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Header {
    /// The function's name.
    pub function: String,
    /// Sizes, parameters and hypotheses, a line each.
    pub given: String,
    /// The left side.
    pub source: String,
    /// The schedule by which the right side was made.
    pub schedule: String,
    /// The right side.
    pub result: String,
}

/// How many lines a file has of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Terms.
    pub terms: usize,
    /// Definitions.
    pub definitions: usize,
    /// Certificates.
    pub certificates: usize,
    /// Inferences.
    pub inferences: usize,
    /// All lines.
    pub lines: usize,
}

/// A proof file: well-formed, but not yet known to prove its claim.
#[derive(Debug)]
pub struct ProofFile {
    pub(crate) header: Header,
    pub(crate) laws: Laws,
    pub(crate) rounding: Rounding,
    pub(crate) tables: Tables,
    pub(crate) ctx: Arc<Ctx>,
    /// The two sides, as `t` lines.
    pub(crate) claim: (u32, u32),
    pub(crate) root: u32,
    pub(crate) has_loops: bool,
    pub(crate) lines: usize,
}

/// The tables that a replay needs, by number.
#[derive(Default, Debug)]
pub(crate) struct Tables {
    pub(crate) terms: Vec<Expr>,
    pub(crate) sizes: Vec<Size>,
    pub(crate) definitions: Vec<Arc<Definition>>,
    pub(crate) definition_sizes: Vec<Size>,
    pub(crate) monoids: Vec<Arc<Monoid>>,
    pub(crate) certs: Vec<CertLine>,
    pub(crate) steps: Vec<Step>,
}

/// A certificate, in terms of earlier ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CertLine {
    pub(crate) steps: Vec<Derive>,
    pub(crate) end: CertEnd,
    /// Its nodes as a tree, and how deep it nests.
    pub(crate) nodes: u64,
    pub(crate) depth: u64,
}

/// How a certificate ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CertEnd {
    Absurd(usize),
    Split(usize, u32, u32),
    Case(Pred, u32, u32),
}

/// An inference, in terms of earlier ones; with numbers of `t`, `c` and `s` lines.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Step {
    Refl(u32, u32, Vec<u32>),
    Sym(u32),
    Trans(u32, u32),
    Rule(Rule, u32, Vec<u32>),
    Cong(u32, Child, u32, Vec<u32>),
    Cases(Pred, u32, u32),
    /// The iteration; each state's family and its two premises.
    Induction(u32, Vec<(u32, u32, u32)>, Vec<u32>),
}

impl Tables {
    /// The term of a line.
    pub(crate) fn term(&self, t: u32) -> &Expr {
        &self.terms[t as usize]
    }

    /// The inference of a line.
    pub(crate) fn step(&self, s: u32) -> &Step {
        &self.steps[s as usize]
    }

    /// The certificate of a line, whole.
    pub(crate) fn cert(&self, c: u32) -> Cert {
        let line = &self.certs[c as usize];
        let end = match &line.end {
            CertEnd::Absurd(k) => Cert::Absurd(*k),
            CertEnd::Split(k, l, r) => Cert::Split(*k, Box::new(self.cert(*l)), Box::new(self.cert(*r))),
            CertEnd::Case(p, l, r) => Cert::Case(p.clone(), Box::new(self.cert(*l)), Box::new(self.cert(*r))),
        };
        line.steps.iter().rev().fold(end, |rest, step| Cert::Step(step.clone(), Box::new(rest)))
    }
}

impl ProofFile {
    /// The texts for people.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The laws that the claim states.
    pub fn laws(&self) -> Laws {
        self.laws
    }

    /// The rounding class that the claim states.
    pub fn rounding(&self) -> Rounding {
        self.rounding
    }

    /// The claim's context.
    pub fn ctx(&self) -> &Arc<Ctx> {
        &self.ctx
    }

    /// The claim's left side.
    pub fn lhs(&self) -> &Expr {
        self.tables.term(self.claim.0)
    }

    /// The claim's right side.
    pub fn rhs(&self) -> &Expr {
        self.tables.term(self.claim.1)
    }

    /// Does it say something of loops? No check here looks at that.
    pub fn has_loops(&self) -> bool {
        self.has_loops
    }

    /// The definitions that the file brings.
    pub fn definitions(&self) -> &[Arc<Definition>] {
        &self.tables.definitions
    }

    /// How large it is.
    pub fn counts(&self) -> Counts {
        Counts {
            terms: self.tables.terms.len(),
            definitions: self.tables.definitions.len(),
            certificates: self.tables.certs.len(),
            inferences: self.tables.steps.len(),
            lines: self.lines,
        }
    }
}
