//! Prefetches of what a later iteration reads.
//!
//! The loops and conditions around the reads of an input are copied, with a [`Stmt::Prefetch`] for each read. They stand at the
//! beginning of an iteration, and are of one some iterations ahead, if there is one. So nothing is prefetched but cells that
//! are read then: each is there, and no index leaves the range of `i64`. A read of which the place, or whether it happens, hangs on
//! scratch is passed over: scratch does not hold yet what it will. So is one beside another, which the same line of memory holds.

mod near;
mod stores;

pub use stores::of_stores;

use crate::lanes::Vectors;
use crate::passes::{Substitute, rewrite_stmt};
use crate::{Bool, Int, LoopKind, Name, Run, Stmt, Val, merge};
use std::collections::BTreeSet;
use std::fmt;

/// What stands around a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Frame {
    /// The loop over this variable.
    Loop {
        /// The loop variable.
        var: Name,
        /// The first value.
        lo: Int,
        /// One past the last value.
        hi: Int,
    },
    /// A condition that holds.
    When(Bool),
}

/// What to prefetch, and when.
#[derive(Clone, Copy, Debug)]
pub struct Ahead<'k> {
    /// The input.
    pub buf: &'k Name,
    /// All inputs.
    pub inputs: &'k BTreeSet<Name>,
    /// What stands around, from the outermost of the loops whose later iterations are meant on.
    pub around: &'k [Frame],
    /// Which of these are the loops, outermost first. The iterations of several are counted as those of one loop.
    pub at: &'k [usize],
    /// How many iterations later.
    pub by: u32,
    /// What the innermost loop searches, if it does: of a later place of it nothing is known but that its key is read there.
    pub searched: Option<Searched<'k>>,
}

/// A run that is searched for, of which the places are iterations.
#[derive(Clone, Copy, Debug)]
pub struct Searched<'k> {
    /// What is compared at each place with what is sought.
    pub key: &'k Int,
    /// The cells that the input has at every place, whatever stands there; others are passed over.
    pub there: &'k [Int],
}

/// Why nothing is prefetched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Missing {
    /// No read of it stands where its place is known ahead.
    Reads,
    /// How far this loop goes hangs on another one of the loops: no later iteration has the same.
    Extent(Name),
    /// How far the loops go hangs on scratch.
    Scratch,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Reads => f.write_str("the address of the read depends on a search or on scratch memory, so it is not known in advance"),
            Missing::Extent(name) => write!(f, "the extent of `{name}` differs between iterations of the loops around it, for example because an array holds it"),
            Missing::Scratch => f.write_str("the extents of the loops depend on scratch memory"),
        }
    }
}

/// A read: what stands around it, and the cell.
type Read = (Vec<Frame>, Int);

/// The variables of a later iteration, and the condition under which there is one.
struct Later {
    values: Vec<(Name, Int)>,
    cond: Bool,
}

impl Ahead<'_> {
    /// The prefetches for a body.
    ///
    /// # Errors
    /// There are none: why.
    pub fn of(&self, body: &Stmt) -> Result<Stmt, Missing> {
        let mut reads = Vec::new();
        self.in_stmt(body, &mut Vec::new(), &mut reads);
        if let Some(Searched { key, there }) = self.searched {
            self.in_int(key, &[], &mut reads);
            reads.retain(|(frames, cell)| frames.is_empty() && there.contains(cell));
        }
        let Later { values, cond } = self.later()?;
        if reads.is_empty() {
            return Err(Missing::Reads);
        }
        let nests = near::apart(reads).into_iter().map(|(frames, index)| nest(self.buf, &frames, index));
        let there = self.around.iter().rev().fold(Stmt::seq(nests), |inner, frame| {
            let mut differs = false;
            let mut note = |name: &Name| differs |= values.iter().any(|(var, _)| var == name);
            let cond = match frame {
                Frame::Loop { var, hi, .. } => {
                    hi.for_each_var(&mut note);
                    Bool::lt(Int::Var(var.clone()), hi.clone())
                }
                Frame::When(cond) => {
                    cond.for_each_var(&mut note);
                    cond.clone()
                }
            };
            if differs { Stmt::guard(cond, inner) } else { inner }
        });
        // Innermost first: what is put for a variable mentions those inside as they are now, and none around.
        let put = |stmt, (var, by): &(Name, Int)| {
            rewrite_stmt(&Substitute { var: var.clone(), by: by.clone() }, &stmt)
        };
        Ok(Stmt::guard(cond, values.iter().fold(there, put)))
    }

    /// The iteration that is meant: the innermost loop goes on, and where it is over, the one around does.
    fn later(&self) -> Result<Later, Missing> {
        let mut values: Vec<(Name, Int)> = Vec::new();
        let mut carry = Int::Lit(i64::from(self.by));
        let frame = |position: &usize| match self.around.get(*position) {
            Some(Frame::Loop { var, hi, .. }) => Ok((var, hi)),
            Some(Frame::When(_)) | None => Err(Missing::Reads),
        };
        let (outer, inner) = self.at.split_first().ok_or(Missing::Reads)?;
        let (var, hi) = frame(outer)?;
        for position in inner.iter().rev() {
            let (var, hi) = frame(position)?;
            let next = Int::Var(var.clone()) + carry;
            values.push((var.clone(), next.clone().floor_mod(hi.clone())));
            carry = next.floor_div(hi.clone());
        }
        let cond = Bool::lt(Int::Var(var.clone()), hi.clone() - carry.clone());
        values.push((var.clone(), Int::Var(var.clone()) + carry));
        let differs = |position: &&usize| {
            frame(position).is_ok_and(|(_, hi)| values.iter().any(|(var, _)| hi.mentions(var)))
        };
        if let Some(position) = self.at.iter().find(differs) {
            return Err(Missing::Extent(frame(position)?.0.clone()));
        }
        if is_known(self.inputs, self.around, hi) {
            Ok(Later { values, cond })
        } else {
            Err(Missing::Scratch)
        }
    }

    fn in_stmt(&self, stmt: &Stmt, frames: &mut Vec<Frame>, found: &mut Vec<Read>) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.in_stmt(stmt, frames, found)),
            // What is found is not known before the search.
            Stmt::Search { .. } | Stmt::Intersection { .. } => {}
            Stmt::For { var, lo, hi, body, .. }
            | Stmt::Vectors { vectors: Vectors { var, lo, hi, .. }, body } => {
                self.in_int(lo, frames, found);
                self.in_int(hi, frames, found);
                frames.push(Frame::Loop { var: var.clone(), lo: lo.clone(), hi: hi.clone() });
                self.in_stmt(body, frames, found);
                frames.pop();
            }
            Stmt::If { cond, then, otherwise } => {
                frames.push(Frame::When(cond.clone()));
                self.in_stmt(then, frames, found);
                frames.pop();
                if let Some(otherwise) = otherwise {
                    frames.push(Frame::When(cond.clone().negate()));
                    self.in_stmt(otherwise, frames, found);
                    frames.pop();
                }
            }
            Stmt::Alloc { body, .. } => self.in_stmt(body, frames, found),
            Stmt::Store { index, value, .. } => {
                self.in_int(index, frames, found);
                self.in_val(value, frames, found);
            }
            Stmt::Push { value, .. } => self.in_val(value, frames, found),
            // The places that a merge goes through are those of its runs, as if each were gone through by itself.
            Stmt::Merge { keys, runs, body } => self.in_merge((keys, runs), body, frames, found),
            // Which cells are visited hangs on scratch.
            Stmt::Reset { .. } | Stmt::Forget { .. } | Stmt::Visit { .. } | Stmt::Prefetch { .. } => {}
        }
    }

    /// What is read at a place of one run, and of nothing else of the merge, is read at every place of it.
    fn in_merge(
        &self,
        (keys, runs): (&[Name], &[Run]),
        body: &Stmt,
        frames: &mut Vec<Frame>,
        found: &mut Vec<Read>,
    ) {
        let outer = frames.len();
        let mut inside = Vec::new();
        self.in_stmt(body, frames, &mut inside);
        for run in runs {
            if run.cond != Bool::Lit(true) {
                frames.push(Frame::When(run.cond.clone()));
            }
            self.in_int(&run.lo, frames, found);
            self.in_int(&run.hi, frames, found);
            let (var, lo, hi) = (run.place.clone(), run.lo.clone(), run.hi.clone());
            frames.push(Frame::Loop { var, lo, hi });
            run.key.iter().for_each(|part| self.in_int(part, frames, found));
            let there = run.is_there();
            for (around, cell) in &inside {
                // Conditions and loops inside may hang on other runs.
                let is_always = around[outer..].iter().all(|frame| *frame == Frame::When(there.clone()));
                let mut others = merge::variables(keys, runs).filter(|var| **var != run.place);
                let is_its_own = cell.mentions(&run.place) && !others.any(|var| cell.mentions(var));
                let read = (frames.clone(), cell.clone());
                if is_always && is_its_own && !found.contains(&read) {
                    found.push(read);
                }
            }
            frames.truncate(outer);
        }
    }

    fn in_val(&self, val: &Val, frames: &mut Vec<Frame>, found: &mut Vec<Read>) {
        match val {
            Val::Lit(_) => {}
            Val::Load { buf, index } => {
                self.in_int(index, frames, found);
                self.note(buf, index, frames, found);
            }
            Val::OfInt(int) => self.in_int(int, frames, found),
            Val::Un(_, a) | Val::Convert { val: a, .. } => self.in_val(a, frames, found),
            Val::Call(_, operands) => operands.iter().for_each(|a| self.in_val(a, frames, found)),
            Val::Bin(_, a, b) | Val::Cmp(_, a, b) => {
                self.in_val(a, frames, found);
                self.in_val(b, frames, found);
            }
            Val::Select { cond, then, otherwise } => {
                for (cond, arm) in [((**cond).clone(), then), ((**cond).clone().negate(), otherwise)] {
                    frames.push(Frame::When(cond));
                    self.in_val(arm, frames, found);
                    frames.pop();
                }
            }
            Val::Choose { cond, then, otherwise } => {
                for part in [cond, then, otherwise] {
                    self.in_val(part, frames, found);
                }
            }
        }
    }

    fn in_int(&self, int: &Int, frames: &[Frame], found: &mut Vec<Read>) {
        int.for_each_read(&mut |buf, cell| self.note(buf, cell, frames, found));
    }

    fn note(&self, buf: &Name, cell: &Int, frames: &[Frame], found: &mut Vec<Read>) {
        let read = (frames.to_vec(), cell.clone());
        if buf == self.buf && is_known(self.inputs, frames, cell) && !found.contains(&read) {
            found.push(read);
        }
    }
}

/// The prefetch of a cell in the loops that it depends on; the others are asked whether they run.
fn nest(buf: &Name, frames: &[Frame], index: Int) -> Stmt {
    let mut used = BTreeSet::new();
    let mut note = |name: &Name| used.extend([name.clone()]);
    index.for_each_var(&mut note);
    let prefetch = Stmt::Prefetch { buf: buf.clone(), index };
    frames.iter().rev().fold(prefetch, |inner, frame| {
        let mut note = |name: &Name| used.extend([name.clone()]);
        match frame {
            Frame::When(cond) => {
                cond.for_each_var(&mut note);
                Stmt::guard(cond.clone(), inner)
            }
            Frame::Loop { var, lo, hi } => {
                lo.for_each_var(&mut note);
                hi.for_each_var(&mut note);
                match used.remove(var) {
                    true => Stmt::for_loop(var.clone(), lo.clone(), hi.clone(), LoopKind::Serial, inner),
                    false if lo.constant().zip(hi.constant()).is_some_and(|(lo, hi)| lo < hi) => inner,
                    false => Stmt::guard(Bool::lt(lo.clone(), hi.clone()), inner),
                }
            }
        }
    })
}

/// Do these read nothing but inputs?
fn is_known(inputs: &BTreeSet<Name>, frames: &[Frame], index: &Int) -> bool {
    let mut known = true;
    let mut note = |buf: &Name, _: &Int| known &= inputs.contains(buf);
    index.for_each_read(&mut note);
    for frame in frames {
        match frame {
            Frame::When(cond) => cond.for_each_read(&mut note),
            Frame::Loop { lo, hi, .. } => {
                lo.for_each_read(&mut note);
                hi.for_each_read(&mut note);
            }
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::{Ahead, Frame, Searched};
    use crate::search::Search;
    use crate::{Kernel, LoopKind, Name, Stmt, parse_kernel};
    use std::collections::BTreeSet;

    /// The prefetches of `x` for a body in place of `@` in loops over `i`, `j` and `l`, two iterations ahead, in the text form.
    fn check(head: &str, body: &str, expected: &str) {
        let kernel = |inside: &str| {
            let text = format!(
                "kernel t(N, M) in f32 x[N, M] in i32 c[N] out f32 y[N, M] out i32 d[N] {{ {} }}",
                head.replace('@', inside)
            );
            parse_kernel(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
        };
        let (mut around, mut at, mut rest) = (Vec::new(), Vec::new(), kernel(body).body);
        for _ in head.chars().filter(|c| *c == '{') {
            rest = match rest {
                Stmt::For { var, lo, hi, body, .. } => {
                    at.push(around.len());
                    around.push(Frame::Loop { var, lo, hi });
                    *body
                }
                Stmt::If { cond, then, .. } => {
                    around.push(Frame::When(cond));
                    *then
                }
                rest => rest,
            };
        }
        let inputs: BTreeSet<Name> = ["x", "c"].map(Name::new).into();
        let found =
            Ahead { buf: &Name::new("x"), inputs: &inputs, around: &around, at: &at, by: 2, searched: None }
                .of(&rest)
                .unwrap_or_else(|_| Stmt::skip());
        let found = around.into_iter().rev().fold(found, |body, frame| match frame {
            Frame::Loop { var, lo, hi } => Stmt::for_loop(var, lo, hi, LoopKind::Serial, body),
            Frame::When(cond) => Stmt::guard(cond, body),
        });
        let expected = kernel(expected);
        assert_eq!(Kernel { body: found, ..expected.clone() }.to_string(), expected.to_string());
    }

    #[test]
    fn loops_around_reads_are_copied_and_others_asked_whether_they_run() {
        let rows = "for i in 0..N { @ }";
        check(
            rows,
            "vector(8) for k in 0..M { y[i * M + k] = x[i * M + k] + x[i * M + k] }",
            "if i < N - 2 { for k in 0..M { prefetch x[(i + 2) * M + k] } }",
        );
        check(
            rows,
            "for k in 0..M { y[i * M + k] = x[i] }",
            "if i < N - 2 { if 0 < M { prefetch x[i + 2] } }",
        );
        check(rows, "for k in 0..M { y[i * M + k] = 1f32 }", "");
    }

    #[test]
    fn conditions_around_reads_are_asked() {
        check(
            "for i in 0..N { @ }",
            "if i < 5 { y[i] = x[i] } else { y[i] = (M < i ? x[0] : 1f32) }",
            "if i < N - 2 { if i + 2 < 5 { prefetch x[i + 2] } \
             if !(i + 2 < 5) { if M < i + 2 { prefetch x[0] } } }",
        );
    }

    #[test]
    fn reads_beside_another_are_left_out() {
        let rows = "for i in 0..N { @ }";
        check(
            rows,
            "for k in 1..M - 1 { y[i * M + k] = x[i * M + k - 1] + x[M * i + k] + x[i * M + (k + 1)] }",
            "if i < N - 2 { for k in 1..M - 1 { prefetch x[(i + 2) * M + k - 1] } \
             for k in 1..M - 1 { prefetch x[M * (i + 2) + k] } }",
        );
        // The one with the fewest conditions is kept, and none that another condition guards.
        check(
            rows,
            "y[i] = (0 < i ? x[i * 2 - 1] : 0f32) + x[2 * i + 7] + (i < M ? x[i * 2 + 8] : 0f32) + x[i + i + 7]",
            "if i < N - 2 { prefetch x[2 * (i + 2) + 7] \
             if 0 < i + 2 { prefetch x[(i + 2) * 2 - 1] } }",
        );
        check(
            rows,
            "y[i] = (0 < i ? x[i] : 0f32) + (i < M ? x[i + 1] : 0f32)",
            "if i < N - 2 { if 0 < i + 2 { prefetch x[i + 2] } if i + 2 < M { prefetch x[i + 2 + 1] } }",
        );
    }

    #[test]
    fn the_rest_of_a_loop_is_left_out_where_it_reads_beside_the_last() {
        let rows = "for i in 0..N { @ }";
        let cut = |rest: &str, there: &str| {
            format!(
                "for k in 0..(M - 2) / 2 + 1 {{ y[i] = x[k * 2 + i * M] }} \
                 for l in 0..{rest} {{ if l + M < 5 {{ y[i] = x[{there} + i * M] }} }}"
            )
        };
        let main = "for k in 0..(M - 2) / 2 + 1 { prefetch x[k * 2 + (i + 2) * M] }";
        let check_rest = |rest: &str, there: &str, is_left_out: bool| {
            let tail =
                format!("for l in 0..{rest} {{ if l + M < 5 {{ prefetch x[{there} + (i + 2) * M] }} }}");
            let expected = if is_left_out { main.to_owned() } else { format!("{main} {tail}") };
            check(rows, &cut(rest, there), &format!("if i < N - 2 {{ {expected} }}"));
        };
        let after = "(l + ((M - 2) / 2 + 1)) * 2";
        check_rest("(M + 1) / 2 - ((M - 2) / 2 + 1)", after, true);
        check_rest("1", after, true);
        // Below either stands the same loop.
        let below = "for k in 0..(M - 2) / 2 + 1 { for j in 0..2 { y[i] = x[k * 2 + j] } } \
                     for k in 0..(M + 1) / 2 - ((M - 2) / 2 + 1) { for j in 0..2 { y[i] = x[(k + ((M - 2) / 2 + 1)) * 2 + j] } }";
        let kept = "for k in 0..(M - 2) / 2 + 1 { for j in 0..2 { prefetch x[k * 2 + j] } }";
        check(rows, below, &format!("if i < N - 2 {{ {kept} }}"));
        // Of two iterations, of as many as there are, of another divisor, far away.
        check_rest("(M + 3) / 2 - ((M - 2) / 2 + 1)", after, false);
        check_rest("(M + 1) / 2", after, false);
        check_rest("(M + 1) / 3 - ((M - 2) / 2 + 1)", after, false);
        check_rest("(M + 1) / 2 - ((M - 2) / 2 + 1)", "(l + ((M - 2) / 2 + 1)) * 2 + 8", false);
    }

    #[test]
    fn places_may_be_read_from_inputs_but_not_from_what_is_computed() {
        let rows = "for i in 0..N { @ }";
        check(rows, "y[i] = x[c[i]]", "if i < N - 2 { prefetch x[c[i + 2]] }");
        check(rows, "y[i] = x[d[i]]", "");
        check(rows, "if d[i] < 3 { y[i] = x[i] }", "");
        check("for i in 0..d[0] { @ }", "y[i] = x[i]", "");
    }

    #[test]
    fn several_loops_go_on_as_one() {
        check(
            "for i in 0..N { for j in 0..3 { for l in 0..M { @ } } }",
            "y[i] = x[(i * 3 + j) * M + l]",
            "if i < N - (j + (l + 2) / M) / 3 { \
             prefetch x[((i + (j + (l + 2) / M) / 3) * 3 + (j + (l + 2) / M) % 3) * M + (l + 2) % M] }",
        );
        check(
            "for i in 0..N { if i < 5 { for j in 0..M { @ } } }",
            "y[i] = x[j]",
            "if i < N - (j + 2) / M { if i + (j + 2) / M < 5 { prefetch x[(j + 2) % M] } }",
        );
        // Of which iterations there are so many, another iteration decides.
        check("for i in 0..N { for j in 0..i { @ } }", "y[i] = x[j]", "");
    }

    /// Of a place of a run that comes later it is known that its key is read there, and where that is.
    #[test]
    fn places_of_a_run_have_what_their_keys_have() {
        let head = "kernel t(N, M) in i64 at[1] in i32 key[N] in f32 x[N] in f32 z[M] out f32 y[M]";
        let text = format!(
            "{head} {{ for i in 0..M {{ search all(i) for p in 0..N - at[0] {{ if key[p + at[0]] == i {{ \
             y[i] += x[p + at[0]] * z[p] * (x[0] < x[p] ? x[p + at[0]] : x[1]) }} }} }} }}"
        );
        let kernel = parse_kernel(&text).unwrap();
        let mut found = String::new();
        kernel.body.for_each(&mut |stmt| {
            let Stmt::Search { search, body } = stmt else { return };
            let Search { var, lo, hi, .. } = search;
            let around = [Frame::Loop { var: var.clone(), lo: lo.clone(), hi: hi.clone() }];
            let inputs: BTreeSet<Name> = ["at", "key", "x", "z"].map(Name::new).into();
            let mut there = Vec::new();
            search.key.for_each_read(&mut |_, cell| there.push(cell.clone()));
            let searched = Some(Searched { key: &search.key, there: &there[..1] });
            for buf in ["x", "key", "z"].map(Name::new) {
                let ahead = Ahead { buf: &buf, inputs: &inputs, around: &around, at: &[0], by: 3, searched };
                let stmt = ahead.of(body).unwrap_or_else(|_| Stmt::skip());
                found += Kernel { body: stmt, ..kernel.clone() }.to_string().split_once("{\n").unwrap().1;
            }
        });
        // Of `x` what stands beside the key, of the key itself, and of `z`, which has other cells, nothing.
        let one =
            |buf: &str| format!("  if p < N - at[0] - 3 {{\n    prefetch {buf}[p + 3 + at[0]]\n  }}\n}}\n");
        assert_eq!(found, format!("{}{}}}\n", one("x"), one("key")));
    }
}
