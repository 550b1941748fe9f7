//! A term made ready for evaluation: every variable a level, every node with its type.
//!
//! Binders are opened once, each with the level that it has wherever it is evaluated: the number of
//! variables around it. A defined operator becomes a call of its definition, whose tensor parameters are
//! the arguments by name. Types are inferred as in the kernel, but not checked: equality of shapes is
//! looked at when there are values.

use crate::env::{Env, Slot};
use crate::error::{EvalError, Result};
use crate::until::until;
use atl_kernel::subst::{Subst, open, open_all};
use atl_kernel::{Definition, Elem, Expr, Iterate, Ix, Node, Number, Pred, Prim, Scalar, Var};
use atl_semirings::{Op, Ops};
use std::sync::Arc;

/// A node, its element type with what that means, and its extents.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) elem: Elem,
    pub(crate) ops: Ops,
    pub(crate) shape: Vec<Ix>,
    pub(crate) form: Form,
}

/// The constructors of terms. A child below a binder has one variable more.
#[derive(Debug)]
pub(crate) enum Form {
    Var(u32),
    Lit(Number),
    Index(Ix),
    Gen(Ix, Box<Plan>),
    Sum(Ix, Box<Plan>),
    Guard(Pred, Box<Plan>),
    Select(Pred, Box<Plan>, Box<Plan>),
    Let(Box<Plan>, Box<Plan>),
    Iterate(Box<Rounds>),
    Get(Box<Plan>, Ix),
    /// The algebra's addition or multiplication.
    Algebra(Op, Vec<Plan>),
    /// Any other pointwise operation.
    Prim(Prim, Vec<Plan>),
    View(Box<Plan>),
    /// Several results, each with a type of its own.
    Bundle(Vec<Plan>),
    /// The body, in which the arguments, by name, are the next variables.
    Call(Vec<Arc<Plan>>, Box<Plan>),
}

/// An iteration.
#[derive(Debug)]
pub(crate) struct Rounds {
    /// How many there are at most.
    pub(crate) extent: Ix,
    /// The start and the step of each state.
    pub(crate) states: Vec<(Plan, Plan)>,
    /// The state after which no round changes the value, once it is 1.
    pub(crate) until: Option<usize>,
    pub(crate) body: Plan,
}

/// What a term may cost before it is evaluated.
pub(crate) struct Size {
    /// Nodes left, of terms, index terms and predicates; shared parts count each time.
    pub(crate) nodes: usize,
    /// How deep a term may nest.
    pub(crate) depth: usize,
}

/// The plan of a term in an environment.
pub(crate) fn plan<V>(env: &Env<V>, e: &Expr, size: Size) -> Result<Plan> {
    let slot_type = |slot: &Slot<V>| match slot {
        Slot::Tensor(t) => {
            let extent = |n: &usize| i64::try_from(*n).map(Ix::Lit).map_err(|_| EvalError::TooLarge);
            Ok(Some((t.elem(), t.shape().iter().map(extent).collect::<Result<_>>()?)))
        }
        _ => Ok(None),
    };
    let types = env.slots.iter().map(slot_type).collect::<Result<_>>()?;
    let mut planner = Planner { types, nodes: size.nodes };
    planner.measure(e, size.depth)?;
    planner.plan(e, size.depth)
}

struct Planner {
    /// The types of the variables in scope; `None` for those that are no tensors.
    types: Vec<Option<(Elem, Vec<Ix>)>>,
    nodes: usize,
}

impl Planner {
    fn plan(&mut self, e: &Expr, depth: usize) -> Result<Plan> {
        let depth = depth.checked_sub(1).ok_or(EvalError::TooDeep)?;
        let (elem, shape, form) = match &**e {
            Node::Var(v) => {
                let level = match v {
                    Var::Free(level) => *level,
                    Var::Bound(_) => return Err(EvalError::Unbound(*v)),
                };
                match self.types.get(level as usize) {
                    Some(Some((elem, shape))) => (*elem, shape.clone(), Form::Var(level)),
                    _ => return Err(EvalError::Unbound(*v)),
                }
            }
            Node::Lit(elem, number) => (*elem, vec![], Form::Lit(*number)),
            Node::Index(elem, ix) => (*elem, vec![], Form::Index(ix.clone())),
            Node::Gen(_, n, body) | Node::Sum(_, n, body) => {
                let level = self.level()?;
                let body = self.under(None, body, depth)?;
                if body.shape.iter().any(|n| n.mentions(level)) {
                    return Err(EvalError::Shape);
                }
                let (elem, mut shape, body) = (body.elem, body.shape.clone(), Box::new(body));
                if matches!(**e, Node::Sum(..)) {
                    (elem, shape, Form::Sum(n.clone(), body))
                } else {
                    shape.insert(0, n.clone());
                    (elem, shape, Form::Gen(n.clone(), body))
                }
            }
            Node::Guard(p, body) => {
                let body = self.plan(body, depth)?;
                (body.elem, body.shape.clone(), Form::Guard(p.clone(), Box::new(body)))
            }
            Node::Select(p, a, b) => {
                let (a, b) = (self.plan(a, depth)?, self.plan(b, depth)?);
                (a.elem, a.shape.clone(), Form::Select(p.clone(), Box::new(a), Box::new(b)))
            }
            Node::Let(_, bound, body) => {
                let bound = self.plan(bound, depth)?;
                let body = self.under(Some((bound.elem, bound.shape.clone())), body, depth)?;
                (body.elem, body.shape.clone(), Form::Let(Box::new(bound), Box::new(body)))
            }
            Node::Iterate(it) => self.iteration(it, depth)?,
            Node::Get(array, ix) => {
                let array = self.plan(array, depth)?;
                let shape = array.shape.get(1..).ok_or(EvalError::Shape)?.to_vec();
                (array.elem, shape, Form::Get(Box::new(array), ix.clone()))
            }
            Node::Prim(prim, args) => {
                let args = args.iter().map(|a| self.plan(a, depth)).collect::<Result<Vec<_>>>()?;
                self.pointwise(*prim, args)?
            }
            Node::View(algebra, body) => {
                let body = self.plan(body, depth)?;
                let elem = Elem { algebra: algebra.0, ..body.elem };
                (elem, body.shape.clone(), Form::View(Box::new(body)))
            }
            Node::Op(def, ixs, args) => self.call(def, ixs, args, depth)?,
            Node::Bundle(_, parts) => {
                let parts = parts.iter().map(|part| self.plan(part, depth)).collect::<Result<Vec<_>>>()?;
                // Nothing is made of the whole but its parts.
                let first = parts.first().ok_or(EvalError::Shape)?;
                (first.elem, vec![], Form::Bundle(parts))
            }
        };
        let semiring = atl_semirings::of(elem.algebra);
        let ops = semiring.and_then(|s| s.on(elem.scalar)).ok_or(EvalError::NoMeaning(elem))?;
        Ok(Plan { elem, ops, shape, form })
    }

    fn level(&self) -> Result<u32> {
        u32::try_from(self.types.len()).map_err(|_| EvalError::TooDeep)
    }

    /// The plan of a binder's body, whose variable is a tensor of this type, or an index.
    fn under(&mut self, ty: Option<(Elem, Vec<Ix>)>, body: &Expr, depth: usize) -> Result<Plan> {
        let body = open(body, self.level()?);
        self.types.push(ty);
        let plan = self.plan(&body, depth);
        self.types.pop();
        plan
    }

    /// The states stand before the new ones of a round, and those before its index.
    fn iteration(&mut self, it: &Iterate, depth: usize) -> Result<(Elem, Vec<Ix>, Form)> {
        let inits = it.states.iter().map(|s| self.plan(&s.init, depth)).collect::<Result<Vec<_>>>()?;
        let (outside, states) = (self.types.len(), it.states.len());
        let level = self.level()?;
        let types: Vec<_> = inits.iter().map(|init| Some((init.elem, init.shape.clone()))).collect();
        self.types.extend(types.iter().cloned());
        let (mut steps, mut opened) = (Vec::new(), Vec::new());
        for (state, ty) in it.states.iter().zip(&types) {
            self.types.push(None);
            let binders = u32::try_from(self.types.len() - outside).map_err(|_| EvalError::TooDeep)?;
            let step = open_all(&state.step, level, binders);
            let plan = self.plan(&step, depth);
            self.types.pop();
            steps.push(plan?);
            opened.push(step);
            self.types.push(ty.clone());
        }
        self.types.truncate(outside + states);
        let binders = u32::try_from(states).map_err(|_| EvalError::TooDeep)?;
        let opened_body = open_all(&it.body, level, binders);
        let body = self.plan(&opened_body, depth);
        self.types.truncate(outside);
        let body = body?;
        if body.shape.iter().any(|n| (level..level + binders).any(|state| n.mentions(state))) {
            return Err(EvalError::Shape);
        }
        let until = until(level, &opened, &opened_body);
        let states = inits.into_iter().zip(steps).collect();
        let (elem, shape) = (body.elem, body.shape.clone());
        let rounds = Rounds { extent: it.extent.clone(), states, until, body };
        Ok((elem, shape, Form::Iterate(Box::new(rounds))))
    }

    fn pointwise(&self, prim: Prim, args: Vec<Plan>) -> Result<(Elem, Vec<Ix>, Form)> {
        let ill_typed = || EvalError::IllTyped(prim);
        if args.len() != prim.arity() {
            return Err(ill_typed());
        }
        let first = args.first().ok_or_else(ill_typed)?;
        let shape = first.shape.clone();
        let elem = match prim {
            Prim::Cast(to) => to,
            Prim::Where => args[1].elem,
            Prim::Eq | Prim::Lt | Prim::Le => Elem { scalar: Scalar::Bool, ..first.elem },
            _ => first.elem,
        };
        let form = match prim {
            Prim::Add => Form::Algebra(first.ops.add, args),
            Prim::Mul => Form::Algebra(first.ops.mul, args),
            _ => Form::Prim(prim, args),
        };
        Ok((elem, shape, form))
    }

    /// A defined operator: its body, with the index arguments and the extents that it names in place, and
    /// new variables for the tensors.
    fn call(
        &mut self,
        def: &Definition,
        ixs: &[Ix],
        args: &[Expr],
        depth: usize,
    ) -> Result<(Elem, Vec<Ix>, Form)> {
        if ixs.len() != def.index_params as usize || args.len() != def.tensor_params.len() {
            return Err(EvalError::Shape);
        }
        self.measure(&def.body, depth)?;
        let outside = self.types.len();
        let mut subst = Subst::default();
        subst.index.extend((0..).zip(ixs.iter().cloned()));
        let args = args.iter().map(|a| self.plan(a, depth)).collect::<Result<Vec<_>>>()?;
        for (k, arg) in args.iter().enumerate() {
            let named = def.tensor_params[k];
            let extents = arg.shape.get(..named as usize).ok_or(EvalError::Shape)?;
            let parameter = def.tensor_level(k);
            subst.index.extend((parameter - named..).zip(extents.iter().cloned()));
            subst.tensor.push((parameter, Arc::new(Node::Var(Var::Free(self.level()?)))));
            self.types.push(Some((arg.elem, arg.shape.clone())));
        }
        let body = self.plan(&subst.expr(&def.body), depth);
        self.types.truncate(outside);
        let body = body?;
        // Extents are all that grows by substitution.
        body.shape.iter().try_for_each(|n| self.measure_ix(n, depth))?;
        let args = args.into_iter().map(Arc::new).collect();
        Ok((body.elem, body.shape.clone(), Form::Call(args, Box::new(body))))
    }

    /// Refuse a term that nests too deeply or is too large.
    fn measure(&mut self, e: &Expr, depth: usize) -> Result<()> {
        let depth = self.count(depth)?;
        match &**e {
            Node::Gen(_, ix, _) | Node::Sum(_, ix, _) | Node::Get(_, ix) | Node::Index(_, ix) => {
                self.measure_ix(ix, depth)?;
            }
            Node::Guard(p, _) | Node::Select(p, ..) => self.measure_pred(p, depth)?,
            Node::Op(_, ixs, _) => ixs.iter().try_for_each(|ix| self.measure_ix(ix, depth))?,
            Node::Iterate(it) => self.measure_ix(&it.extent, depth)?,
            _ => {}
        }
        e.children().filter_map(|at| e.child(at)).try_for_each(|child| self.measure(child, depth))
    }

    fn measure_ix(&mut self, ix: &Ix, depth: usize) -> Result<()> {
        let depth = self.count(depth)?;
        match ix {
            Ix::Lit(_) | Ix::Var(_) => Ok(()),
            Ix::Bin(_, ab) => {
                self.measure_ix(&ab.0, depth)?;
                self.measure_ix(&ab.1, depth)
            }
            Ix::Read(_, at) => at.iter().try_for_each(|i| self.measure_ix(i, depth)),
        }
    }

    fn measure_pred(&mut self, p: &Pred, depth: usize) -> Result<()> {
        let depth = self.count(depth)?;
        match p {
            Pred::True | Pred::False => Ok(()),
            Pred::Cmp(_, a, b) => {
                self.measure_ix(a, depth)?;
                self.measure_ix(b, depth)
            }
            Pred::Not(p) => self.measure_pred(p, depth),
            Pred::And(pq) | Pred::Or(pq) => {
                self.measure_pred(&pq.0, depth)?;
                self.measure_pred(&pq.1, depth)
            }
        }
    }

    /// One more node; the depth that remains below it.
    fn count(&mut self, depth: usize) -> Result<usize> {
        self.nodes = self.nodes.checked_sub(1).ok_or(EvalError::TooLarge)?;
        depth.checked_sub(1).ok_or(EvalError::TooDeep)
    }
}
