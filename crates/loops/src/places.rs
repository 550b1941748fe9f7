//! Intersections whose variables are places of arrays.
//!
//! ```text
//! intersect p in 0..pos[r + 1] - pos[r] at crd[p + pos[r]], ..  =  intersect p in pos[r]..pos[r + 1] at crd[p], ..
//! ```
//!
//! where `p` is used in no other way. The second takes fewer additions, which counts where a comparison of
//! what was read decides what is read next.

use crate::intersection::{Intersection, Partner, Sequence};
use crate::passes::{Rewrite, Substitute, rewrite_bool, rewrite_int, rewrite_stmt};
use crate::{Bool, Int, Name, Stmt, index::IntOp};
use std::cell::RefCell;
use std::collections::BTreeSet;

impl Intersection {
    /// The same over the places of all sequences, with this body, where all can be.
    pub fn over_places(&self, body: &Stmt) -> Option<(Intersection, Stmt)> {
        let (mut inside, mut body) = (bound(body), body.clone());
        let mut rests: Vec<_> = self.partners.iter().map(|partner| partner.rest.clone()).collect();
        let mut sequences = Vec::new();
        let given: Vec<&Sequence> = self.sequences().collect();
        for sequence in given.into_iter().rev() {
            let made = absolute(sequence, &inside, (&rests, &body))?;
            inside.insert(sequence.var.clone());
            sequences.push(made.0);
            (rests, body) = (made.1, made.2);
        }
        let first = sequences.pop()?;
        let partners = sequences.into_iter().rev().zip(rests);
        let partners = partners.map(|(sequence, rest)| Partner { sequence, rest }).collect();
        Some((Intersection { first, partners, strategy: self.strategy }, body))
    }
}

/// A sequence over its places, and the conditions and the body inside, if every use of its variable adds the
/// same term, which is also what the end is less by. That term hangs on nothing `inside`, and indices of
/// memory only on what is not stored to meanwhile: it is computed once, and no new sum arises.
fn absolute(
    sequence: &Sequence,
    inside: &BTreeSet<Name>,
    (rests, body): (&[Option<Bool>], &Stmt),
) -> Option<(Sequence, Vec<Option<Bool>>, Stmt)> {
    let Sequence { var, lo, hi, key } = sequence;
    let Int::Bin(IntOp::Sub, end, base) = hi else { return None };
    if *lo != Int::Lit(0) {
        return None;
    }
    let uses = Uses { var, base, place: Name::from(PLACE), others: RefCell::new(0) };
    let (key, rests, body) = rewritten(&uses, (key, rests, body));
    let others = uses.others.into_inner();
    let mut is_outside = true;
    base.for_each_var(&mut |name| is_outside &= name != var && !inside.contains(name));
    let place = Substitute { var: Name::from(PLACE), by: Int::Var(var.clone()) };
    (others == 0 && is_outside).then(|| {
        let (key, rests, body) = rewritten(&place, (&key, &rests, &body));
        let (lo, hi) = ((**base).clone(), (**end).clone());
        (Sequence { var: var.clone(), lo, hi, key }, rests, body)
    })
}

fn rewritten(
    rewrite: &impl Rewrite,
    (key, rests, body): (&Int, &[Option<Bool>], &Stmt),
) -> (Int, Vec<Option<Bool>>, Stmt) {
    let rest = |rest: &Option<Bool>| rest.as_ref().map(|rest| rewrite_bool(rewrite, rest));
    (rewrite_int(rewrite, key), rests.iter().map(rest).collect(), rewrite_stmt(rewrite, body))
}

/// No kernel has a variable of this name.
const PLACE: &str = "@place";

/// Puts a mark for the sum of the variable and its base, and counts what else the variable is used for.
struct Uses<'a> {
    var: &'a Name,
    base: &'a Int,
    place: Name,
    others: RefCell<i64>,
}

impl Rewrite for Uses<'_> {
    fn int(&self, int: Int) -> Int {
        match &int {
            Int::Var(name) if name == self.var => *self.others.borrow_mut() += 1,
            Int::Bin(IntOp::Add, a, b) if **a == Int::Var(self.var.clone()) && **b == *self.base => {
                *self.others.borrow_mut() -= 1;
                return Int::Var(self.place.clone());
            }
            _ => {}
        }
        int
    }
}

impl Stmt {
    /// Does a term of this statement, or of one inside it, mention the variable?
    pub fn mentions(&self, var: &Name) -> bool {
        rewrite_stmt(&Substitute { var: var.clone(), by: Int::Lit(0) }, self) != *self
    }
}

/// The variables that are bound in a statement.
pub(crate) fn bound(stmt: &Stmt) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    stmt.for_each(&mut |stmt| {
        names.extend(stmt.variables().cloned());
        if let Stmt::Merge { runs, .. } = stmt {
            names.extend(runs.iter().flat_map(|run| [run.place.clone(), run.has.clone()]));
        }
    });
    names
}

#[cfg(test)]
mod tests {
    use crate::{Kernel, Stmt, parse_kernel};

    /// An intersection with entries of a row of `pos`, over its places.
    fn shown(inside: &str) -> Option<String> {
        let text = format!(
            "kernel f(N, M) in i64 pos[N] in i32 crd[M] out i64 y[] {{ reset y = 0i64
               for r in 0..N - 1 {{ intersect p in 0..pos[r + 1] - pos[r] at crd[p + pos[r]], q in 0..M - pos[1] at crd[q + pos[1]] {{ {inside} }} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap();
        let mut found = None;
        kernel.body.for_each(&mut |stmt| {
            if let Stmt::Intersection { intersection, body } = stmt {
                found = intersection
                    .over_places(body)
                    .map(|(intersection, body)| Stmt::Intersection { intersection, body: Box::new(body) });
            }
        });
        let text = Kernel { body: found?, ..kernel }.to_string();
        Some(text.split_once("{\n").unwrap().1.replace(char::is_whitespace, ""))
    }

    #[test]
    fn what_is_added_each_time_becomes_where_a_sequence_begins() {
        let over = |inside| shown(inside).unwrap();
        let head = "intersectpinpos[r]..pos[r+1]atcrd[p],qinpos[1]..Matcrd[q]";
        assert_eq!(
            over("if crd[p + pos[r]] == 3 { y += int(p + pos[r]) }"),
            format!("{head}{{ifcrd[p]==3{{y+=int(p)}}}}}}")
        );
        assert_eq!(
            over("for s in 0..crd[p + pos[r] + 1] - crd[q + pos[1]] { y += int(s) }"),
            format!("{head}{{forsin0..crd[p+1]-crd[q]{{y+=int(s)}}}}}}")
        );
        assert_eq!(over("y += 1i64"), format!("{head}{{y+=1i64}}}}"));
    }

    #[test]
    fn what_is_used_otherwise_stays() {
        assert_eq!(shown("y += int(p)"), None);
        assert_eq!(shown("y += int(q)"), None);
        assert_eq!(shown("y += int(p + pos[r]) + int(p)"), None);
        assert_eq!(shown("y += int(p + pos[0])"), None);
        assert_eq!(shown("y += int(p + pos[r] * 2)"), None);
    }
}
