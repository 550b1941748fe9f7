//! `stage a at L as X`, `stage a at L as X along M, ..`, `stage L as X`: read through a buffer, or compute
//! into one.
//!
//! **Statement.** `e(a[i])` = `let X = (gen t < w { a?[b + t] }); e(X[i - b])` in the body of loop `L`, or at
//! the root: the window from `b` of the `w` elements of the parameter or `let` `a` that one iteration reads.
//! `stage L as X` names the value of loop `L`: `e = let X = e; gen i { X[i] }`, and keeps a guard common to
//! all elements around them: `gen i { [p] * X[i] }`. `along M, ..` makes a dimension for each of these loops,
//! in this order: `let X = gen M { a[e(M)] }`.
//! **Requires.** With `along`: every read inside the loops is the same, and depends on no other loop inside
//! `L`. A dimension whose reads are not linear has no window, and keeps its whole extent. With indices,
//! `stage a[_, 0] at L as X`, only reads that match them use the buffer; `_` matches any index. Where a
//! loop that is accessed reads `a`, as `inline` leaves it, and all reads are meant, the access is carried
//! out first, if that makes the window less than `a`. A guard that
//! only keeps a read in bounds is dropped if the buffer extends beyond it, because the buffer holds zeros
//! there; it remains around elements that a truncation may drop.
//! **Fails when.** `a` is not read inside `L`, or not inside all of the loops `along`.
//! **Example.** `stage b at j.o as panel` copies a panel of a matrix once for each tile; `stage k as acc`
//! accumulates into a tile of its own, which `store acc in stack` keeps on the stack.
//! `stage x at p.o as columns along c, r, p.i` copies what each tap `r` of a convolution reads, so that no
//! read is shifted.
//! **See also.** `pack`, which also changes the layout of the buffer; `compute`, which does the same with a
//! producer's term.

use crate::accumulate::accumulate;
use crate::args::Args;
use crate::command::Command;
use crate::names::fresh_name;
use crate::nest::{Place, Sort, binders};
use crate::pattern::Pattern;
use crate::read_tensor::Tensor;
use crate::read_window::{Buffer, Guards};
use crate::refusal::{Refusal, list, wrong_arguments};
use crate::session::Session;
use crate::table::{Misfit, Table};
use atl_diag::{Span, err};
use atl_kernel::{Child, Entry, Expr, Node, Thm};
use atl_ops::Link;
use atl_rules::Step as Conversion;
use atl_rules::{Chain, Cx};
use atl_syntax::ast::{Argument, Clause, Expr as Ast, ExprKind};

/// See the module.
pub static COMMAND: Command = Command {
    name: "stage",
    usage: "stage a[_, ..] at L as X [along M, ..]",
    equation: "e(a[i])  =  let X = (gen t<w. a?[b+t]); e(X[i-b])",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["at", "as", "along"])?;
        let name = fresh_name(session, args.clause_arg("as")?, COMMAND.usage)?;
        let [source] = step.args.as_slice() else { return Err(wrong_arguments(step.span, COMMAND.usage)) };
        if let Some(along) = step.clause("along") {
            return tabulated(session, step.span, source, args.clause_arg("at")?, along, &name);
        }
        if step.clause("at").is_some() {
            return through(session, step.span, source, args.clause_arg("at")?, &name, &[], COMMAND.usage);
        }
        let places = session.loops(&args.one_loop()?)?;
        session.convert(step.span, &places, &mut |cx, e| accumulate(cx, e, &name))
    },
};

/// What is read through a buffer.
pub(crate) struct Source {
    name: String,
    /// Where it is bound: a `let`, or no place for a parameter.
    pub(crate) home: Option<Place>,
    /// The level of a parameter.
    pub(crate) level: u32,
}

/// Read the source through a buffer, laid out by these operators, in the body of each of these loops.
pub(crate) fn through(
    session: &mut Session<'_>,
    span: Span,
    source: &Argument,
    at: &Argument,
    name: &str,
    links: &[Link],
    usage: &'static str,
) -> Result<Thm, Refusal> {
    let (tensor, pattern) = match (&source.name, &source.value.kind) {
        (None, ExprKind::Access { base, .. }) => (base.as_name(), Some(&source.value)),
        _ => (source.as_name(), None),
    };
    let Some(tensor) = tensor else { return Err(wrong_arguments(source.span, usage)) };
    let found = resolve(session, &tensor.text, source.span)?;
    let scope: Vec<Child> =
        found.home.as_ref().map_or(vec![], |p| [p.path.as_slice(), &[Child::Body]].concat());
    let places: Vec<Vec<Child>> = if at.as_name().is_some_and(|n| n.text == "root") {
        vec![scope.clone()]
    } else {
        let Some(target) = at.as_loop() else { return Err(wrong_arguments(at.span, usage)) };
        let bodies =
            session.loops(&target)?.into_iter().map(|p| [p.path.as_slice(), &[Child::Body]].concat());
        bodies.filter(|p| p.starts_with(&scope)).collect()
    };
    let truncated = places.iter().any(|path| below_truncation(&session.body, path));
    let guards = if truncated { Guards::GoButOfElements } else { Guards::GoIntoBuffer };
    let staging = Staging { name, links, pattern, guards };
    let mut misfit = None;
    let top: &[Child] = found.home.as_ref().map_or(&[], |home| &home.path);
    let thm = session.convert_at(span, &[top], &mut |cx, e| {
        let step = match &found.home {
            None => staging.each(cx, e, found.level, &places, &mut misfit)?,
            Some(_) => {
                let level = cx.ctx.level();
                let below: Vec<Vec<Child>> = places.iter().map(|p| p[scope.len()..].to_vec()).collect();
                cx.child(e, Child::Body, |cx, e| staging.each(cx, e, level, &below, &mut misfit))?
            }
        };
        cx.total(e, step)
    })?;
    if let Some(op) = misfit {
        return Err(Box::new(
            err!(E0356, span, "`{op}` looks at more dimensions than `{}` has by then", found.name)
                .label("this layout does not fit")
                .help("`split(k)` makes two dimensions of one"),
        ));
    }
    if thm.lhs() == thm.rhs() {
        return Err(Box::new(
            err!(E0351, source.span, "`{}` is not read there", found.name)
                .label(if pattern.is_some() { "no read matches this" } else { "no read of it" })
                .help("choose a loop that reads it; `_` stands for any index"),
        ));
    }
    Ok(thm)
}

/// Read the source through a table along these loops, in the body of the loop `at`.
fn tabulated(
    session: &mut Session<'_>,
    span: Span,
    source: &Argument,
    at: &Argument,
    along: &Clause,
    name: &str,
) -> Result<Thm, Refusal> {
    let Some(tensor) = source.as_name() else { return Err(wrong_arguments(source.span, COMMAND.usage)) };
    let Source { home: None, level, name: tensor } = resolve(session, &tensor.text, source.span)? else {
        return Err(wrong_arguments(source.span, COMMAND.usage));
    };
    let Some(Entry::Tensor(_, ty)) = session.cx.ctx.entry(level) else {
        return Err(wrong_arguments(source.span, COMMAND.usage));
    };
    let rank = ty.shape.len();
    let Some(target) = at.as_loop() else { return Err(wrong_arguments(at.span, COMMAND.usage)) };
    let bodies: Vec<Vec<Child>> =
        session.loops(&target)?.into_iter().map(|p| [p.path.as_slice(), &[Child::Body]].concat()).collect();
    let mut named: Vec<Vec<Place>> = Vec::new();
    for arg in &along.args {
        let Some(l) = arg.as_loop() else { return Err(wrong_arguments(arg.span, COMMAND.usage)) };
        named.push(session.loops(&l)?);
    }
    if named.is_empty() || bodies.len() != 1 {
        return Err(wrong_arguments(along.span, COMMAND.usage));
    }
    let body = &bodies[0];
    let below = |places: &Vec<Place>| -> Vec<Vec<Child>> {
        places.iter().filter_map(|p| p.path.strip_prefix(body.as_slice()).map(<[Child]>::to_vec)).collect()
    };
    let loops: Vec<Vec<Vec<Child>>> = named.iter().map(below).collect();
    let mut misfit = None;
    let thm = session.convert_at(span, &[body.as_slice()], &mut |cx, e| match (Table {
        level,
        rank,
        name,
        along: &loops,
    })
    .bind(cx, e)?
    {
        Ok(thm) => Ok(thm),
        Err(why) => {
            misfit = Some(why);
            cx.refl(e)
        }
    })?;
    let refusal = match misfit {
        None => return Ok(thm),
        Some(Misfit::Unread) => err!(E0351, source.span, "`{tensor}` is not read inside all of these loops")
            .label("no read of it")
            .help("name loops around one and the same read"),
        Some(Misfit::Differs) => err!(E0351, source.span, "`{tensor}` is read in several ways there")
            .label("no one table has them all")
            .help("a window, without `along`, holds what all reads need"),
        Some(Misfit::Depends(label)) => err!(
            E0351,
            source.span,
            "what is read of `{tensor}` depends on the loop `{}` besides",
            label.name
        )
        .label("a table along the other loops would change with it")
        .help(format!("name `{}` too, or stage inside it", label.name)),
    };
    Err(Box::new(refusal))
}

/// What is made at each place.
struct Staging<'a> {
    name: &'a str,
    links: &'a [Link],
    pattern: Option<&'a Ast>,
    guards: Guards,
}

/// Does a truncation stand around the place at this path?
fn below_truncation(e: &Expr, path: &[Child]) -> bool {
    let truncates = matches!(&**e, Node::Op(op, ..) if ["trunc_l", "trunc_r"].contains(&op.name));
    let below = path.split_first().and_then(|(at, rest)| Some((e.child(*at)?, rest)));
    truncates || below.is_some_and(|(child, rest)| below_truncation(child, rest))
}

impl Staging<'_> {
    /// A buffer for the tensor at this level at each of these places, unless its layout does not fit.
    fn each(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        level: u32,
        places: &[Vec<Child>],
        misfit: &mut Option<&'static str>,
    ) -> Conversion {
        let mut chain = Chain::of(e);
        for path in places.iter().rev() {
            chain.apply(cx, |cx, now| {
                cx.at(now, path, &mut |cx, e| {
                    let buffer = self.buffer(level, None);
                    *misfit = buffer.misfit(cx);
                    match self.pattern {
                        _ if misfit.is_some() => Ok(None),
                        None => buffer.bind(cx, e),
                        Some(pattern) => self.matching(cx, e, &buffer, level, &Pattern::new(pattern)),
                    }
                })
            })?;
        }
        Ok(chain.done())
    }

    /// A buffer for the reads at the place at hand that match. Where all do, before and after accesses to
    /// loops are carried out, it is the one without a pattern; where only some do, they are meant where they
    /// stand.
    fn matching(
        &self,
        cx: &mut Cx<'_>,
        e: &Expr,
        every: &Buffer<'_>,
        level: u32,
        pattern: &Pattern<'_>,
    ) -> Conversion {
        let wanted = pattern.places(cx, e);
        let buffer = self.buffer(level, Some(wanted));
        if let Some((Some(carried), _)) = every.narrow_window(cx, e)? {
            let after = carried.rhs().clone();
            let wanted = pattern.places(cx, &after);
            let is_all = buffer.reads_as_much(cx, every, e)?;
            if is_all && self.buffer(level, Some(wanted)).reads_as_much(cx, every, &after)? {
                return every.bind(cx, e);
            }
        }
        buffer.bind(cx, e)
    }

    fn buffer(&self, level: u32, wanted: Option<Vec<Vec<Child>>>) -> Buffer<'_> {
        let (name, links, guards) = (self.name, self.links, self.guards);
        Buffer { tensor: Tensor::Variable(level), name, tag: 0, labels: vec![], wanted, links, guards }
    }
}

/// The `let` or the parameter with this name.
pub(crate) fn resolve(session: &Session<'_>, name: &str, span: Span) -> Result<Source, Refusal> {
    let homes: Vec<Place> = binders(&session.body)
        .into_iter()
        .filter(|p| p.sort == Sort::Let && &*p.label.name == name)
        .collect();
    let parameter = session.parameter(name);
    let source = |home, level| Ok(Source { name: name.to_owned(), home, level });
    match (homes.as_slice(), parameter) {
        ([home], _) => source(Some(home.clone()), 0),
        ([], Some(level)) => source(None, level),
        ([], None) => {
            let tensors = session.cx.ctx.entries().filter_map(|entry| match entry {
                Entry::Tensor(label, _) => Some(label.name.to_string()),
                _ => None,
            });
            let known: Vec<String> = tensors.collect();
            let is_sum = |p: &Place| p.sort == Sort::Sum && &*p.label.name == name;
            Err(Box::new(
                err!(E0305, span, "there is no parameter and no `let` called `{name}` here")
                    .label("nothing to read has this name")
                    .note(format!("the parameters are {}", list(&known)))
                    .help(match binders(&session.body).iter().any(is_sum) {
                        true => format!("`{name}` is a sum: `stage {name} as acc`, without `at`, gives it a tensor of its own"),
                        false => "name a parameter or a `let`".to_owned(),
                    }),
            ))
        }
        _ => Err(Box::new(
            err!(E0316, span, "`{name}` is computed at several places already")
                .label("which of them?")
                .help("stage it before `peel` or `unroll` makes copies"),
        )),
    }
}
