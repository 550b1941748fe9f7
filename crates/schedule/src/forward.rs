//! Where a place of the program is after a step: read off the record of the step's theorem.
//!
//! A theorem is built of primitive rules at places, by congruence. Congruence says what stays: outside the
//! path to the rewritten term nothing moves, and the term itself is still there, rewritten. Inside it, only
//! rules that keep a part whole say where it went ([`through`]); every other part is gone, and so is whatever
//! pointed into it.
//!
//! So a place survives exactly as far as the theorem says. Names of loops and `let`s are labels of binders,
//! which rules carry along by themselves; that they never disagree with the record is what the tests say.

use atl_kernel::{Child, Proof, Rule};

/// Which way an equation is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    LeftToRight,
    RightToLeft,
}

impl Way {
    fn reversed(self) -> Way {
        match self {
            Way::LeftToRight => Way::RightToLeft,
            Way::RightToLeft => Way::LeftToRight,
        }
    }
}

/// What stands at a place, for it to be the same place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// An equal term, perhaps rewritten.
    Term,
    /// The very node: a term that no rule was applied to.
    Node,
}

/// Where the term at this path of a theorem's left side stands in its right side; none where the record does
/// not say.
pub fn forward(proof: &Proof, path: &[Child]) -> Option<Vec<Child>> {
    follow(proof, Way::LeftToRight, What::Term, path.to_vec())
}

/// [`forward`], for a term whose top no rule was applied to: if it is a loop or a `let`, it still is one, of
/// that name.
pub fn kept(proof: &Proof, path: &[Child]) -> Option<Vec<Child>> {
    follow(proof, Way::LeftToRight, What::Node, path.to_vec())
}

/// Recurses as deep as terms nest; chains of equations, which may be long, are a list.
fn follow(proof: &Proof, way: Way, what: What, mut path: Vec<Child>) -> Option<Vec<Child>> {
    let mut left = vec![(proof, way)];
    while let Some((proof, way)) = left.pop() {
        match proof {
            Proof::Refl(..) => {}
            Proof::Sym(inner) => left.push((inner, way.reversed())),
            Proof::Trans(first, second) => match way {
                Way::LeftToRight => left.extend([(&**second, way), (&**first, way)]),
                Way::RightToLeft => left.extend([(&**first, way), (&**second, way)]),
            },
            Proof::Rule(Rule::ArithEq(_), ..) if what == What::Term => {}
            Proof::Rule(..) | Proof::Induction(..) if path.is_empty() => {
                if what == What::Node {
                    return None;
                }
            }
            Proof::Induction(..) => return None,
            Proof::Rule(rule, ..) => path = through(rule, way, path)?,
            Proof::Congruence(_, at, child, _) => {
                if path.first() == Some(at) {
                    let inside = follow(child, way, what, path.split_off(1))?;
                    path.extend(inside);
                }
            }
            Proof::Cases(_, holds, fails) => {
                let (one, other) = (follow(holds, way, what, path.clone())?, follow(fails, way, what, path)?);
                path = (one == other).then_some(one)?;
            }
        }
    }
    Some(path)
}

/// Where a part of a rewritten term goes.
fn through(rule: &Rule, way: Way, path: Vec<Child>) -> Option<Vec<Child>> {
    // What is left of the term: its part at this place.
    let kept = match rule {
        Rule::GuardTrue | Rule::LetInline => Child::Body,
        Rule::SelectTrue => Child::Then,
        Rule::SelectFalse => Child::Else,
        _ => return None,
    };
    match way {
        Way::LeftToRight => (path[0] == kept).then(|| path[1..].to_vec()),
        // A part of an inlined term may have come out of the body or out of what was bound.
        Way::RightToLeft if matches!(rule, Rule::LetInline) => None,
        Way::RightToLeft => Some([&[kept], path.as_slice()].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use atl_arith::Arith;
    use atl_diag::FileId;
    use atl_kernel::Thm;
    use atl_rules::Cx;

    /// `gen i < N { [0 <= i] * x[i] }` with its guard taken off.
    fn unguarded() -> Thm {
        let text = "fn f(x: f32[N]) -> f32[N] { gen i < N { [0 <= i] * x[i] } }";
        let parse = atl_syntax::parse_file(FileId(0), text);
        let mut prover = Arith::default();
        let (module, _) = atl_lang::elaborate(&parse.tree, &mut atl_lang::NoImports, &mut prover);
        let f = module.function("f").expect("the program is right");
        let mut cx = Cx::new(f.ctx.clone(), &mut prover);
        let step = cx.at(&f.body, &[Child::Body], &mut |cx, e| cx.rule(Rule::GuardTrue, e).map(Some));
        step.expect("the guard holds").expect("it is there")
    }

    fn check(thm: &Thm, path: &[Child], term: Option<&[Child]>, node: Option<&[Child]>) {
        assert_eq!(forward(thm.proof(), path).as_deref(), term, "{path:?}");
        assert_eq!(kept(thm.proof(), path).as_deref(), node, "{path:?}");
    }

    #[test]
    fn a_part_that_a_rule_keeps_moves_up() {
        use Child::Body;
        let thm = unguarded();
        check(&thm, &[], Some(&[]), Some(&[]));
        check(&thm, &[Body], Some(&[Body]), None);
        check(&thm, &[Body, Body], Some(&[Body]), Some(&[Body]));
        check(&thm, &[Body, Body, Body], Some(&[Body, Body]), Some(&[Body, Body]));
    }

    #[test]
    fn equations_are_followed_in_their_order_and_direction() {
        use Child::Body;
        let thm = unguarded();
        check(&thm.clone().sym(), &[Body, Body], Some(&[Body, Body, Body]), Some(&[Body, Body, Body]));
        let there_and_back = thm.clone().trans(thm.sym()).expect("the sides meet");
        // The element is where its guard was taken off and put on again.
        check(&there_and_back, &[Body, Body], Some(&[Body]), None);
        check(&there_and_back, &[Body, Body, Body], Some(&[Body, Body, Body]), Some(&[Body, Body, Body]));
    }
}
