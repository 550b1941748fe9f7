//! The loops that make the copies of operands which a schedule asks for.
//!
//! **The one idea.** Loops are derived with the copy's arrays among their inputs, and what is known of
//! these is in the theorem's context. Here the arrays become the kernel's own: in front of everything
//! else, the entries of each row or column of the copy are counted, the counts added up, and each entry
//! is put where those of its row or column stand then. Entries are visited in the original's order, so
//! those of one row or column come in increasing order.
//!
//! ```text
//! alloc crd', order [as many as there are entries], pos[n + 2] = 0
//! for each entry: pos[crd + 2] += 1                       count
//! for i in 0..n: pos[i + 2] += pos[i + 1]                 scan: those of i begin at pos[i + 1]
//! for each entry p of o: crd', order [pos[crd + 1]] = o, p; pos[crd + 1] += 1
//! ```
//!
//! That these loops make arrays of which that is true, no theorem says: they are tested. So a call has
//! the arguments that the function has, and nothing is required of the copy's arrays.

use atl_kernel::Scalar;
use atl_lang::{Function, OperandCopy};
use atl_loops::{
    BufferParam, Init, Int, IntOp, Kernel, Literal, LoopKind, Name, ReduceOp, Stmt, Storage, Val,
};
use std::collections::BTreeSet;

/// More entries than memory holds, so few that no arithmetic on their positions leaves 64 bits.
const ENTRIES: i64 = 1 << 58;

/// The kernel, which makes the copies of its function; none where it lacks an array of one.
pub(crate) fn with_copies(kernel: Kernel, f: &Function) -> Option<Kernel> {
    f.copies.iter().rev().try_fold(kernel, |kernel, copy| with_copy(kernel, f, copy))
}

fn with_copy(kernel: Kernel, f: &Function, copy: &OperandCopy) -> Option<Kernel> {
    let param = |name: &str| kernel.params.iter().find(|param| *param.name.as_str() == *name);
    let original = copy.from.map(|level| {
        let array = f.params.iter().find(|array| array.level == level);
        array.and_then(|array| param(&array.name))
    });
    let own = copy.arrays.each_ref().map(|array| param(&array.name));
    let ([Some(from), Some(crd)], [Some(pos), Some(others), Some(order), Some(_)]) = (original, own) else {
        return None;
    };
    let arrays = Arrays { from, crd, pos, others, order };
    let body = arrays.made(&kernel, kernel.body.clone());
    let own: BTreeSet<&str> = copy.arrays.iter().map(|array| array.name.as_str()).collect();
    let params = kernel.params.iter().filter(|param| !own.contains(param.name.as_str())).cloned().collect();
    let of_call = kernel.requires_all.iter().filter(|stated| {
        let mut reads = false;
        stated.for_each_read(&mut |array, _| reads |= own.contains(array.as_str()));
        !reads
    });
    let requires_all = of_call.cloned().collect();
    Some(Kernel { params, requires_all, body, ..kernel })
}

/// The arrays of the original, and those of the copy.
struct Arrays<'k> {
    from: &'k BufferParam,
    crd: &'k BufferParam,
    pos: &'k BufferParam,
    others: &'k BufferParam,
    order: &'k BufferParam,
}

impl Arrays<'_> {
    /// The arrays, and then what they are read by.
    fn made(&self, kernel: &Kernel, body: Stmt) -> Stmt {
        let zero = || Init::Value(Val::Lit(Literal::i64(0)));
        let (o, p) = (unused(kernel, "o"), unused(kernel, "p"));
        let begin = Int::load(self.from.name.clone(), Int::Var(o.clone()));
        let at = Int::Var(p.clone()) + begin.clone();
        let other = Int::load(self.crd.name.clone(), at.clone());
        let each = |body: Stmt| {
            let end = Int::load(self.from.name.clone(), Int::Var(o.clone()) + Int::Lit(1));
            let inner = Stmt::for_loop(p.clone(), Int::Lit(0), end - begin.clone(), LoopKind::Serial, body);
            Stmt::for_loop(o.clone(), Int::Lit(0), count(self.from), LoopKind::Serial, inner)
        };
        let one = || Val::OfInt(Int::Lit(1));
        let counted = each(self.add(other.clone() + Int::Lit(2), one()));
        let before = Val::load(self.pos.name.clone(), Int::Var(o.clone()) + Int::Lit(1));
        let scan = self.add(Int::Var(o.clone()) + Int::Lit(2), before);
        let scanned = Stmt::for_loop(o.clone(), Int::Lit(0), count(self.pos), LoopKind::Serial, scan);
        let next = other + Int::Lit(1);
        let place = Int::load(self.pos.name.clone(), next.clone());
        let row = Val::convert(self.others.scalar, Val::OfInt(Int::Var(o.clone())));
        let filled = each(Stmt::seq([
            Stmt::set(self.others.name.clone(), place.clone(), row),
            Stmt::replace(self.order.name.clone(), place, Val::convert(Scalar::I64, Val::OfInt(at))),
            self.add(next, one()),
        ]));
        let room = count(self.pos) + Int::Lit(2);
        let inside = scratch(self.pos, vec![room], zero(), Stmt::seq([counted, scanned, filled, body]));
        let inside = scratch(self.order, self.order.extents.clone(), zero(), inside);
        scratch(self.others, self.others.extents.clone(), Init::Uninit, inside)
    }

    /// Adds to a position. It stays within [`ENTRIES`].
    fn add(&self, cell: Int, value: Val) -> Stmt {
        let pos = &self.pos.name;
        Stmt::seq([
            Stmt::reduce(ReduceOp::Add, pos.clone(), cell.clone(), value),
            Stmt::reduce(ReduceOp::Min, pos.clone(), cell, Val::OfInt(Int::Lit(ENTRIES))),
        ])
    }
}

/// How many segments an array says the ends of: one less than it has cells.
fn count(pos: &BufferParam) -> Int {
    match pos.extents.first() {
        Some(Int::Bin(IntOp::Add, n, one)) if **one == Int::Lit(1) => (**n).clone(),
        Some(cells) => cells.clone() - Int::Lit(1),
        None => Int::Lit(0),
    }
}

fn scratch(array: &BufferParam, extents: Vec<Int>, init: Init, body: Stmt) -> Stmt {
    let (buf, scalar, body) = (array.name.clone(), array.scalar, Box::new(body));
    Stmt::Alloc { buf, scalar, extents, storage: Storage::Heap, init, body }
}

/// This name, or a longer one that no size and no array has.
fn unused(kernel: &Kernel, name: &str) -> Name {
    let mut own = Name::new(name);
    let is_taken = |own: &Name| kernel.sizes.contains(own) || kernel.params.iter().any(|p| p.name == *own);
    while is_taken(&own) {
        own = Name::new(&format!("{}_", own.as_str()));
    }
    own
}
