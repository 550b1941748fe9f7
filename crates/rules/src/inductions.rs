//! The premises of inductions, kept.
//!
//! The one idea: what an induction proves of an iteration does not depend on its value. A program that gives
//! several fields of one sum has the sum several times, with other values; its inductions are made once.

use atl_kernel::{Ctx, Expr, Iterate, Ix, State, Thm};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

/// How many are kept: the last ones.
const MOST: usize = 64;

/// The premises, for each state: how its family begins, and how it goes on.
pub(crate) type Premises = Vec<(Thm, Thm)>;

/// What was proved. Copies share it.
#[derive(Clone, Default, Debug)]
pub(crate) struct Inductions(Rc<RefCell<VecDeque<Known>>>);

#[derive(Debug)]
struct Known {
    ctx: Arc<Ctx>,
    extent: Ix,
    states: Vec<State>,
    family: Vec<Expr>,
    premises: Premises,
}

impl Inductions {
    /// The premises about this family and the states of this iteration, if they were proved.
    pub(crate) fn known(&self, ctx: &Ctx, it: &Iterate, family: &[Expr]) -> Option<Premises> {
        let is = |known: &&Known| {
            known.extent == it.extent
                && known.family == family
                && known.states == it.states
                && *known.ctx == *ctx
        };
        self.0.borrow().iter().find(is).map(|known| known.premises.clone())
    }

    /// Keep what was proved.
    pub(crate) fn keep(&self, ctx: &Arc<Ctx>, it: &Iterate, family: &[Expr], premises: &Premises) {
        let mut all = self.0.borrow_mut();
        if all.len() == MOST {
            all.pop_front();
        }
        let (extent, states) = (it.extent.clone(), it.states.clone());
        all.push_back(Known {
            ctx: ctx.clone(),
            extent,
            states,
            family: family.to_vec(),
            premises: premises.clone(),
        });
    }
}
