//! What hypotheses speak of, once for each.
//!
//! A context of a sparse program has a hundred hypotheses, of long terms, and every question goes over all of them. They are shared by
//! the contexts that grow from where they were made; so what was found is kept by the address, and with it the hypothesis, so that no
//! other has that address.
//!
//! A conjunction is several hypotheses. Each says something of a few variables and arrays only, whatever else it speaks of: an
//! inequality of its innermost variable; an equation of the elements that are its sides, and not of what their places depend on; a
//! hypothesis for all integers of the arrays in its conclusion.

use crate::intern::Map;
use crate::memo::Wide;
use crate::rename::{Met, spoken, walk};
use crate::renumber::Count;
use atl_kernel::{Cmp, Ctx, Entry, Ix, Pred, Var};
use std::cell::RefCell;
use std::sync::Arc;

/// How many are remembered; beyond that all are forgotten.
const CAPACITY: usize = 1 << 13;

/// What is known of a hypothesis.
#[derive(Clone)]
pub(crate) struct Said {
    /// A hash of what it says.
    pub(crate) hash: u128,
    /// The conjuncts that it is.
    pub(crate) pieces: Arc<[Piece]>,
}

/// A conjunct of a hypothesis.
pub(crate) struct Piece {
    pub(crate) pred: Pred,
    /// A hash of it.
    pub(crate) hash: u128,
    /// The facts that it comes apart into; none where a number does not fit.
    pub(crate) count: Option<Count>,
    /// The variables of the context that it speaks of, by level, each once.
    pub(crate) levels: Arc<[u32]>,
    /// Those that it says something of.
    pub(crate) about: Arc<[u32]>,
    /// Of an equation, the sides that are variables.
    pub(crate) sides: [Option<u32>; 2],
    /// Does it speak of elements?
    pub(crate) reads: bool,
}

thread_local! {
    static KNOWN: RefCell<Map<usize, (Entry, Said)>> = RefCell::default();
    /// The same by what they say: a loop that is entered again has the same bounds elsewhere.
    static SAME: RefCell<Map<u128, Said>> = RefCell::default();
    /// Those of the contexts of the last questions, the latest first.
    static LAST: RefCell<Vec<Hypotheses>> = RefCell::default();
}

/// So many contexts are kept: a question about one is put with parts of it in contexts of their own.
const CONTEXTS: usize = 4;

/// What the entries of a context say. The contexts of questions that follow each other begin alike, and what they have in common is kept.
#[derive(Default)]
pub(crate) struct Hypotheses {
    entries: Vec<Known>,
}

/// An entry, with what is known of it, and a hash of what it and those before it say.
struct Known {
    /// Where the hypothesis is; it stays there as long as it is kept.
    address: Option<usize>,
    said: Option<(Entry, Said)>,
    hash: u128,
}

impl Hypotheses {
    /// Do something with what a context says.
    pub(crate) fn of<T>(ctx: &Ctx, run: impl FnOnce(&Hypotheses) -> T) -> T {
        LAST.with_borrow_mut(|last| {
            let alike = last.iter().position(|known| 2 * known.in_common(ctx) > ctx.entries().len());
            let mut own = match alike {
                Some(at) => last.remove(at),
                None if last.len() < CONTEXTS => Hypotheses::default(),
                None => last.pop().unwrap_or_default(),
            };
            own.become_those_of(ctx);
            let found = run(&own);
            last.insert(0, own);
            found
        })
    }

    /// A hash of all that they say.
    pub(crate) fn hash(&self) -> u128 {
        self.entries.last().map_or(0, |entry| entry.hash)
    }

    /// Of each entry, what it says; none where it is no hypothesis.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<&Said>> {
        self.entries.iter().map(|entry| entry.said.as_ref().map(|(_, said)| said))
    }

    /// How many entries a context begins with that are these.
    fn in_common(&self, ctx: &Ctx) -> usize {
        let pairs = self.entries.iter().zip(ctx.entries());
        pairs.take_while(|(known, entry)| known.address == address(entry)).count()
    }

    fn become_those_of(&mut self, ctx: &Ctx) {
        self.entries.truncate(self.in_common(ctx));
        for entry in ctx.entries().skip(self.entries.len()) {
            let said = Said::by(entry).map(|said| (entry.clone(), said));
            let mut wide = Wide::from(self.hash());
            if let Entry::Tensor(_, ty) = entry {
                wide.word(ty.elem.scalar as u64 | 1 << 42);
            }
            if let Some((_, said)) = &said {
                wide.word(said.hash as u64);
                wide.word((said.hash >> 64) as u64);
            }
            self.entries.push(Known { address: address(entry), said, hash: wide.number() });
        }
    }
}

/// Where a hypothesis is in memory; of a tensor the number of its scalar type, where nothing is.
fn address(entry: &Entry) -> Option<usize> {
    match entry {
        Entry::Hyp(..) => Some(std::ptr::from_ref(entry.facts()?).addr()),
        Entry::All(_, p) => Some(Arc::as_ptr(p).addr()),
        Entry::Tensor(_, ty) => Some(ty.elem.scalar as usize),
        Entry::Index(_) => None,
    }
}

impl Said {
    /// What is known of this entry; nothing where it is no hypothesis.
    fn by(entry: &Entry) -> Option<Said> {
        let (p, variables) = match entry {
            Entry::Hyp(p, _) => (p, 0),
            Entry::All(labels, p) => (&**p, labels.len()),
            Entry::Index(_) | Entry::Tensor(..) => return None,
        };
        let address = address(entry)?;
        if let Some(known) = KNOWN.with_borrow(|known| known.get(&address).map(|(_, known)| known.clone())) {
            return Some(known);
        }
        let found = Said::of(p, variables);
        KNOWN.with_borrow_mut(|known| {
            if known.len() >= CAPACITY {
                known.clear();
            }
            known.insert(address, (entry.clone(), found.clone()));
        });
        Some(found)
    }

    fn of(p: &Pred, variables: usize) -> Said {
        let mut wide = Wide::default();
        wide.word(variables as u64);
        take(p, &mut wide);
        let hash = wide.number();
        if let Some(known) = SAME.with_borrow(|same| same.get(&hash).cloned()) {
            return known;
        }
        let mut pieces = Vec::new();
        match variables {
            0 => conjuncts(p, &mut pieces),
            _ => pieces
                .push(Piece::of(p, of_arrays(conclusion(p)).or_else(|| of_arrays(p)).unwrap_or_default())),
        }
        let found = Said { hash, pieces: pieces.into() };
        SAME.with_borrow_mut(|same| {
            if same.len() >= CAPACITY {
                same.clear();
            }
            same.insert(hash, found.clone());
        });
        found
    }
}

/// Take a predicate into a hash.
fn take(p: &Pred, wide: &mut Wide) {
    walk(p, &mut |met| match met {
        Met::Free(level) => wide.word(u64::from(level) | 1 << 40),
        Met::Other(n) => wide.word(n),
    });
}

impl Piece {
    fn of(pred: &Pred, about: Vec<u32>) -> Piece {
        let mut wide = Wide::default();
        take(pred, &mut wide);
        let levels = spoken(|meet| walk(pred, meet)).into();
        let count = Count::of(pred, true);
        Piece {
            pred: pred.clone(),
            hash: wide.number(),
            count,
            levels,
            about: about.into(),
            sides: [None; 2],
            reads: of_arrays(pred).is_some(),
        }
    }
}

fn conjuncts(p: &Pred, pieces: &mut Vec<Piece>) {
    let indices = || {
        let mut found = Speech::default();
        found.pred(p);
        found
    };
    let piece = match p {
        Pred::And(ab) => {
            conjuncts(&ab.0, pieces);
            return conjuncts(&ab.1, pieces);
        }
        Pred::Cmp(Cmp::Lt | Cmp::Le, a, b) => {
            let Speech { indices, arrays } = indices();
            let mut about = indices.into_iter().max().map_or(arrays, |innermost| vec![innermost]);
            if variable(a).or(variable(b)).is_none() {
                [a, b].into_iter().for_each(|side| elements(side, &mut about));
            }
            Piece::of(p, about)
        }
        Pred::Cmp(Cmp::Eq, a, b) => {
            let mut found = Vec::new();
            [a, b].into_iter().for_each(|side| elements(side, &mut found));
            Piece { sides: [variable(a), variable(b)], ..Piece::of(p, found) }
        }
        Pred::True | Pred::False | Pred::Not(_) | Pred::Or(_) => Piece::of(p, indices().indices),
    };
    pieces.push(piece);
}

/// The arrays that a predicate reads, if there are any.
fn of_arrays(p: &Pred) -> Option<Vec<u32>> {
    let mut found = Speech::default();
    found.pred(p);
    Some(found.arrays).filter(|arrays| !arrays.is_empty())
}

/// What follows, where a hypothesis is an implication.
fn conclusion(p: &Pred) -> &Pred {
    match p {
        Pred::Or(ab) if matches!(ab.0, Pred::Not(_)) => conclusion(&ab.1),
        p => p,
    }
}

fn variable(ix: &Ix) -> Option<u32> {
    match ix {
        Ix::Var(Var::Free(level)) => Some(*level),
        _ => None,
    }
}

/// The arrays and variables of a term that stand inside no read.
fn elements(ix: &Ix, found: &mut Vec<u32>) {
    match ix {
        Ix::Lit(_) | Ix::Var(Var::Bound(_)) | Ix::Read(Var::Bound(_), _) => {}
        Ix::Var(Var::Free(level)) | Ix::Read(Var::Free(level), _) => found.push(*level),
        Ix::Bin(_, ab) => {
            elements(&ab.0, found);
            elements(&ab.1, found);
        }
    }
}

/// The integers and the arrays that a predicate speaks of, by level, as often as it does.
#[derive(Default)]
struct Speech {
    indices: Vec<u32>,
    arrays: Vec<u32>,
}

impl Speech {
    fn pred(&mut self, p: &Pred) {
        match p {
            Pred::True | Pred::False => {}
            Pred::Cmp(_, a, b) => {
                self.ix(a);
                self.ix(b);
            }
            Pred::Not(q) => self.pred(q),
            Pred::And(ab) | Pred::Or(ab) => {
                self.pred(&ab.0);
                self.pred(&ab.1);
            }
        }
    }

    fn ix(&mut self, ix: &Ix) {
        match ix {
            Ix::Lit(_) | Ix::Var(Var::Bound(_)) => {}
            Ix::Var(Var::Free(level)) => self.indices.push(*level),
            Ix::Bin(_, ab) => {
                self.ix(&ab.0);
                self.ix(&ab.1);
            }
            Ix::Read(array, at) => {
                if let Var::Free(level) = array {
                    self.arrays.push(*level);
                }
                at.iter().for_each(|ix| self.ix(ix));
            }
        }
    }
}
