//! Rewriting all terms of a kernel from the leaves up.

use crate::intersection::{Intersection, Partner, Sequence};
use crate::lanes::Vectors;
use crate::search::{How, Search};
use crate::{Bool, BufferParam, Init, Int, Kernel, LoopKind, Name, Stmt, Val};

/// What happens at each node, after its parts have been rewritten.
pub(crate) trait Rewrite {
    /// At an index term.
    fn int(&self, int: Int) -> Int;

    /// Is the loop over this variable still one?
    fn keeps(&self, _: &Name) -> bool {
        true
    }

    /// At a predicate.
    fn bool(&self, bool: Bool) -> Bool {
        bool
    }

    /// At a value.
    fn val(&self, val: Val) -> Val {
        val
    }

    /// At a statement.
    fn stmt(&self, stmt: Stmt) -> Stmt {
        stmt
    }
}

pub(super) fn rewrite_kernel(rewrite: &impl Rewrite, kernel: &Kernel) -> Kernel {
    let params = kernel
        .params
        .iter()
        .map(|param| BufferParam { extents: rewrite_ints(rewrite, &param.extents), ..param.clone() });
    Kernel {
        name: kernel.name.clone(),
        sizes: kernel.sizes.clone(),
        params: params.collect(),
        requires: kernel.requires.iter().map(|requirement| rewrite_bool(rewrite, requirement)).collect(),
        // A shorter requirement may read less, and hold where this one does not.
        requires_all: kernel.requires_all.clone(),
        body: rewrite_stmt(rewrite, &kernel.body),
    }
}

fn rewrite_ints(rewrite: &impl Rewrite, ints: &[Int]) -> Vec<Int> {
    ints.iter().map(|int| rewrite_int(rewrite, int)).collect()
}

pub(crate) fn rewrite_int(rewrite: &impl Rewrite, int: &Int) -> Int {
    rewrite.int(match int {
        Int::Lit(_) | Int::Var(_) => int.clone(),
        Int::Bin(op, a, b) => Int::bin(*op, rewrite_int(rewrite, a), rewrite_int(rewrite, b)),
        Int::Load(buf, cell) => Int::load(buf.clone(), rewrite_int(rewrite, cell)),
    })
}

pub(crate) fn rewrite_bool(rewrite: &impl Rewrite, bool: &Bool) -> Bool {
    rewrite.bool(match bool {
        Bool::Lit(_) => bool.clone(),
        Bool::Cmp(op, a, b) => Bool::Cmp(*op, rewrite_int(rewrite, a), rewrite_int(rewrite, b)),
        Bool::And(a, b) => rewrite_bool(rewrite, a).and(rewrite_bool(rewrite, b)),
        Bool::Or(a, b) => rewrite_bool(rewrite, a).or(rewrite_bool(rewrite, b)),
        Bool::Not(a) => rewrite_bool(rewrite, a).negate(),
    })
}

pub(crate) fn rewrite_val(rewrite: &impl Rewrite, val: &Val) -> Val {
    let at = |val: &Val| rewrite_val(rewrite, val);
    rewrite.val(match val {
        Val::Lit(_) => val.clone(),
        Val::Load { buf, index } => Val::load(buf.clone(), rewrite_int(rewrite, index)),
        Val::OfInt(int) => Val::OfInt(rewrite_int(rewrite, int)),
        Val::Un(op, a) => Val::un(*op, at(a)),
        Val::Bin(op, a, b) => Val::bin(*op, at(a), at(b)),
        Val::Call(function, operands) => Val::call(*function, operands.iter().map(at).collect()),
        Val::Cmp(op, a, b) => Val::cmp(*op, at(a), at(b)),
        Val::Select { cond, then, otherwise } => {
            Val::select(rewrite_bool(rewrite, cond), at(then), at(otherwise))
        }
        Val::Choose { cond, then, otherwise } => Val::select_val(at(cond), at(then), at(otherwise)),
        Val::Convert { to, val } => Val::convert(*to, at(val)),
    })
}

fn rewrite_init(rewrite: &impl Rewrite, init: &Init) -> Init {
    match init {
        Init::Uninit => Init::Uninit,
        Init::Value(value) => Init::Value(rewrite_val(rewrite, value)),
    }
}

/// The head of an intersection; none where a sequence has no keys any more, or what else must hold is decided.
fn rewrite_intersection(rewrite: &impl Rewrite, head: &Intersection) -> Option<Intersection> {
    let sequence = |Sequence { var, lo, hi, key }: &Sequence| {
        let [lo, hi, key] = [lo, hi, key].map(|term| rewrite_int(rewrite, term));
        key.mentions(var).then(|| Sequence { var: var.clone(), lo, hi, key })
    };
    let partner = |Partner { sequence: given, rest }: &Partner| {
        let rest = rest.as_ref().map(|rest| rewrite_bool(rewrite, rest));
        let is_open = !matches!(rest, Some(Bool::Lit(_)));
        is_open.then_some(Partner { sequence: sequence(given)?, rest })
    };
    let partners = head.partners.iter().map(partner).collect::<Option<_>>()?;
    Some(Intersection { first: sequence(&head.first)?, partners, strategy: head.strategy })
}

pub(crate) fn rewrite_stmt(rewrite: &impl Rewrite, stmt: &Stmt) -> Stmt {
    rewrite.stmt(match stmt {
        Stmt::Seq(stmts) => Stmt::seq(stmts.iter().map(|stmt| rewrite_stmt(rewrite, stmt))),
        Stmt::For { var, lo, hi, kind, body } => {
            let body = rewrite_stmt(rewrite, body);
            let kind = match kind {
                LoopKind::EarlyExit(buf) if body.reduction_into(buf).is_none() => LoopKind::Serial,
                kind => kind.clone(),
            };
            let [lo, hi] = [lo, hi].map(|bound| rewrite_int(rewrite, bound));
            Stmt::for_loop(var.clone(), lo, hi, kind, body)
        }
        Stmt::Vectors { vectors, body } => {
            let [lo, hi] = [&vectors.lo, &vectors.hi].map(|bound| rewrite_int(rewrite, bound));
            let vectors = Vectors { lo, hi, ..vectors.clone() };
            Stmt::Vectors { vectors, body: Box::new(rewrite_stmt(rewrite, body)) }
        }
        Stmt::Search { search, body } => {
            let Search { var, lo, hi, how, .. } = search;
            let cond = rewrite_bool(rewrite, &search.cond());
            let inside = rewrite.stmt(Stmt::guard(cond, rewrite_stmt(rewrite, body)));
            let [lo, hi] = [lo, hi].map(|bound| rewrite_int(rewrite, bound));
            let along = how.along.clone().filter(|along| rewrite.keeps(along));
            let strategy = how.strategy.filter(|_| along.is_some());
            // Where nothing is sought any more, iterations are run.
            Stmt::search(var, (&lo, &hi), &How { all: how.all, along, strategy }, &inside)
                .unwrap_or_else(|| Stmt::for_loop(var.clone(), lo, hi, LoopKind::Serial, inside))
        }
        Stmt::Intersection { intersection, body } => match rewrite_intersection(rewrite, intersection) {
            Some(intersection) => {
                Stmt::Intersection { intersection, body: Box::new(rewrite_stmt(rewrite, body)) }
            }
            None => return rewrite_stmt(rewrite, &intersection.loops((**body).clone())),
        },
        Stmt::If { cond, then, otherwise } => Stmt::If {
            cond: rewrite_bool(rewrite, cond),
            then: Box::new(rewrite_stmt(rewrite, then)),
            otherwise: otherwise.as_ref().map(|otherwise| Box::new(rewrite_stmt(rewrite, otherwise))),
        },
        Stmt::Alloc { buf, scalar, extents, storage, init, body } => Stmt::Alloc {
            buf: buf.clone(),
            scalar: *scalar,
            extents: rewrite_ints(rewrite, extents),
            storage: *storage,
            init: rewrite_init(rewrite, init),
            body: Box::new(rewrite_stmt(rewrite, body)),
        },
        Stmt::Reset { buf, init } => Stmt::Reset { buf: buf.clone(), init: rewrite_init(rewrite, init) },
        Stmt::Forget { buf, lo, hi } => {
            let [lo, hi] = [lo, hi].map(|end| rewrite_int(rewrite, end));
            Stmt::Forget { buf: buf.clone(), lo, hi }
        }
        Stmt::Prefetch { buf, index } => {
            Stmt::Prefetch { buf: buf.clone(), index: rewrite_int(rewrite, index) }
        }
        Stmt::Store { buf, index, value, mode } => Stmt::Store {
            buf: buf.clone(),
            index: rewrite_int(rewrite, index),
            value: rewrite_val(rewrite, value),
            mode: *mode,
        },
        Stmt::Push { buf, value } => Stmt::Push { buf: buf.clone(), value: rewrite_val(rewrite, value) },
        Stmt::Visit { var, buf, body } => {
            Stmt::Visit { var: var.clone(), buf: buf.clone(), body: Box::new(rewrite_stmt(rewrite, body)) }
        }
        Stmt::Merge { keys, runs, body } => {
            let runs = runs
                .iter()
                .map(|run| run.map(|int| rewrite_int(rewrite, int), |bool| rewrite_bool(rewrite, bool)));
            let (keys, runs) = (keys.clone(), runs.collect());
            Stmt::Merge { keys, runs, body: Box::new(rewrite_stmt(rewrite, body)) }
        }
    })
}

/// Puts a term for a variable. No binder below can capture the term's variables: none may hide another.
pub(crate) struct Substitute {
    pub(crate) var: Name,
    pub(crate) by: Int,
}

impl Rewrite for Substitute {
    fn keeps(&self, var: &Name) -> bool {
        *var != self.var
    }

    fn int(&self, int: Int) -> Int {
        match int {
            Int::Var(name) if name == self.var => self.by.clone(),
            int => int,
        }
    }
}
