//! Pad types in words: which elements of each subterm are certainly padding.
//!
//! A row for each subterm that is built: loop nests, sums, guards, selections, operators, and what `let`
//! binds. Scalars that are read or computed are never padding and have none, nor has a `let` itself, which is
//! padded as its body is.

use crate::display;
use crate::failure::Failure;
use crate::scheduled::Scheduled;
use atl_arith::{Arith, simplify};
use atl_check::pads::{PadSet, Typed, pads};
use atl_kernel::{Expr, Ix, Node, Pred};
use std::fmt::Write;

/// The pad types of a function under a schedule, or as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PadTypes {
    /// The function.
    pub function: String,
    /// The schedule; none for a function as it is written.
    pub schedule: Option<String>,
    /// The subterms, from the outside in, as they stand in the text.
    pub rows: Vec<PadRow>,
}

/// A subterm with its padding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PadRow {
    /// How deep it stands below the function's body.
    pub depth: usize,
    /// What it is: `gen`, `flatten`, `let bx`.
    pub term: String,
    /// A name and the extent for each dimension, outermost first.
    pub index: Vec<(String, String)>,
    /// Which elements are padding.
    pub padding: Padding,
}

/// Which elements are certainly padding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Padding {
    /// None for certain.
    None,
    /// All.
    All,
    /// Those whose index satisfies this.
    Where(String),
}

impl Padding {
    /// As a predicate.
    pub fn predicate(&self) -> &str {
        match self {
            Padding::None => "false",
            Padding::All => "true",
            Padding::Where(p) => p,
        }
    }
}

impl Scheduled {
    /// The pad types of the function after the schedule.
    ///
    /// # Errors
    /// The kernel refuses the term.
    pub fn pads(&self) -> Result<PadTypes, Failure> {
        let f = &self.function;
        let typed = pads(&f.ctx, self.body(), &mut Arith::default())
            .map_err(|e| Failure::new(&self.sources, atl_lang::kernel_error(&e, &f.ctx, Some(f.span))))?;
        let mut rows = Vec::new();
        collect(&typed, 0, &mut rows);
        if rows.first().is_none_or(|row| row.depth > 0) {
            rows.insert(0, row(0, display::expr(&f.ctx, &typed.expr), &typed));
        }
        Ok(PadTypes { function: f.name.clone(), schedule: self.schedule.clone(), rows })
    }
}

fn collect(typed: &Typed, depth: usize, rows: &mut Vec<PadRow>) {
    let parts = &typed.parts;
    match (&*typed.expr, parts.as_slice()) {
        (Node::Let(label, ..), [bound, body]) => {
            rows.push(row(depth, format!("let {}", label.name), bound));
            collect(bound, depth + 1, rows);
            collect(body, depth, rows);
        }
        _ => {
            let head = head(&typed.expr, &typed.pads);
            let below = depth + usize::from(head.is_some());
            rows.extend(head.map(|head| row(depth, head, typed)));
            inner(typed).iter().for_each(|part| collect(part, below, rows));
        }
    }
}

/// The parts of a term; loops directly inside each other are one nest.
fn inner(typed: &Typed) -> &[Typed] {
    match (&*typed.expr, typed.parts.as_slice()) {
        (Node::Gen(..), [body]) if matches!(*body.expr, Node::Gen(..)) => inner(body),
        (_, parts) => parts,
    }
}

/// What a subterm that has a row is called.
fn head(e: &Expr, pads: &PadSet) -> Option<String> {
    let ctx = &pads.ctx;
    match &**e {
        Node::Gen(..) => Some("gen".to_owned()),
        Node::Sum(label, n, _) => Some(format!("sum {} < {}", label.name, display::ix(ctx, n))),
        Node::Guard(p, _) => Some(format!("[{}]", display::pred(ctx, p))),
        Node::Select(p, ..) => Some(format!("select({})", display::pred(ctx, p))),
        Node::Op(definition, ixs, _) if ixs.is_empty() => Some(definition.name.to_owned()),
        Node::Op(definition, ixs, _) => {
            let ixs: Vec<String> = ixs.iter().map(|ix| display::ix(ctx, ix)).collect();
            Some(format!("{}({})", definition.name, ixs.join(", ")))
        }
        Node::Var(_)
        | Node::Lit(..)
        | Node::Index(..)
        | Node::Let(..)
        | Node::Iterate(_)
        | Node::Get(..)
        | Node::Prim(..)
        | Node::View(..)
        | Node::Bundle(..) => None,
    }
}

fn row(depth: usize, term: String, typed: &Typed) -> PadRow {
    let pads = &typed.pads;
    let dimension = |level: u32, n: &Ix| {
        (display::ix(&pads.ctx, &Ix::free(level)), display::ix(&pads.ctx, &simplify(&typed.ctx, n)))
    };
    let index = pads.index.iter().zip(&pads.shape).map(|(level, n)| dimension(*level, n));
    let padding = match &pads.padded {
        Pred::False => Padding::None,
        Pred::True => Padding::All,
        p => Padding::Where(display::pred(&pads.ctx, p)),
    };
    PadRow { depth, term, index: index.collect(), padding }
}

impl PadTypes {
    /// "blur under tiled".
    pub fn heading(&self) -> String {
        match &self.schedule {
            Some(schedule) => format!("{} under {schedule}", self.function),
            None => self.function.clone(),
        }
    }

    /// As a tree of lines.
    pub fn to_text(&self) -> String {
        let mut out = self.heading() + "\n";
        for row in &self.rows {
            let index: Vec<String> = row.index.iter().map(|(i, n)| format!("{i} < {n}")).collect();
            let of = if index.is_empty() { String::new() } else { format!(" [{}]", index.join(", ")) };
            let padding = match &row.padding {
                Padding::None => "no padding".to_owned(),
                Padding::All => "all padding".to_owned(),
                Padding::Where(p) => format!("padding where {p}"),
            };
            let _ = writeln!(out, "{}{}{of}: {padding}", "  ".repeat(row.depth + 1), row.term);
        }
        out
    }
}
