//! The catalogue: theorems written in the language itself, one file each. To add one: its file, and its line here.
//!
//! **The one idea.** A rule is a statement that anyone can read, a doc comment with the fields of the book's page, and at
//! most a proof function; matching, both directions, the page and the tests follow from it. A statement without a proof
//! function is proved automatically, at each use.
//!
//! A file's statement is trusted by nobody: an instance is proved, or refused.

use crate::cx::Cx;
use crate::schema::{Direction, Instance, OTHER_FORM, Proof, Schema};
use atl_arith::Arith;
use atl_diag::{FileId, Span};
use atl_kernel::{Error, Expr, Ix, Result, Thm};
use atl_lang::Module;
use atl_syntax::ast;
use std::sync::{Arc, OnceLock};

/// Proves an instance of a statement whose tensors are variables.
type ProveWith = fn(&mut Cx<'_>, &Instance, &Expr, &Expr) -> Result<Thm>;

/// A theorem of the catalogue.
pub struct Entry {
    /// The name, in `rw NAME` and in reports.
    pub name: &'static str,
    /// The file.
    source: &'static str,
    prove: Option<ProveWith>,
    read: OnceLock<Read>,
}

/// What a file says.
struct Read {
    schema: Schema,
    statement: String,
    /// The sides, as a refusal quotes them.
    forms: [String; 2],
    conditions: String,
    doc: Vec<String>,
    sizes: Vec<&'static str>,
    forwards: Vec<&'static str>,
    backwards: Vec<&'static str>,
}

impl Entry {
    const fn new(name: &'static str, source: &'static str, prove: Option<ProveWith>) -> Entry {
        Entry { name, source, prove, read: OnceLock::new() }
    }

    /// The theorem, elaborated when it is first asked for. The files are part of this crate, and a test reads them all.
    fn read(&self) -> &Read {
        self.read.get_or_init(|| {
            let theorem = self.theorem().unwrap_or_else(|| panic!("`{}.atl` does not parse", self.name));
            let mut arith = Arith::default();
            let statement = atl_lang::statement(&theorem, &Module::default(), &mut arith)
                .unwrap_or_else(|why| panic!("`{}.atl` is refused: {:?}", self.name, why[0].message));
            let proof = self.prove.map_or(Proof::Automatic, |prove| Proof::By(Arc::new(prove)));
            let ctx = statement.ctx.clone();
            let schema = Schema::new(statement, proof);
            let mut cx = Cx::new(ctx, &mut arith);
            let written = |span: Span| &self.source[span.start as usize..span.end as usize];
            let sizes = schema.statement().sizes.iter().map(|size| written(size.span)).collect();
            let mut arguments = |direction| -> Vec<&'static str> {
                schema.arguments(&mut cx, direction).into_iter().map(written).collect()
            };
            let (forwards, backwards) = (arguments(Direction::Forwards), arguments(Direction::Backwards));
            let print = |e: &ast::Expr| atl_syntax::print_expr(e, atl_syntax::Style::LINE);
            let conditions: Vec<String> = theorem.conditions.iter().map(print).collect();
            let (lhs, rhs) = (print(&theorem.lhs), print(&theorem.rhs));
            Read {
                schema,
                statement: format!("{lhs}  ==  {rhs}"),
                forms: [format!("`{lhs}`"), format!("`{rhs}`")],
                conditions: conditions.join(" && "),
                doc: theorem.doc,
                sizes,
                forwards,
                backwards,
            }
        })
    }

    /// The one theorem of the file.
    fn theorem(&self) -> Option<ast::Theorem> {
        let parse = atl_syntax::parse_file(FileId(0), self.source);
        match parse.tree.items.as_slice() {
            [ast::Item::Theorem(theorem)] if parse.diagnostics.is_empty() => Some(theorem.clone()),
            _ => None,
        }
    }

    /// The theorem as a rule.
    pub fn schema(&self) -> &Schema {
        &self.read().schema
    }

    /// The equation.
    pub fn statement(&self) -> &str {
        &self.read().statement
    }

    /// Its side conditions; empty when there are none.
    pub fn conditions(&self) -> &str {
        &self.read().conditions
    }

    /// The doc comment's line that begins with this field, `**Laws.**`; of several lines, joined.
    pub fn field(&self, field: &str) -> Option<String> {
        let start = format!("**{field}.**");
        let doc = &self.read().doc;
        let at = doc.iter().position(|line| line.trim().starts_with(&start))?;
        let ends = |line: &&String| !line.trim().is_empty() && !line.trim().starts_with("**");
        let rest = doc[at + 1..].iter().take_while(ends).map(|line| line.trim());
        let first = doc[at].trim().trim_start_matches(&start).trim();
        Some(std::iter::once(first).chain(rest).collect::<Vec<_>>().join(" "))
    }

    /// The sizes it speaks of; each may be given with `with`.
    pub fn sizes(&self) -> &[&'static str] {
        &self.read().sizes
    }

    /// The sizes that must be given with `with` in this direction.
    pub fn arguments(&self, direction: Direction) -> &[&'static str] {
        match direction {
            Direction::Forwards => &self.read().forwards,
            Direction::Backwards => &self.read().backwards,
        }
    }

    /// The theorem about a term, given the arguments in order.
    ///
    /// # Errors
    /// See [`Entry::apply`].
    pub fn rewrite(
        &'static self,
        cx: &mut Cx<'_>,
        e: &Expr,
        direction: Direction,
        args: &[Ix],
    ) -> Result<Thm> {
        let names = self.arguments(direction).iter().copied();
        let given: Vec<(&str, Ix)> = names.zip(args.iter().cloned()).collect();
        self.apply(cx, e, direction, &given)
    }

    /// The theorem about a term, with some sizes given.
    ///
    /// # Errors
    /// The term is of another form; else see [`Schema::apply`].
    pub fn apply(
        &'static self,
        cx: &mut Cx<'_>,
        e: &Expr,
        direction: Direction,
        given: &[(&str, Ix)],
    ) -> Result<Thm> {
        self.schema().apply(cx, e, direction, given).map_err(|error| match error {
            Error::Mismatch(what) if what == OTHER_FORM => {
                let wants = &self.read().forms[usize::from(direction == Direction::Backwards)];
                Error::NoMatch { rule: self.name, wants, found: e.clone() }
            }
            error => error,
        })
    }
}

/// The entry with this name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.name == name)
}

/// A theorem that needs no arguments in this direction, at a term.
fn at(cx: &mut Cx<'_>, name: &str, e: &Expr, direction: Direction) -> Result<Thm> {
    let entry = by_name(name).ok_or(Error::Mismatch("the catalogue has no such theorem"))?;
    entry.rewrite(cx, e, direction, &[])
}

/// A theorem of the catalogue, which needs no arguments, from left to right.
pub(crate) fn forwards(cx: &mut Cx<'_>, name: &str, e: &Expr) -> Result<Thm> {
    at(cx, name, e, Direction::Forwards)
}

/// A theorem of the catalogue, which needs no arguments, from right to left.
pub(crate) fn backwards(cx: &mut Cx<'_>, name: &str, e: &Expr) -> Result<Thm> {
    at(cx, name, e, Direction::Backwards)
}

macro_rules! catalogue {
    ($($name:literal $(by $prove:path)?;)*) => {
        /// Every theorem of the catalogue, sorted by name.
        pub static TABLE: [Entry; [$($name),*].len()] = [$(
            Entry::new($name, include_str!(concat!($name, ".atl")), catalogue!(@ $($prove)?)),
        )*];
    };
    (@) => { None };
    (@ $prove:path) => { Some($prove) };
}

catalogue! {
    "concat_assoc";
    "concat_empty_l";
    "concat_empty_r";
    "flatten_of_concat";
    "flatten_of_gen";
    "flatten_of_split";
    "gen_as_trunc_l";
    "gen_as_trunc_r";
    "gen_empty";
    "gen_of_add";
    "gen_of_get";
    "gen_peel_first";
    "gen_peel_last";
    "gen_range_split_at";
    "gen_reverse";
    "gen_rotate";
    "gen_split_plus";
    "gen_tile";
    "gen_tile_tail";
    "guarded_gen_as_pad_l";
    "guarded_gen_as_pad_r";
    "pack_pad_l";
    "pack_pad_r";
    "pack_shear";
    "pack_split";
    "pack_transpose";
    "pad_l_fusion";
    "pad_l_of_concat";
    "pad_r_fusion";
    "pad_r_of_concat";
    "pad_r_of_pad_l";
    "rfactor_inner" by proofs::sum_stride;
    "rfactor_outer" by proofs::sum_tile_exact;
    "split_flatten_id";
    "split_of_gen";
    "split_of_split";
    "sum_of_concat" by proofs::sum_split_plus;
    "sum_of_flatten" by proofs::sum_of_flatten;
    "sum_peel_first" by proofs::sum_peel_first;
    "sum_peel_last" by proofs::sum_peel_last;
    "sum_reverse" by proofs::sum_reverse;
    "sum_rotate" by proofs::sum_rotate;
    "sum_split_at" by proofs::sum_split_at;
    "sum_split_plus" by proofs::sum_split_plus;
    "sum_stride" by proofs::sum_stride;
    "sum_tile_exact" by proofs::sum_tile_exact;
    "sum_tile_guarded" by proofs::sum_tile_guarded;
    "sum_tile_tail" by proofs::sum_tile_tail;
    "tile_of_gen_transpose";
    "transpose_of_concat";
    "transpose_of_gen";
    "transpose_of_gen_concat";
    "trunc_l_beyond_pad_l";
    "trunc_l_drops_concat";
    "trunc_l_fusion";
    "trunc_l_of_concat";
    "trunc_l_of_gen";
    "trunc_l_of_pad_l";
    "trunc_l_of_pad_r";
    "trunc_r_beyond_pad_r";
    "trunc_r_drops_concat";
    "trunc_r_fusion";
    "trunc_r_of_concat";
    "trunc_r_of_gen";
    "trunc_r_of_pad_l";
    "trunc_r_of_pad_r";
    "trunc_r_of_trunc_l";
    "unshear_shear_id";
}

mod proofs;
#[cfg(test)]
mod tests;
