//! The walk that finds them: what decides the value of each binder, and with it what each search looks for, and where.

use super::{Below, Cut, NotSparsified, Sought};
use atl_arith::keys::{Equation, equations};
use atl_kernel::{Child, Expr, Ix, IxOp, LoopKind, Node, Prim, Var, subst};
use atl_lang::SparseParam;
use atl_rules::lets::is_read_by_name;
use atl_rules::sparse::{is_placed, reads};
use atl_session::Lowered;
use std::collections::BTreeSet;

/// Tell of each operand of which all elements are gone over, perhaps several times.
pub(super) fn walk<'l>(of: &'l Lowered, found: &mut dyn FnMut(&'l SparseParam, NotSparsified)) {
    Walk { of, around: Vec::new(), below: None, found }.term(&of.body);
}

/// A binder around.
struct EnclosingLoop {
    name: String,
    decided: Decided,
}

/// What decides a value.
struct Decided {
    /// The loops, outermost first, that run from end to end whatever others do: over all of an extent, or over all of a level's positions.
    by: BTreeSet<usize>,
    /// Do they decide it alone, without arrays?
    alone: bool,
}

/// A walk through a term.
struct Walk<'l, 'f> {
    of: &'l Lowered,
    /// The binders around, outermost first.
    around: Vec<EnclosingLoop>,
    /// The innermost operation around of which zero says nothing; a dividend only if there is no other.
    below: Option<Below>,
    found: &'f mut dyn FnMut(&'l SparseParam, NotSparsified),
}

impl<'l> Walk<'l, '_> {
    /// The level of the outermost binder.
    fn first(&self) -> u32 {
        self.of.function.ctx.level()
    }

    /// The level of the next binder.
    fn level(&self) -> u32 {
        self.first() + u32::try_from(self.around.len()).unwrap_or(u32::MAX / 2)
    }

    fn term(&mut self, e: &Expr) {
        let before = self.below;
        match &**e {
            Node::Let(label, bound, body) if is_placed(bound) => {
                let param = self.placed(&label.name);
                let reason = if is_read_by_name(body) {
                    NotSparsified::UsedInPredicate
                } else {
                    NotSparsified::Densified
                };
                param.into_iter().for_each(|param| (self.found)(param, reason.clone()));
            }
            _ => {}
        }
        for at in e.children() {
            let Some(child) = e.child(at) else { continue };
            self.below = match &**e {
                Node::Prim(operation, _) => below(before, Below::Operation(*operation, at)),
                Node::View(..) => before.or(Some(Below::Reduction)),
                Node::Select(..) => below(before, Below::Choice),
                _ => before,
            };
            let binders = e.binds(at);
            if binders > 0 {
                let level = self.level();
                let child = subst::open_all(child, level, binders);
                let outside = self.around.len();
                for k in 0..binders {
                    let binder = self.binder(e, &child, level + k);
                    self.around.push(binder);
                }
                self.term(&child);
                self.around.truncate(outside);
            } else if !(matches!(**e, Node::Let(..)) && at == Child::Bound && is_placed(child)) {
                self.term(child);
            }
        }
        self.below = before;
    }

    /// The operand of this name, or the one that it is a use of.
    fn placed(&self, name: &str) -> Option<&'l SparseParam> {
        let operands = &self.of.function.sparse;
        let named = operands.iter().find(|param| *param.name == *name);
        named.or_else(|| operands.iter().find(|param| is_later_use(&param.name, name)))
    }

    /// A binder whose body is opened at this level.
    fn binder(&mut self, e: &Expr, body: &Expr, level: u32) -> EnclosingLoop {
        let itself = BTreeSet::from([self.around.len()]);
        let (name, decided) = match &**e {
            Node::Sum(label, n, _) if label.kind == LoopKind::Search => {
                let equation = match &**body {
                    Node::Guard(p, _) => equations(p, level).into_iter().next(),
                    _ => None,
                };
                let decided = match &equation {
                    Some(equation) => self.search(n, equation, body),
                    None => Decided { alone: false, ..self.decided(&[n]) },
                };
                (&label.name, decided)
            }
            Node::Gen(label, n, _) | Node::Sum(label, n, _) if reads(n) => {
                let by = self.decided(&[n]).by;
                (&label.name, Decided { by: if by.is_empty() { itself } else { by }, alone: false })
            }
            Node::Gen(label, ..) | Node::Sum(label, ..) => (&label.name, Decided { by: itself, alone: true }),
            _ => {
                return EnclosingLoop {
                    name: String::new(),
                    decided: Decided { by: BTreeSet::new(), alone: true },
                };
            }
        };
        EnclosingLoop { name: name.to_string(), decided }
    }

    /// What decides the position that a search finds; whether all that the operand has is gone over is told.
    fn search(&mut self, n: &Ix, Equation { key, sought, .. }: &Equation, body: &Expr) -> Decided {
        let decided = self.decided(&[n, key, sought]);
        let Some(param) = self.operand(key) else { return decided };
        let rank = param.ty.shape.len();
        if decided.alone && decided.by.len() >= rank {
            let cuts = self.cuts(&[n, sought]);
            match self.below {
                Some(operation) => (self.found)(param, NotSparsified::LookedUpPerElement(operation)),
                None if cuts.is_empty() && reads(sought) && self.operand(sought).is_none() => {
                    (self.found)(param, NotSparsified::IndirectIndex)
                }
                None if cuts.is_empty() => {}
                None => (self.found)(param, NotSparsified::BlockMismatch(cuts)),
            }
        }
        if rank > 1
            && let Some(sought) = self.crosses(n, sought)
            && !self.is_paired(&decided, param, body)
        {
            (self.found)(param, NotSparsified::DiscordantOrder(sought));
        }
        decided
    }

    /// What decides these terms.
    fn decided(&self, terms: &[&Ix]) -> Decided {
        let around = self.mentioned(terms).map(|(_, around)| &around.decided);
        around.fold(Decided { by: BTreeSet::new(), alone: true }, |mut all, one| {
            all.by.extend(&one.by);
            Decided { alone: all.alone && one.alone, ..all }
        })
    }

    /// The binders that occur in these terms, and how far inside they are.
    fn mentioned<'a>(&'a self, terms: &[&Ix]) -> impl Iterator<Item = (usize, &'a EnclosingLoop)> {
        let occurs = |at: usize| {
            u32::try_from(at).is_ok_and(|at| terms.iter().any(|ix| ix.mentions(self.first() + at)))
        };
        let found: Vec<usize> = (0..self.around.len()).filter(|at| occurs(*at)).collect();
        found.into_iter().map(|at| (at, &self.around[at]))
    }

    /// The indices that these loops go over: the parts of a loop that was cut are one.
    fn indices(&self, decided: &Decided) -> BTreeSet<&str> {
        decided.by.iter().map(|at| index_name(&self.around[*at].name)).collect()
    }

    /// What is looked for in a range, if all of it is looked for in many such ranges. That pairs of ranges are walked together is not
    /// meant where the order of loops was chosen.
    fn crosses(&self, n: &Ix, sought: &Ix) -> Option<Sought> {
        let (ranges, wanted) = (self.decided(&[n]), self.decided(&[sought]));
        let (one, other) = (self.indices(&ranges), self.indices(&wanted));
        let (at, around) = self.mentioned(&[sought]).last()?;
        let range = *ranges.by.last()?;
        let in_turn = range > at;
        if self.of.reordered && !in_turn || one.is_subset(&other) || other.is_subset(&one) {
            return None;
        }
        let Some(of) = self.operand(sought) else {
            let index = Some(index_name(&around.name).to_owned());
            return in_turn.then_some(Sought { index, of: None, loops: None });
        };
        let in_row = range == at + 1 && !around.decided.by.contains(&at);
        let loops = in_row.then(|| (self.around[range].name.clone(), around.name.clone()));
        // A loop over the operand's own positions visits its entries.
        let outer = wanted.by.last().filter(|outer| !in_turn && **outer != at);
        let index = outer.map(|outer| index_name(&self.around[*outer].name).to_owned());
        (of.ty.shape.len() > 1).then(|| Sought { index, of: Some(of.name.clone()), loops })
    }

    /// Does a term access another operand for each pair of a range and what is looked for in it, which there is no sparing then?
    fn is_paired(&self, decided: &Decided, searched: &SparseParam, e: &Expr) -> bool {
        let mut at = Vec::new();
        let mut array = e;
        while let Node::Get(inner, ix) = &**array {
            // What is found says nothing of where there is anything to find.
            at.extend((!ix.mentions(self.level())).then_some(ix));
            array = inner;
        }
        let other = match &**array {
            Node::Var(Var::Free(level)) => self.owner(|array| array == *level),
            _ => None,
        };
        other
            .is_some_and(|other| other.name != searched.name && self.decided(&at).by.is_superset(&decided.by))
            || e.children().filter_map(|at| e.child(at)).any(|e| self.is_paired(decided, searched, e))
    }

    /// The loops over an index of which these terms say in which block it is.
    fn cuts(&self, terms: &[&Ix]) -> Vec<Cut> {
        let mut found = Vec::new();
        let mut see = |index: u32, size| {
            let at = index.checked_sub(self.first()).and_then(|at| usize::try_from(at).ok());
            let cut = at.and_then(|at| self.around.get(at)).map(|around| Cut(around.name.clone(), size));
            found.extend(cut.filter(|cut| !found.contains(cut)));
        };
        terms.iter().for_each(|ix| blocks(ix, &mut see));
        found
    }

    /// The operand of whose arrays an index is read.
    fn operand(&self, ix: &Ix) -> Option<&'l SparseParam> {
        self.owner(|array| reads_array(ix, array))
    }

    /// The operand that one of these arrays belongs to.
    fn owner(&self, is_array: impl Fn(u32) -> bool) -> Option<&'l SparseParam> {
        let function = &self.of.function;
        function
            .sparse
            .iter()
            .find(|param| function.params[param.arrays.clone()].iter().any(|array| is_array(array.level)))
    }
}

/// Is it a use of this operand? Each is taken by itself, and all but the first have names with a number.
fn is_later_use(operand: &str, name: &str) -> bool {
    let number = name.strip_prefix(operand).and_then(|rest| rest.strip_prefix('_'));
    number.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The name of a loop before it was cut.
fn index_name(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// The indices that a term divides by a number, and the numbers.
fn blocks(ix: &Ix, see: &mut dyn FnMut(u32, i64)) {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => {}
        Ix::Bin(op, ab) => match (op, &ab.0, &ab.1) {
            (IxOp::Div, Ix::Var(Var::Free(index)), Ix::Lit(size)) => see(*index, *size),
            (_, a, b) => [a, b].into_iter().for_each(|ix| blocks(ix, see)),
        },
        Ix::Read(_, at) => at.iter().for_each(|ix| blocks(ix, see)),
    }
}

/// What an operand of this operation is below, of what the operation itself is below.
fn below(around: Option<Below>, inner: Below) -> Option<Below> {
    match inner {
        Below::Operation(Prim::Add | Prim::Mul | Prim::Neg, _) => around,
        inner if inner.is_dividend() => around.or(Some(inner)),
        inner => Some(inner),
    }
}

/// Does the term read this array?
fn reads_array(ix: &Ix, array: u32) -> bool {
    match ix {
        Ix::Lit(_) | Ix::Var(_) => false,
        Ix::Bin(_, ab) => reads_array(&ab.0, array) || reads_array(&ab.1, array),
        Ix::Read(read, at) => *read == Var::Free(array) || at.iter().any(|ix| reads_array(ix, array)),
    }
}
