//! Which cells a thread touches, as far as it shows that they are its own.
//!
//! No cell that one thread of a nest stores is touched by another thread of the nest: the loops were checked
//! for that. If another nest touches cells by the same term, under the same loops and conditions, then each
//! of its threads touches what the same thread of the first one stored, and no barrier is needed between the
//! two. [`Place`] is that term with all that stands around it, spelled so that two nests are compared
//! whatever their variables are called. It has a spelling only if it is the same at every time: what mentions
//! a loop that all threads run together, or reads a buffer, may mean another cell in the next iteration.

use atl_loops::{Bool, Int, LoopKind, Name, Stmt, Val};
use std::collections::{BTreeMap, BTreeSet};

/// Where an access goes; none if nothing is known of it.
pub(crate) type Place = Option<String>;

/// Buffers, and the places in them.
pub(crate) type Places = BTreeMap<Name, BTreeSet<Place>>;

/// What is read and what is stored.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Touched {
    /// The cells that are read.
    pub(crate) read: Places,
    /// The cells that are stored.
    pub(crate) stored: Places,
}

impl Touched {
    /// All cells of a buffer are stored.
    pub(crate) fn whole(buf: &Name) -> Touched {
        Touched { stored: Places::from([(buf.clone(), BTreeSet::from([None]))]), read: Places::new() }
    }

    /// What a nest touches, where the variables of these loops change between one time and the next.
    pub(crate) fn by(nest: &Stmt, varying: &[Name]) -> Touched {
        let mut walk =
            Walk { varying, scope: Vec::new(), around: Some(String::new()), touched: Touched::default() };
        walk.stmt(nest);
        walk.touched
    }

    /// Whichever of the two has happened.
    pub(crate) fn or(mut self, other: &Touched) -> Touched {
        for (mine, others) in [(&mut self.read, &other.read), (&mut self.stored, &other.stored)] {
            for (buf, places) in others {
                mine.entry(buf.clone()).or_default().extend(places.iter().cloned());
            }
        }
        self
    }

    /// Without these buffers.
    pub(crate) fn without(mut self, own: &BTreeSet<Name>) -> Touched {
        self.read.retain(|buf, _| !own.contains(buf));
        self.stored.retain(|buf, _| !own.contains(buf));
        self
    }

    /// May a thread touch what another one stored, or the other way round?
    pub(crate) fn meets(&self, next: &Touched) -> bool {
        let apart = |a: &BTreeSet<Place>, b: &BTreeSet<Place>| {
            a.iter().all(|p| p.is_some() && b.iter().all(|q| p == q))
        };
        let meet = |a: &Places, b: &Places| {
            a.iter().any(|(buf, places)| b.get(buf).is_some_and(|others| !apart(places, others)))
        };
        meet(&self.stored, &next.stored) || meet(&self.stored, &next.read) || meet(&self.read, &next.stored)
    }
}

struct Walk<'a> {
    varying: &'a [Name],
    /// The loops of the nest with what their variables are spelled as, innermost last.
    scope: Vec<(Name, String)>,
    /// The loops and conditions around, if they have a spelling.
    around: Option<String>,
    touched: Touched,
}

impl Walk<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        stmt.for_each_read(&mut |buf, cell| self.read(buf, cell));
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            Stmt::For { var, lo, hi, kind, body } => {
                let spelled = match kind {
                    LoopKind::Thread(axis) => format!("{axis:?}"),
                    _ => format!("v{}", self.scope.len()),
                };
                let bounds = self.spell(lo).zip(self.spell(hi));
                let frame = bounds.map(|(lo, hi)| format!("for {spelled} in {lo}..{hi} "));
                self.inside(frame, Some((var.clone(), spelled)), body);
            }
            Stmt::If { cond, then, otherwise } => {
                let spelled = self.spell_bool(cond);
                self.inside(spelled.as_ref().map(|cond| format!("if {cond} ")), None, then);
                if let Some(otherwise) = otherwise {
                    self.inside(spelled.map(|cond| format!("unless {cond} ")), None, otherwise);
                }
            }
            Stmt::Alloc { init, body, .. } => {
                if let atl_loops::Init::Value(value) = init {
                    self.value(value);
                }
                self.stmt(body);
            }
            Stmt::Visit { body, .. } => {
                self.anywhere(stmt);
                self.inside(None, None, body);
            }
            // The plan refuses it; where its keys lead is not known.
            Stmt::Merge { body, .. } => self.inside(None, None, body),
            Stmt::Vectors { .. } | Stmt::Search { .. } | Stmt::Intersection { .. } => {
                self.stmt(&stmt.plain())
            }
            Stmt::Store { buf, index, value, .. } => {
                let place = self.place(index);
                self.touched.stored.entry(buf.clone()).or_default().insert(place);
                self.value(value);
            }
            Stmt::Push { value, .. } => {
                self.anywhere(stmt);
                self.value(value);
            }
            Stmt::Reset { .. } | Stmt::Forget { .. } => self.anywhere(stmt),
            Stmt::Prefetch { .. } => {}
        }
    }

    /// The statement writes to its buffer, nobody knows where.
    fn anywhere(&mut self, stmt: &Stmt) {
        for buf in stmt.written() {
            self.touched.stored.entry(buf.clone()).or_default().insert(None);
        }
    }

    /// The statement within one more loop or condition.
    fn inside(&mut self, frame: Option<String>, var: Option<(Name, String)>, stmt: &Stmt) {
        let outside = self.around.clone();
        self.around = outside.clone().zip(frame).map(|(around, frame)| around + &frame);
        let depth = self.scope.len();
        self.scope.extend(var);
        self.stmt(stmt);
        self.scope.truncate(depth);
        self.around = outside;
    }

    fn value(&mut self, value: &Val) {
        value.for_each(&mut |part| {
            if let Val::Load { buf, index } = part {
                self.read(buf, index);
            }
        });
    }

    fn read(&mut self, buf: &Name, cell: &Int) {
        let place = self.place(cell);
        self.touched.read.entry(buf.clone()).or_default().insert(place);
    }

    fn place(&self, cell: &Int) -> Place {
        let cell = self.spell(cell)?;
        Some(self.around.clone()? + &cell)
    }

    fn spell(&self, int: &Int) -> Option<String> {
        Some(match int {
            Int::Lit(n) => n.to_string(),
            Int::Var(name) => match self.scope.iter().rev().find(|(var, _)| var == name) {
                Some((_, spelled)) => format!("<{spelled}>"),
                None if self.varying.contains(name) => return None,
                None => name.to_string(),
            },
            Int::Bin(op, a, b) => format!("({} {op:?} {})", self.spell(a)?, self.spell(b)?),
            Int::Load(..) => return None,
        })
    }

    fn spell_bool(&self, cond: &Bool) -> Option<String> {
        Some(match cond {
            Bool::Lit(truth) => truth.to_string(),
            Bool::Cmp(op, a, b) => format!("({} {op:?} {})", self.spell(a)?, self.spell(b)?),
            Bool::And(a, b) => format!("({} and {})", self.spell_bool(a)?, self.spell_bool(b)?),
            Bool::Or(a, b) => format!("({} or {})", self.spell_bool(a)?, self.spell_bool(b)?),
            Bool::Not(a) => format!("not {}", self.spell_bool(a)?),
        })
    }
}
