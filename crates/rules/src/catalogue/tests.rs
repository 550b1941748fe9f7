//! Every theorem of the catalogue: it is proved, both ways, and needs what its file says.

use super::TABLE;
use crate::Cx;
use crate::schema::Direction;
use atl_arith::Arith;
use atl_kernel::Ix;

#[test]
fn every_theorem_is_proved_and_documented() {
    let mut wrong = Vec::new();
    for entry in &TABLE {
        let statement = entry.schema().statement().clone();
        let mut arith = Arith::default();
        let mut cx = Cx::new(statement.ctx.clone(), &mut arith);
        for (direction, from, to) in [
            (Direction::Forwards, &statement.lhs, &statement.rhs),
            (Direction::Backwards, &statement.rhs, &statement.lhs),
        ] {
            let sizes = statement.sizes.iter().map(|size| (&*size.name, Ix::free(size.level)));
            let names = entry.arguments(direction);
            let given: Vec<(&str, Ix)> = sizes.filter(|(n, _)| names.contains(n)).collect();
            match entry.schema().apply(&mut cx, from, direction, &given) {
                Err(error) => wrong.push(format!("{} {direction:?}: {error}", entry.name)),
                Ok(thm) if thm.rhs() != to => {
                    wrong.push(format!("{} {direction:?}: {:?}", entry.name, thm.rhs()));
                }
                Ok(thm) => {
                    let facts = [("Laws", thm.laws().to_string()), ("Rounding", thm.rounding().to_string())];
                    for (field, fact) in facts {
                        if direction == Direction::Forwards && entry.field(field).as_ref() != Some(&fact) {
                            wrong.push(format!("{}: **{field}.** {fact}", entry.name));
                        }
                    }
                }
            }
        }
        for field in ["Fails when", "Example", "See also"] {
            if entry.field(field).is_none() {
                wrong.push(format!("{}: no field {field}", entry.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_is_sorted() {
    assert!(TABLE.is_sorted_by_key(|entry| entry.name));
}
