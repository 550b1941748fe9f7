//! `guard_dup` and its kin: guards are conjunctions, and conjunctions are sets.
//!
//! **Statement.** `guard_dup`: `[p] * [p] * e = [p] * e`. `guard_comm`: `[p] * [q] * e = [q] * [p] * e`. `guard_absorb`:
//! `[p && q] * e = [p] * e` where `p` implies `q`. `guard_congr_eq`, `guard_congr_lt`, `guard_congr_le with a, b`:
//! `[p] * e = [a == b] * e`, and with `<`, `<=`, where both predicates are equivalent.
//! **Requires.** The implication, or the equivalence, given what holds around the guard.
//! **Fails when.** It is not proved; the term is not of this form. What `guard_absorb` drops is not in its right side:
//! put it back by `guard_congr_lt` and its kin.
//! **Example.** `[i < n && i < n + 1] * a[i]` becomes `[i < n] * a[i]` by `guard_absorb`.
//! **See also.** `guard_and`, which joins nested guards; `guard_true`, `guard_false`; `simplify guards`.

use crate::conjuncts::{conjunction, conjuncts, guard, with_guard};
use crate::cx::Cx;
use crate::derived::{Derived, Example, Inverse, no_match};
use crate::lets::{from_left, meet};
use atl_kernel::{Cmp, Expr, Ix, Node, Pred, Result, Rule, Thm};

/// Twice the same guard; see the module.
pub static DUP: Derived = Derived {
    name: "guard_dup",
    statement: "[p] * [p] * e  =  [p] * e",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N]) -> f32[N] { gen i < N { [i < 3] * [i < 3] * a[i] } }",
        args: &[],
    },
    rewrite: |cx, e, _| guard_dup(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| match &**e {
        Node::Guard(p, _) => from_left(cx, e, &guard(p.clone(), e), guard_dup),
        _ => no_match(DUP.name, "a guard", e),
    })),
};

/// Two guards change places; see the module.
pub static COMM: Derived = Derived {
    name: "guard_comm",
    statement: "[p] * [q] * e  =  [q] * [p] * e",
    requires: "nothing",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N]) -> f32[N] { gen i < N { [i < 3] * [1 <= i] * a[i] } }",
        args: &[],
    },
    rewrite: |cx, e, _| guard_comm(cx, e),
    inverse: Some(Inverse::plain(|cx, e, _| guard_comm(cx, e))),
};

/// Implied conjuncts are dropped; see the module.
pub static ABSORB: Derived = Derived {
    name: "guard_absorb",
    statement: "[p && q] * e  =  [p] * e  if p implies q",
    requires: "p implies q, given what holds around the guard",
    args: &[],
    example: Example {
        program: "fn f(a: f32[N]) -> f32[N] { gen i < N { [i < 3 && i < 5] * a[i] } }",
        args: &[],
    },
    rewrite: |cx, e, _| guard_absorb(cx, e),
    inverse: None,
};

/// Another predicate of the given form; see the module.
macro_rules! congruences {
    ($($rule:ident $name:literal $cmp:ident $statement:literal $program:literal $args:expr;)*) => {
        $(
            /// Another predicate of this form; see the module.
            pub static $rule: Derived = Derived {
                name: $name,
                statement: $statement,
                requires: "both predicates are equivalent, given what holds around the guard",
                args: &["a", "b"],
                example: Example { program: $program, args: $args },
                rewrite: |cx, e, args| with_guard(cx, e, compare(Cmp::$cmp, args)),
                inverse: None,
            };
        )*
    };
}

congruences! {
    CONGR_EQ "guard_congr_eq" Eq "[p] * e  =  [a == b] * e  if p and a == b are equivalent"
        "fn f(a: f32[N]) -> f32[N] { gen i < N { [3 <= 2] * a[i] } }" &[3, 2];
    CONGR_LT "guard_congr_lt" Lt "[p] * e  =  [a < b] * e  if p and a < b are equivalent"
        "fn f(a: f32[N]) -> f32[N] { gen i < N { [0 <= i] * a[i] } }" &[2, 3];
    CONGR_LE "guard_congr_le" Le "[p] * e  =  [a <= b] * e  if p and a <= b are equivalent"
        "fn f(a: f32[N]) -> f32[N] { gen i < N { [i < 0] * a[i] } }" &[3, 2];
}

fn compare(cmp: Cmp, args: &[Ix]) -> Pred {
    Pred::Cmp(cmp, args[0].clone(), args[1].clone())
}

fn guard_dup(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    match &**e {
        Node::Guard(p, body) if matches!(&**body, Node::Guard(q, _) if p == q) => {
            let one = cx.rule(Rule::GuardAnd, e)?;
            cx.then(one, |cx, e| with_guard(cx, e, p.clone()))
        }
        _ => no_match(DUP.name, "the same guard twice", e),
    }
}

fn guard_comm(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Guard(p, body) = &**e else { return no_match(COMM.name, "a guard", e) };
    let Node::Guard(q, inner) = &**body else { return no_match(COMM.name, "two guards", e) };
    let swapped = guard(q.clone(), &guard(p.clone(), inner));
    let here = cx.rule(Rule::GuardAnd, e)?;
    let there = cx.rule(Rule::GuardAnd, &swapped)?;
    meet(cx, here, there)
}

/// `[p && q] * e = [p] * e` without the conjuncts that the others imply.
pub fn guard_absorb(cx: &mut Cx<'_>, e: &Expr) -> Result<Thm> {
    let Node::Guard(p, _) = &**e else { return no_match(ABSORB.name, "a guard", e) };
    let mut parts = conjuncts(p);
    let before = parts.len();
    let mut at = parts.len();
    while at > 0 {
        at -= 1;
        let rest = conjunction(parts.iter().enumerate().filter(|(k, _)| *k != at).map(|(_, p)| p.clone()));
        if cx.assuming(rest).proves(&parts[at]) {
            parts.remove(at);
        }
    }
    if parts.len() == before {
        return no_match(ABSORB.name, "a guard with a conjunct that the others imply", e);
    }
    with_guard(cx, e, conjunction(parts))
}
