//! Every rule that has an inverse leads back from its own example, to a term from which it leads there again; and both
//! sides have one value.

use atl_arith::Arith;
use atl_driver::Program;
use atl_kernel::{Expr, Ix, Rule, Thm};
use atl_rules::{Cx, Derived, Inverse};
use atl_testkit::choices::Choices;
use atl_testkit::oracle::{Point, replay};
use atl_testkit::subterms::places;

/// The theorem replays, and its sides agree at random points.
fn holds(thm: &Thm, choices: &mut Choices) -> Result<(), String> {
    replay(thm)?;
    (0..5).filter_map(|_| Point::random(thm.ctx(), choices)).try_for_each(|point| point.theorem(thm))
}

/// One term up to index arithmetic.
fn alike(cx: &mut Cx<'_>, a: &Expr, b: &Expr) -> bool {
    a == b || cx.rule(Rule::ArithEq(b.clone()), a).is_ok()
}

/// There and back, to a term that leads there again, at every place of the rule's example where it applies; how many there were.
fn there_and_back(rule: &Derived, inverse: &Inverse, choices: &mut Choices) -> Result<usize, String> {
    let program = Program::parse("example.atl", rule.example.program).map_err(|e| e.to_string())?;
    let f = &program.functions()[0];
    let literals = |args: &[i64]| args.iter().map(|k| Ix::Lit(*k)).collect::<Vec<_>>();
    let forwards = literals(rule.example.args);
    let mut arith = Arith::default();
    let mut tried = 0;
    for place in places(&f.ctx, &f.body, &mut arith) {
        let mut cx = Cx::new(place.ctx.clone(), &mut arith);
        let Ok(thm) = (rule.rewrite)(&mut cx, &place.expr, &forwards) else { continue };
        holds(&thm, choices)?;
        let back = (inverse.rewrite)(&mut cx, thm.rhs(), &literals(inverse.example))
            .map_err(|e| format!("backwards: {e}\nat {:?}", thm.rhs()))?;
        holds(&back, choices)?;
        let again = (rule.rewrite)(&mut cx, back.rhs(), &forwards);
        let same = again.is_ok_and(|again| alike(&mut cx, again.rhs(), thm.rhs()));
        if back.lhs() != thm.rhs() || !same {
            return Err(format!(
                "leads from {:?}\nto {:?}\nand back to {:?}",
                thm.lhs(),
                thm.rhs(),
                back.rhs()
            ));
        }
        tried += 1;
    }
    if tried == 0 { Err("does not apply to its example".to_owned()) } else { Ok(tried) }
}

#[test]
fn inverses_lead_back_from_the_examples() {
    let mut choices = Choices::new(11);
    let with_inverse =
        atl_rules::rules::TABLE.iter().filter_map(|rule| rule.inverse.as_ref().map(|i| (rule, i)));
    let wrong: Vec<String> = with_inverse
        .filter_map(|(rule, inverse)| match there_and_back(rule, inverse, &mut choices) {
            Ok(_) => None,
            Err(why) => Some(format!("`{}` {why}", rule.name)),
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
