//! What could be done next: the loops and `let`s that directives name, and the rules that `rw` could apply.
//!
//! A rule is *tried*: a site is one where the kernel accepts it and the term changes. So nothing is offered
//! that would be refused, and side conditions are proved where the term stands. The search is bounded; what
//! it left out is said.

use super::Interactive;
use atl_arith::Arith;
use atl_kernel::{Expr, Ix, LoopKind, Node};
use atl_rules::{Cx, Named};
use atl_session::display;

/// Rules are tried at most at so many terms, the outermost first.
const MOST_TERMS: usize = 400;
/// What a rule's index arguments are while it is tried.
const ARGUMENT: i64 = 2;

/// A loop or a `let`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// What a directive calls it: `y`, or `bx/y` in the term of `let bx`.
    pub name: String,
    /// `gen y < N`, `sum k < K @parallel` or `let bx: f32[N, M]`.
    pub what: String,
    /// The loops around it, outermost first.
    pub inside: Vec<String>,
}

/// A rule that applies somewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applicable {
    /// The rule.
    pub rule: &'static str,
    /// Its index arguments, which `with` gives; they were tried with the value 2.
    pub args: &'static [&'static str],
    /// The terms that it would rewrite, each with the loops around it.
    pub sites: Vec<(String, Vec<String>)>,
}

impl Interactive {
    /// The loops and `let`s, in the order of the text.
    pub fn sites(&self) -> Vec<Site> {
        let mut sites = Vec::new();
        self.walk(usize::MAX, &mut |cx, e, around| {
            let (label, what) = match &**e {
                Node::Gen(label, n, _) => {
                    (label, format!("gen {} < {}", label.name, display::ix(&cx.ctx, n)))
                }
                Node::Sum(label, n, _) => {
                    (label, format!("sum {} < {}", label.name, display::ix(&cx.ctx, n)))
                }
                Node::Let(label, bound, _) => {
                    let ty = cx
                        .type_of(bound)
                        .map_or(String::new(), |ty| format!(": {}", display::ty(&cx.ctx, &ty)));
                    (label, format!("let {}{ty}", label.name))
                }
                _ => return,
            };
            let is_let = matches!(&**e, Node::Let(..));
            let name = match around.lets.last() {
                Some(bound) if !is_let => format!("{bound}/{}", label.name),
                _ => label.name.to_string(),
            };
            let kind = match label.kind {
                LoopKind::Serial => "",
                LoopKind::Parallel => " @parallel",
                LoopKind::Vector(_) => " @vectorize",
                LoopKind::Unroll => " @unroll",
                LoopKind::Search => " @search",
            };
            sites.push(Site { name, what: format!("{what}{kind}"), inside: around.loops.clone() });
        });
        sites
    }

    /// The rules that apply somewhere, by name.
    pub fn rules(&self) -> &[Applicable] {
        self.state().applicable.get_or_init(|| self.tried())
    }

    fn tried(&self) -> Vec<Applicable> {
        let wanted = atl_rules::names().into_iter();
        let named: Vec<(&str, Named)> =
            wanted.filter_map(|name| Some((name, atl_rules::by_name(name)?))).collect();
        let mut found: Vec<Applicable> = named
            .iter()
            .map(|(rule, named)| Applicable { rule, args: named.args(), sites: Vec::new() })
            .collect();
        self.walk(MOST_TERMS, &mut |cx, e, around| {
            for ((_, rule), applicable) in named.iter().zip(&mut found) {
                let args = vec![Ix::Lit(ARGUMENT); rule.args().len()];
                if rule.rewrite(cx, e, &args).is_ok_and(|thm| thm.rhs() != e) {
                    applicable.sites.push((display::expr(&cx.ctx, e), around.loops.clone()));
                }
            }
        });
        found.retain(|applicable| !applicable.sites.is_empty());
        found
    }

    /// Visits the terms of the body where they stand, outermost first, at most so many.
    fn walk(&self, most: usize, visit: &mut dyn FnMut(&mut Cx<'_>, &Expr, &Around)) {
        let mut arith = Arith::default();
        let mut cx = Cx::new(self.scheduled().function.ctx.clone(), &mut arith);
        let mut left = most;
        walk(&mut cx, self.scheduled().body(), &mut Around::default(), &mut left, visit);
    }
}

/// What stands around a term.
#[derive(Default)]
struct Around {
    loops: Vec<String>,
    /// The `let`s in whose terms it stands.
    lets: Vec<String>,
}

fn walk(
    cx: &mut Cx<'_>,
    e: &Expr,
    around: &mut Around,
    left: &mut usize,
    visit: &mut dyn FnMut(&mut Cx<'_>, &Expr, &Around),
) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    visit(cx, e, around);
    for at in e.children() {
        let (loops, lets) = (around.loops.len(), around.lets.len());
        match &**e {
            Node::Gen(label, ..) | Node::Sum(label, ..) => around.loops.push(label.name.to_string()),
            Node::Let(label, ..) if at == atl_kernel::Child::Bound => {
                around.lets.push(label.name.to_string())
            }
            _ => {}
        }
        // A child whose context cannot be entered is not visited.
        let _ = cx.child(e, at, |cx, child| {
            walk(cx, child, around, left, visit);
            Ok(None)
        });
        around.loops.truncate(loops);
        around.lets.truncate(lets);
    }
}
