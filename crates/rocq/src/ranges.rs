//! What types say of the elements of arrays: in Rocq's certificates these are hypotheses for all integers,
//! after those of the context.
//!
//! The kernel knows the range of a type. Rocq has a function from the type's values to integers, of which a
//! file assumes the range; that an element is in it wherever it is read is the lemma `read_in_type`.

use crate::deep::BY_LEVEL;
use crate::error::{Refusal, Result};
use crate::prove::Export;
use crate::scope::{Scope, Side, Slot};
use crate::side::instance;
use atl_kernel::cert::Derive;
use atl_kernel::{Cert, Ix, Pred, Var};
use std::sync::Arc;

/// The certificate with instances for the ranges of types. The arrays, by level, of which these are used are
/// numbered after this many hypotheses, in the order of their first use.
pub(crate) fn as_instances(cert: &Cert, hypotheses: usize, arrays: &mut Vec<u32>) -> Cert {
    let mut again = |cert: &Cert| Box::new(as_instances(cert, hypotheses, arrays));
    match cert {
        Cert::Absurd(fact) => Cert::Absurd(*fact),
        Cert::Split(k, a, b) => Cert::Split(*k, again(a), again(b)),
        Cert::Case(p, a, b) => Cert::Case(p.clone(), again(a), again(b)),
        Cert::Step(Derive::Type(level, at), rest) => {
            if !arrays.contains(level) {
                arrays.push(*level);
            }
            let place = arrays.iter().position(|array| array == level).unwrap_or_default();
            let step = Derive::Instance(hypotheses + place, at.clone());
            Cert::Step(step, Box::new(as_instances(rest, hypotheses, arrays)))
        }
        Cert::Step(step, rest) => Cert::Step(step.clone(), again(rest)),
    }
}

impl Export<'_> {
    /// The hypothesis that the elements of an array are in the range of their type, and the proof that it
    /// holds in a context.
    pub(crate) fn range(&mut self, scope: &Scope, level: u32, context: &str) -> Result<(String, String)> {
        let Some(Slot::Tensor { name, ty, .. }) = scope.slots.get(level as usize).cloned() else {
            return Err(Refusal::Unknown("the range of an array that is not one of the context"));
        };
        let Some((least, greatest)) = ty.elem.scalar.index_range() else {
            return Err(Refusal::Unknown("the range of a type that has none"));
        };
        let rank = ty.shape.len();
        let at: Arc<[Ix]> = (0..).take(rank).map(|k| Ix::Var(Var::Bound(k))).collect();
        let element = Ix::Read(Var::Free(level), at);
        let sides = (Pred::le(Ix::Lit(least), element.clone()), Pred::le(element, Ix::Lit(greatest)));
        let hypothesis = format!("({rank}%nat, {})", BY_LEVEL.pred(&Pred::And(Arc::new(sides))));
        let (shape, to_int) =
            (self.needs.shape(scope, Side::Left, &ty.shape)?, self.needs.integer_of(ty.elem.scalar));
        let of_type = self.needs.range(ty.elem.scalar.name(), least, greatest);
        let variables: Vec<String> = (0..rank).map(|k| format!("y{k}")).collect();
        let indices = variables.join("; ");
        let function = match rank {
            0 => String::new(),
            _ => format!("fun {} => ", variables.join(" ")),
        };
        let proof = format!(
            "({function}read_in_type {shape} {to_int} {name} ({least}) ({greatest}) [{indices}] eq_refl {of_type})"
        );
        let holds = instance(context, &hypothesis, rank, &proof);
        Ok((hypothesis, holds))
    }
}
