//! Loop programs with one change each: what a fault of lowering, of a pass or of a writer could make of one.
//!
//! All changes of a kind are made at every place, so a program has some hundred mutants. Many mean
//! something else; some trap; a few mean the same.

use atl_loops::lanes::Vectors;
use atl_loops::{
    BinOp, Bool, CmpOp, Init, Int, IntOp, Literal, LoopKind, Name, ReduceOp, Share, Stmt, StoreMode, Val,
};

/// What may stand in a change: the variables in scope, and the buffers.
#[derive(Clone)]
struct Scope {
    vars: Vec<Name>,
    buffers: Vec<Name>,
}

/// Every change of a statement, where these variables and buffers are there.
pub fn changes(stmt: &Stmt, sizes: &[Name], buffers: &[Name]) -> Vec<Stmt> {
    let mut buffers = buffers.to_vec();
    stmt.for_each(&mut |inner| {
        if let Stmt::Alloc { buf, .. } = inner {
            buffers.push(buf.clone());
        }
    });
    statements(stmt, &Scope { vars: sizes.to_vec(), buffers })
}

fn statements(stmt: &Stmt, scope: &Scope) -> Vec<Stmt> {
    let mut found = Vec::new();
    match stmt {
        Stmt::Seq(stmts) => {
            for k in 0..stmts.len() {
                let with = |inner: Vec<Stmt>| Stmt::Seq([&stmts[..k], &inner, &stmts[k + 1..]].concat());
                found.push(with(vec![]));
                found.push(with(vec![stmts[k].clone(), stmts[k].clone()]));
                found.extend(statements(&stmts[k], scope).into_iter().map(|inner| with(vec![inner])));
                if k > 0 {
                    let mut swapped = stmts.clone();
                    swapped.swap(k - 1, k);
                    found.push(Stmt::Seq(swapped));
                }
            }
        }
        Stmt::For { var, lo, hi, kind, body } => {
            let with = |lo: &Int, hi: &Int, kind: &LoopKind, body: &Stmt| {
                Stmt::for_loop(var.clone(), lo.clone(), hi.clone(), kind.clone(), body.clone())
            };
            let mut inside = scope.clone();
            inside.vars.push(var.clone());
            let kinds =
                [LoopKind::Serial, LoopKind::Parallel(Share::Static), LoopKind::Vector { width: None }];
            found.extend(ints(lo, scope).iter().map(|lo| with(lo, hi, kind, body)));
            found.extend(ints(hi, scope).iter().map(|hi| with(lo, hi, kind, body)));
            found.extend(kinds.iter().filter(|other| *other != kind).map(|kind| with(lo, hi, kind, body)));
            found.extend(statements(body, &inside).iter().map(|body| with(lo, hi, kind, body)));
        }
        Stmt::Vectors { vectors, body } => {
            let with = |lo: &Int, hi: &Int, lanes: u32, body: &Stmt| Stmt::Vectors {
                vectors: Vectors { lo: lo.clone(), hi: hi.clone(), lanes, ..vectors.clone() },
                body: Box::new(body.clone()),
            };
            let Vectors { var, lo, hi, lanes, .. } = vectors;
            let mut inside = scope.clone();
            inside.vars.push(var.clone());
            found.extend(ints(lo, scope).iter().map(|lo| with(lo, hi, *lanes, body)));
            found.extend(ints(hi, scope).iter().map(|hi| with(lo, hi, *lanes, body)));
            found.extend([lanes / 2, lanes * 2, lanes * 3].map(|lanes| with(lo, hi, lanes, body)));
            found.extend(statements(body, &inside).iter().map(|body| with(lo, hi, *lanes, body)));
        }
        Stmt::If { cond, then, otherwise } => {
            let with = |cond: &Bool, then: &Stmt, otherwise: &Option<Box<Stmt>>| Stmt::If {
                cond: cond.clone(),
                then: Box::new(then.clone()),
                otherwise: otherwise.clone(),
            };
            found.push((**then).clone());
            found.extend(bools(cond, scope).iter().map(|cond| with(cond, then, otherwise)));
            found.extend(statements(then, scope).iter().map(|then| with(cond, then, otherwise)));
            if let Some(other) = otherwise {
                found.push(with(cond, then, &None));
                found.push(with(cond, other, &Some(then.clone())));
                let others = statements(other, scope).into_iter();
                found.extend(others.map(|other| with(cond, then, &Some(Box::new(other)))));
            }
        }
        Stmt::Alloc { buf, scalar, extents, storage, init, body } => {
            let with = |extents: Vec<Int>, init: &Init, body: &Stmt| Stmt::Alloc {
                buf: buf.clone(),
                scalar: *scalar,
                extents,
                storage: *storage,
                init: init.clone(),
                body: Box::new(body.clone()),
            };
            for k in 0..extents.len() {
                for extent in ints(&extents[k], scope) {
                    found.push(with([&extents[..k], &[extent], &extents[k + 1..]].concat(), init, body));
                }
            }
            found.extend(inits(init).iter().map(|init| with(extents.clone(), init, body)));
            found.extend(statements(body, scope).iter().map(|body| with(extents.clone(), init, body)));
        }
        Stmt::Reset { buf, init } => {
            found.extend(inits(init).into_iter().map(|init| Stmt::Reset { buf: buf.clone(), init }));
            found.extend(others(buf, scope).map(|buf| Stmt::Reset { buf, init: init.clone() }));
        }
        Stmt::Forget { buf, lo, hi } => {
            let with = |lo: &Int, hi: &Int| Stmt::Forget { buf: buf.clone(), lo: lo.clone(), hi: hi.clone() };
            found.extend(ints(lo, scope).iter().map(|lo| with(lo, hi)));
            found.extend(ints(hi, scope).iter().map(|hi| with(lo, hi)));
        }
        Stmt::Store { buf, index, value, mode } => {
            let with = |buf: &Name, index: &Int, value: &Val, mode: StoreMode| Stmt::Store {
                buf: buf.clone(),
                index: index.clone(),
                value: value.clone(),
                mode,
            };
            let modes = [
                StoreMode::Set,
                StoreMode::Replace,
                StoreMode::Reduce(ReduceOp::Add),
                StoreMode::Reduce(ReduceOp::Max),
            ];
            found.extend(modes.iter().filter(|m| *m != mode).map(|mode| with(buf, index, value, *mode)));
            found.extend(others(buf, scope).map(|buf| with(&buf, index, value, *mode)));
            found.extend(ints(index, scope).iter().map(|index| with(buf, index, value, *mode)));
            found.extend(values(value, scope).iter().map(|value| with(buf, index, value, *mode)));
        }
        _ => {}
    }
    found
}

fn others<'s>(buf: &'s Name, scope: &'s Scope) -> impl Iterator<Item = Name> + 's {
    scope.buffers.iter().filter(move |other| *other != buf).cloned()
}

fn inits(init: &Init) -> Vec<Init> {
    match init {
        Init::Uninit => vec![],
        Init::Value(Val::Lit(literal)) => vec![Init::Uninit, Init::Value(Val::Lit(other_literal(literal)))],
        Init::Value(_) => vec![Init::Uninit],
    }
}

/// A bit is another.
fn other_literal(literal: &Literal) -> Literal {
    Literal::of_bits(literal.scalar(), literal.bits() ^ 1)
}

fn ints(int: &Int, scope: &Scope) -> Vec<Int> {
    let by_one = |op| Int::bin(op, int.clone(), Int::Lit(1));
    let mut found = vec![by_one(IntOp::Add), by_one(IntOp::Sub)];
    match int {
        Int::Lit(_) => {}
        Int::Var(name) => {
            found.extend(scope.vars.iter().filter(|var| *var != name).map(|var| Int::Var(var.clone())));
        }
        Int::Bin(op, a, b) => {
            let other = match op {
                IntOp::Add => IntOp::Sub,
                IntOp::Sub => IntOp::Add,
                IntOp::Mul => IntOp::Add,
                IntOp::Div => IntOp::Mod,
                IntOp::Mod => IntOp::Div,
                IntOp::Min => IntOp::Max,
                IntOp::Max => IntOp::Min,
            };
            found.push(Int::Bin(other, a.clone(), b.clone()));
            found.push(Int::Bin(*op, b.clone(), a.clone()));
            found.extend([(**a).clone(), (**b).clone()]);
            found.extend(ints(a, scope).into_iter().map(|a| Int::bin(*op, a, (**b).clone())));
            found.extend(ints(b, scope).into_iter().map(|b| Int::bin(*op, (**a).clone(), b)));
        }
        Int::Load(buf, cell) => {
            found.extend(ints(cell, scope).into_iter().map(|cell| Int::load(buf.clone(), cell)));
            found.extend(others(buf, scope).map(|buf| Int::Load(buf, cell.clone())));
        }
    }
    found
}

fn bools(cond: &Bool, scope: &Scope) -> Vec<Bool> {
    let mut found = vec![Bool::Lit(true), Bool::Not(Box::new(cond.clone()))];
    match cond {
        Bool::Lit(_) => {}
        Bool::Cmp(op, a, b) => {
            let cmps = [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le];
            found.extend(
                cmps.iter().filter(|other| *other != op).map(|op| Bool::Cmp(*op, a.clone(), b.clone())),
            );
            found.extend(ints(a, scope).into_iter().map(|a| Bool::Cmp(*op, a, b.clone())));
            found.extend(ints(b, scope).into_iter().map(|b| Bool::Cmp(*op, a.clone(), b)));
        }
        Bool::And(a, b) | Bool::Or(a, b) => {
            let and = matches!(cond, Bool::And(..));
            let with = |and: bool, a: Bool, b: Bool| match and {
                true => Bool::And(Box::new(a), Box::new(b)),
                false => Bool::Or(Box::new(a), Box::new(b)),
            };
            found.extend([(**a).clone(), (**b).clone(), with(!and, (**a).clone(), (**b).clone())]);
            found.extend(bools(a, scope).into_iter().map(|a| with(and, a, (**b).clone())));
            found.extend(bools(b, scope).into_iter().map(|b| with(and, (**a).clone(), b)));
        }
        Bool::Not(a) => {
            found.push((**a).clone());
            found.extend(bools(a, scope).into_iter().map(|a| Bool::Not(Box::new(a))));
        }
    }
    found
}

fn values(value: &Val, scope: &Scope) -> Vec<Val> {
    let mut found = Vec::new();
    match value {
        Val::Lit(literal) => found.push(Val::Lit(other_literal(literal))),
        Val::Load { buf, index } => {
            found.extend(others(buf, scope).map(|buf| Val::load(buf, index.clone())));
            found.extend(ints(index, scope).into_iter().map(|index| Val::load(buf.clone(), index)));
        }
        Val::OfInt(int) => found.extend(ints(int, scope).into_iter().map(Val::OfInt)),
        Val::Un(op, a) => {
            found.push((**a).clone());
            found.extend(values(a, scope).into_iter().map(|a| Val::un(*op, a)));
        }
        Val::Bin(op, a, b) => {
            let other = match op {
                BinOp::Add => BinOp::Sub,
                BinOp::Min => BinOp::Max,
                _ => BinOp::Add,
            };
            found.push(Val::Bin(other, a.clone(), b.clone()));
            found.extend([(**a).clone(), (**b).clone(), Val::Bin(*op, b.clone(), a.clone())]);
            found.extend(values(a, scope).into_iter().map(|a| Val::bin(*op, a, (**b).clone())));
            found.extend(values(b, scope).into_iter().map(|b| Val::bin(*op, (**a).clone(), b)));
        }
        Val::Select { cond, then, otherwise } => {
            let with =
                |cond: Bool, then: &Val, otherwise: &Val| Val::select(cond, then.clone(), otherwise.clone());
            found.extend([(**then).clone(), (**otherwise).clone()]);
            found.push(with((**cond).clone(), otherwise, then));
            found.extend(bools(cond, scope).into_iter().map(|cond| with(cond, then, otherwise)));
            found.extend(values(then, scope).iter().map(|then| with((**cond).clone(), then, otherwise)));
            found.extend(values(otherwise, scope).iter().map(|other| with((**cond).clone(), then, other)));
        }
        Val::Convert { to, val } => {
            found.extend(values(val, scope).into_iter().map(|val| Val::convert(*to, val)));
        }
        Val::Call(..) | Val::Cmp(..) | Val::Choose { .. } => {}
    }
    found
}
