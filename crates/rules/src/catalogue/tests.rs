//! Every theorem of the catalogue: it is proved, both ways, and needs what its file says.

use super::{Entry, TABLE, by_name};
use crate::Cx;
use crate::occurrences::mentions;
use crate::schema::{Direction, UNDETERMINED};
use atl_arith::Arith;
use atl_kernel::{Elem, Error, Ix, Rule, Scalar, Thm};
use atl_semirings::instances::PLUS_TIMES;

/// The theorem at its own statement over floats with ordinary sums, read this way; or why not.
fn read(entry: &'static Entry, direction: Direction) -> Result<Thm, String> {
    let statement = entry.schema().statement();
    let (ctx, lhs, rhs) = entry.schema().over(Elem { scalar: Scalar::F64, algebra: &PLUS_TIMES });
    let (from, to) = match direction {
        Direction::Forwards => (&lhs, &rhs),
        Direction::Backwards => (&rhs, &lhs),
    };
    let mut arith = Arith::default();
    let mut cx = Cx::new(ctx, &mut arith);
    let names = entry.arguments(direction);
    let sizes = statement.sizes.iter().filter(|size| names.contains(&&*size.name));
    let args: Vec<Ix> = sizes.map(|size| Ix::free(size.level)).collect();
    let thm = entry.rewrite(&mut cx, from, direction, &args).map_err(|e| e.to_string())?;
    // Anything may stand for a tensor that this side does not mention.
    let determined = statement.params.iter().all(|p| mentions(from, p.level) || !mentions(to, p.level));
    match thm.rhs() == to || !determined || cx.rule(Rule::ArithEq(to.clone()), thm.rhs()).is_ok() {
        true => Ok(thm),
        false => Err(format!("it gives {:?}", thm.rhs())),
    }
}

#[test]
fn every_theorem_is_proved_both_ways_and_needs_what_it_says() {
    let mut wrong = Vec::new();
    for entry in &TABLE {
        match read(entry, Direction::Forwards) {
            Err(why) => wrong.push(format!("{}: {why}", entry.name)),
            Ok(thm) => {
                let facts = [("Laws", thm.laws().to_string()), ("Rounding", thm.rounding().to_string())];
                for (field, fact) in
                    facts.iter().filter(|(field, fact)| entry.field(field).as_ref() != Some(fact))
                {
                    wrong.push(format!("{}: **{field}.** {fact}", entry.name));
                }
            }
        }
        if let Err(why) = read(entry, Direction::Backwards) {
            wrong.push(format!("{} backwards: {why}", entry.name));
        }
        let missing = ["Fails when", "Example", "See also"].into_iter().filter(|f| entry.field(f).is_none());
        wrong.extend(missing.map(|field| format!("{}: no field {field}", entry.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A theorem of two tensors at the left side of another, which has its form.
#[test]
fn what_a_term_leaves_open_is_given_or_refused() {
    let own = by_name("gen_of_add").expect("stated").schema().statement().clone();
    let entry = by_name("gen_split_plus").expect("stated");
    let mut arith = Arith::default();
    let mut cx = Cx::new(own.ctx.clone(), &mut arith);
    let open = entry.apply(&mut cx, &own.lhs, Direction::Forwards, &[]);
    assert!(matches!(open, Err(Error::Mismatch(what)) if what == UNDETERMINED), "{open:?}");
    let one = [("k", Ix::ONE)];
    let refused = entry.apply(&mut cx, &own.lhs, Direction::Forwards, &one);
    assert!(matches!(refused, Err(Error::Unproved(_))), "{refused:?}");
    let none = [("k", Ix::ZERO)];
    let given = entry.apply(&mut cx, &own.lhs, Direction::Forwards, &none).expect("divided");
    assert_eq!(given.lhs(), &own.lhs);
}

#[test]
fn names_are_unique() {
    let mut names = crate::names();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn the_table_is_sorted() {
    assert!(TABLE.is_sorted_by_key(|entry| entry.name));
}
