//! `contract L [with n = k, ..] [as X, ..]`: a product under several sums, as a chain of contractions in the
//! cheapest order.
//!
//! **Statement.** `factor`, once for each step but the last, from the nest of sums that begins at `L`. The
//! intermediate tensors are called `X, ..` in the order in which they are computed, and `t`, `t_2` and so on
//! without names.
//! **Requires.** What `factor` requires. The cost is counted at the sizes of `with`, at assumed sizes
//! (`assume P == 8`), and else at one size for all; the theorem holds for all sizes.
//! **Fails when.** The cheapest order is the present one, or there are more than 16 sums.
//! **Example.** `contract l` of `sum l < P, m < P, n < P { a[i, l] * a[j, m] * a[k, n] * u[l, m, n] }` takes
//! three steps of `P * P * P * P` products instead of one of `P` to the sixth.
//! **See also.** `factor`, for an order of your own; `rfactor`.

use crate::args::{Args, index};
use crate::command::Command;
use crate::commands::factor::{Into, factor, several};
use crate::contraction::{Order, Product};
use crate::names::{fresh_name, unused_name};
use crate::nest::{Place, Sort, directly};
use crate::refusal::{Refusal, RefusedAt, wrong_arguments};
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::{Child, Cmp, Ctx, Expr, Ix, Node, Pred, Result as Kernel, Thm, Var};
use atl_lang::print::print_ix;
use atl_rules::Cx;
use atl_rules::conjuncts::conjuncts;
use atl_rules::occurrences::mentions;
use atl_rules::rules::sum_of_mul::factors;
use atl_syntax::Style;
use atl_syntax::ast::{LoopRef, Name, Step};
use std::collections::VecDeque;
use std::sync::Arc;

/// See the module.
pub static COMMAND: Command = Command {
    name: "contract",
    usage: "contract L [with n = k, ..] [as X, ..]",
    equation: "sum ... sum L. c * e  =  let X = gen ... sum L. e; sum ... c * X[..], in the cheapest order",
    run: |session, step| {
        let args = Args::new(step, COMMAND.usage, &["with", "as"])?;
        let target = args.one_loop()?;
        let found = directly(session.loops(&target)?, target.within.as_ref().map(|x| x.text.as_str()));
        let [top] = found.as_slice() else { return Err(several(&target.name, &found)) };
        if top.sort != Sort::Sum {
            return Err(Box::new(
                err!(E0365, target.name.span, "loop `{}` is no sum", target.name.text)
                    .label("nothing is added up here")
                    .help("name the outermost sum over the product"),
            ));
        }
        let given = sizes(session, step)?;
        let body = session.body.clone();
        let terms = Terms::of(&mut session.cx, &body, top).refused_at(step.span)?;
        let (order, notes) = terms.order(&given).ok_or_else(|| no_order(step.span, &terms))?;
        let names = names(session, step, order.len() - 1)?;
        let thm = chain(session, step.span, &target, &order, names)?;
        session.notes = notes;
        Ok(thm)
    },
};

/// Carry out the steps of an order but the last.
fn chain(
    session: &mut Session<'_>,
    span: Span,
    target: &LoopRef,
    order: &[Vec<Arc<str>>],
    names: Vec<Arc<str>>,
) -> Result<Thm, Refusal> {
    let body = session.body.clone();
    let mut thm = session.cx.refl(&body).refused_at(span)?;
    for (sums, name) in order.iter().zip(names) {
        let called = |sum: &Arc<str>| Name::new(sum.to_string(), target.name.span);
        let loops: Vec<LoopRef> =
            sums.iter().map(|sum| LoopRef { within: target.within.clone(), name: called(sum) }).collect();
        let next = factor(session, span, &loops, &Into { name, order: None, at: None })?;
        session.body = next.rhs().clone();
        thm = thm.trans(next).refused_at(span)?;
    }
    Ok(thm)
}

/// The sizes of a `with`, by the levels of the function's own.
fn sizes(session: &mut Session<'_>, step: &Step) -> Result<Vec<(u32, i64)>, Refusal> {
    let Some(clause) = step.clause("with") else { return Ok(Vec::new()) };
    let mut given = Vec::new();
    for arg in &clause.args {
        let wrong = || wrong_arguments(arg.span, COMMAND.usage);
        let name = arg.name.clone().ok_or_else(wrong)?;
        let Ix::Lit(value @ 1..) = index(session, &arg.value)? else { return Err(wrong()) };
        let size = atl_syntax::ast::Expr::new(atl_syntax::ast::ExprKind::Name(name.text), name.span);
        match index(session, &size)? {
            Ix::Var(Var::Free(level)) => given.push((level, value)),
            _ => return Err(wrong()),
        }
    }
    Ok(given)
}

/// So many names that nothing has.
fn names(session: &Session<'_>, step: &Step, count: usize) -> Result<Vec<Arc<str>>, Refusal> {
    let mut names: Vec<Arc<str>> = Vec::new();
    let given: VecDeque<_> = step.clause("as").map_or(VecDeque::new(), |clause| clause.args.iter().collect());
    if let Some(extra) = given.get(count) {
        return Err(Box::new(
            err!(E0368, extra.span, "there are {count} tensors to name in the cheapest order")
                .label("one name too many")
                .help("`factor` carries out an order of your own"),
        ));
    }
    for arg in given {
        names.push(fresh_name(session, arg, COMMAND.usage)?);
    }
    let numbered = std::iter::once("t".to_owned()).chain((2..).map(|k| format!("t_{k}")));
    let free = numbered.filter(|name| *unused_name(session, name) == **name);
    let more: Vec<Arc<str>> = free
        .map(|name| Arc::from(name.as_str()))
        .filter(|name| !names.contains(name))
        .take(count - names.len())
        .collect();
    names.extend(more);
    Ok(names)
}

/// A loop around a product: its name, its level and its range.
struct Around {
    name: Arc<str>,
    level: u32,
    extent: Ix,
}

/// A product, and what stands around it.
struct Terms {
    ctx: Arc<Ctx>,
    /// The sums from the one at hand inwards.
    sums: Vec<Around>,
    /// The loops outside of them.
    kept: Vec<Around>,
    /// The factors, and the parts of guards around the product, which are factors, too.
    factors: Vec<Vec<u32>>,
}

impl Terms {
    /// The product below the sums that begin at this place.
    fn of(cx: &mut Cx<'_>, body: &Expr, top: &Place) -> Kernel<Terms> {
        let (mut ctx, mut node) = (cx.ctx.clone(), body.clone());
        let (mut sums, mut kept, mut guards) = (Vec::new(), Vec::new(), Vec::new());
        let mut way: VecDeque<Child> = top.path.iter().copied().collect();
        loop {
            let outside = way.pop_front();
            let at = match (outside, &*node) {
                (Some(at), _) => at,
                (None, Node::Sum(..)) => Child::Body,
                (None, Node::Guard(p, _)) => {
                    guards.extend(conjuncts(p));
                    Child::Body
                }
                _ => break,
            };
            if let (Node::Gen(label, n, _) | Node::Sum(label, n, _), Child::Body) = (&*node, at) {
                let to = if outside.is_some() { &mut kept } else { &mut sums };
                to.push(Around { name: label.name.clone(), level: ctx.level(), extent: n.clone() });
            }
            let mut here = cx.within(ctx);
            let (inside, child) = here.enter(&node, at)?;
            (ctx, node) = (inside.ctx.clone(), child);
        }
        let levels = || kept.iter().chain(&sums).map(|a: &Around| a.level);
        let of_guards = guards.iter().map(|p| levels().filter(|l| p.mentions(*l)).collect());
        let of_factors = factors(&node).into_iter().map(|f| levels().filter(|l| mentions(&f, *l)).collect());
        let factors = of_factors.chain(of_guards).collect();
        Ok(Terms { ctx, sums, kept, factors })
    }

    /// The sums of each step of the cheapest order, if it has several steps, and why it is chosen.
    fn order(&self, given: &[(u32, i64)]) -> Option<(Vec<Vec<Arc<str>>>, Notes)> {
        let all: Vec<&Around> = self.sums.iter().chain(&self.kept).collect();
        let number = |level: &u32| all.iter().position(|a| a.level == *level);
        let product = Product {
            extents: all.iter().map(|a| range(&self.ctx, &a.extent, given)).collect(),
            sums: self.sums.len(),
            factors: self.factors.iter().map(|f| f.iter().filter_map(number).collect()).collect(),
        };
        let order = product.cheapest()?;
        let named = |step: &Vec<usize>| step.iter().map(|sum| self.sums[*sum].name.clone()).collect();
        (order.steps.len() > 1 && order.cost.operations < product.unfactored())
            .then(|| (order.steps.iter().map(named).collect(), self.notes(&all, &product, &order, given)))
    }

    /// The order and what it costs, next to what all sums at once do.
    fn notes(&self, all: &[&Around], product: &Product, order: &Order, given: &[(u32, i64)]) -> Notes {
        let named = |step: &Vec<usize>| {
            let names: Vec<&str> = step.iter().map(|sum| &*self.sums[*sum].name).collect();
            names.join(", ")
        };
        let steps: Vec<String> = order.steps.iter().map(named).collect();
        let monomial = |indices: &mut dyn Iterator<Item = usize>, factors: usize| {
            let extents: Vec<&Ix> = indices.map(|i| &all[i].extent).collect();
            self.monomial(&extents, factors)
        };
        let each = product.account(order);
        let each = each.iter().map(|(indices, factors)| monomial(&mut indices.iter().copied(), *factors));
        let cheapest = each.collect::<Vec<_>>().join(" + ");
        let at_once = monomial(&mut (0..all.len()), product.factors.len());
        let (found, before) = (order.cost.operations, product.unfactored());
        let sizes = self.sizes(all, given);
        vec![
            ("order", format!("{}: {cheapest} operations", steps.join("; then "))),
            (
                "cost",
                format!(
                    "at once there are {at_once}; {sizes}{found:.0} instead of {before:.0}, {:.1} times fewer",
                    before / found
                ),
            ),
        ]
    }

    /// `2 * E * n^3`: so many operations for each combination of indices with these ranges.
    fn monomial(&self, extents: &[&Ix], factors: usize) -> String {
        let mut number = i128::try_from(factors).unwrap_or(0);
        let mut powers: Vec<(String, usize)> = Vec::new();
        for extent in extents {
            let name = match extent {
                Ix::Lit(n) => {
                    number = number.saturating_mul(i128::from(*n));
                    continue;
                }
                other => print_ix(&self.ctx, other, Style::LINE),
            };
            match powers.iter_mut().find(|(known, _)| *known == name) {
                Some((_, power)) => *power += 1,
                None => powers.push((name, 1)),
            }
        }
        let powers = powers.into_iter().map(|(n, p)| if p == 1 { n } else { format!("{n}^{p}") });
        std::iter::once(number.to_string()).chain(powers).collect::<Vec<_>>().join(" * ")
    }

    /// The sizes at which the cost is counted: `with E = 64 and n = 8, `; nothing where all are numbers.
    fn sizes(&self, all: &[&Around], given: &[(u32, i64)]) -> String {
        let mut sizes: Vec<String> = Vec::new();
        for around in all.iter().filter(|around| !matches!(around.extent, Ix::Lit(_))) {
            let (name, n) =
                (print_ix(&self.ctx, &around.extent, Style::LINE), range(&self.ctx, &around.extent, given));
            let size = format!("{name} = {n}");
            if !sizes.contains(&size) {
                sizes.push(size);
            }
        }
        if sizes.is_empty() { String::new() } else { format!("with {}: ", sizes.join(", ")) }
    }
}

/// What is said of an order, by what it is about.
type Notes = Vec<(&'static str, String)>;

/// The size that is taken for those of which nothing is known.
const UNKNOWN: i64 = 64;

/// The range of an index where sizes are as given, as promised, or else all alike.
fn range(ctx: &Ctx, extent: &Ix, given: &[(u32, i64)]) -> u64 {
    let promised = |level: u32| {
        ctx.hypotheses().find_map(|(_, p)| match p {
            Pred::Cmp(Cmp::Eq, Ix::Var(Var::Free(l)), Ix::Lit(n)) if *l == level => Some(*n),
            _ => None,
        })
    };
    let value = |level: u32| {
        let given = given.iter().find(|(l, _)| *l == level).map(|(_, n)| *n);
        given.or_else(|| promised(level)).or(Some(UNKNOWN))
    };
    let range = atl_arith::eval_ix(extent, &value).unwrap_or(UNKNOWN);
    u64::try_from(range).unwrap_or(0).max(1)
}

/// The refusal where there is nothing to choose.
fn no_order(span: Span, terms: &Terms) -> Refusal {
    let (sums, factors) = (terms.sums.len(), terms.factors.len());
    let refusal = err!(E0368, span, "there is no cheaper order than the one that is there");
    Box::new(match sums > crate::contraction::MAX_SUMS {
        true => refusal
            .label(format!("{sums} sums"))
            .note(format!("at most {} are searched", crate::contraction::MAX_SUMS))
            .help("`factor` carries out an order of your own, sum by sum"),
        false if factors < 3 => refusal
            .label(format!("{sums} sums over {factors} factors"))
            .note("with less than three factors there is one order")
            .help("`contract` is for sums over three factors and more: leave it out, or `inline` a factor that is a sum itself"),
        false => refusal
            .label(format!("{sums} sums over {factors} factors"))
            .note(
                "the cost is counted at the sizes of `with`, at promised sizes, and else at one size for all",
            )
            .help("state the sizes that matter, as in `with M = 1000, N = 8`; or `factor` sum by sum"),
    })
}
