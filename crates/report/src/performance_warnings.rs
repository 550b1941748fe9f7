//! Warnings for marks of a schedule that the generated C does not carry out.
//!
//! A mark changes no result, so a mark that no vector code can follow is not refused: the C compiler receives
//! the plain loop, and the buffer is an array. That may be slow, so a warning gives the first reason.

use crate::guarded_reductions::guarded_reductions;
use atl_annotations::{Annotation, Request, RequestId, Unmet};
use atl_call::dear_here;
use atl_diag::{Diagnostic, Span, warning};
use atl_loops::passes::{Left, left_as_loops};
use atl_loops::prefetch::Missing;
use atl_loops::{Name, Stmt};
use atl_lower::{Marked, NeverLeft};
use atl_session::{Failure, Lowered, Program};
use std::collections::BTreeSet;
use std::ops::Deref;

/// Why a buffer is an array, if no loop says so.
const SCATTERED: &str = "some accesses are not whole vectors at offsets known at compile time";

/// A warning for each loop in vector lanes that is left to the C compiler, for each buffer in registers that
/// is an array, and for what else a schedule asks for and does not get. None for a device's schedule, of
/// which C is not what it is for; of a schedule that is chosen only what is [`dear`] in it.
pub fn performance_warnings(lowered: &Lowered) -> Vec<Diagnostic> {
    if lowered.is_chosen { dear(lowered) } else { Warned(lowered).all() }
}

/// Of a schedule that is chosen, what takes longer than the entries of sparse operands are many. Nobody has
/// asked for its other steps.
pub fn dear(lowered: &Lowered) -> Vec<Diagnostic> {
    if !lowered.is_chosen || lowered.device.is_some() {
        return Vec::new();
    }
    let warned = Warned(lowered);
    let here = |one: Diagnostic| {
        let what = one.notes.into_iter().fold(dear_here(&lowered.function, &one.message), Diagnostic::note);
        one.help.into_iter().fold(what, |what, help| what.help(help.text))
    };
    warned.not_sparsified().chain(warned.scanned_results()).map(here).collect()
}

/// Checks everything: every function as written, and under each of its schedules. What the schedules mark and
/// C does not carry out.
///
/// # Errors
/// Every refusal, in the order of the file.
pub fn check(program: &Program) -> Result<Vec<Diagnostic>, Failure> {
    program.check_with(&performance_warnings)
}

/// The loops that warnings are about.
pub(crate) struct Warned<'l>(&'l Lowered);

impl Deref for Warned<'_> {
    type Target = Lowered;

    fn deref(&self) -> &Lowered {
        self.0
    }
}

impl Warned<'_> {
    fn all(&self) -> Vec<Diagnostic> {
        if self.device.is_some() {
            return Vec::new();
        }
        let left = left_as_loops(&self.kernel);
        let arrays = atl_backend_c::register_arrays(&self.kernel).into_iter().map(|buf| {
            let why = left.iter().find(|left| touches(left.body, &buf)).map(|left| left.why.clone());
            let why = why.unwrap_or_else(|| SCATTERED.to_owned());
            let what = format!(
                "`{}` is an array in C, which the C compiler may or may not keep in registers",
                buf.original()
            );
            (what, why, self.span)
        });
        let loops = left.iter().map(|Left { var, body, why }| {
            let what = format!(
                "the loop `{var}` has no explicit vectors in C; the C compiler may still vectorize it"
            );
            (what, why.clone(), self.marked(var, body))
        });
        let mut found: Vec<(String, String, Span)> = Vec::new();
        for remark in loops.chain(arrays) {
            if found.iter().all(|(other, ..)| *other != remark.0) {
                found.push(remark);
            }
        }
        let remark = |(what, why, span): (String, String, Span)| {
            let remark = warning!(E0410, span, "{what}").note(format!("because {why}"));
            if why.contains("is not consecutive") {
                remark.help(
                    "vectorize a loop along which all accesses are contiguous; `tile` in that order, or copy the operand into it: \
                     `stage X at L`, `pack X at L as panel by transpose`; the copy's own loop, `panel/L`, is strided",
                )
            } else if why == SCATTERED {
                remark.help(
                    "`unroll` the tile's loops but the innermost, outside and in the `let`, as in `unroll i.i, acc/i.i`, and `vectorize` that one in \
                     both, as in `vectorize acc/j.i by 16`; where tiles overhang, `peel`, `pad`, or fix sizes by `assume`",
                )
            } else {
                remark
            }
        };
        let others = self.not_prefetched().chain(self.tested_tiles()).chain(self.not_sparsified());
        let others = others.chain(self.not_unrolled()).chain(self.not_carried_out());
        let others = others.chain(self.scanned_results()).chain(self.never_left());
        found.into_iter().map(remark).chain(others).collect()
    }

    /// A warning for each tile of sums in registers that accumulates under a condition; not where `peel` has
    /// left one that is whole.
    fn tested_tiles(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        let sums = guarded_reductions(&self.kernel);
        let whole: Vec<&str> =
            sums.iter().filter(|(_, test)| test.is_none()).map(|(buf, _)| buf.original()).collect();
        let mut named: Vec<(String, String)> = Vec::new();
        for (buf, test) in sums.iter().filter_map(|(buf, test)| Some((buf.original(), test.as_ref()?))) {
            if !whole.contains(&buf) && named.iter().all(|(known, _)| known != buf) {
                named.push((buf.to_owned(), test.to_string()));
            }
        }
        named.into_iter().map(|(name, test)| {
            warning!(E0410, self.span, "`{name}` accumulates under a condition in every iteration of its sum")
                .note(format!("because its tiles may overhang: `{test}`"))
                .help(format!("`pad {name}` computes whole tiles, `peel` separates those at the end, `assume N == ..` rules them out"))
        })
    }

    /// A warning for each loop that is to be unrolled and stays a loop.
    fn not_unrolled(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        let mut named: Vec<(String, u64)> = Vec::new();
        for (var, copies) in atl_backend_c::not_unrolled(&self.kernel) {
            if named.iter().all(|(known, _)| known != var.original()) {
                named.push((var.original().to_owned(), copies));
            }
        }
        named.into_iter().map(|(name, copies)| {
            let is_it = |marked: &&Marked| marked.var.original() == name;
            let step = self.marked_with(&Annotation::Unroll).find(is_it).and_then(|marked| self.step(marked));
            warning!(E0410, step.unwrap_or(self.span), "the loop `{name}` is not unrolled in C")
                .note(format!("because its body would become {copies} statements, which takes a C compiler minutes; the loops inside are unrolled"))
                .help("unroll the innermost loops alone, or smaller tiles")
        })
    }

    /// A warning for rounds that end by themselves, in lanes.
    fn never_left(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        let mut named: Vec<(&str, &str)> = Vec::new();
        for NeverLeft { rounds, lanes } in &self.never_left {
            if named.iter().all(|(known, _)| known != rounds) {
                named.push((rounds, lanes.original()));
            }
        }
        named.into_iter().map(|(rounds, lanes)| {
            let is_it = |marked: &&Marked| marked.var.original() == lanes;
            let step = self.marked_with(&Annotation::Vectorize).find(is_it).and_then(|marked| self.step(marked));
            warning!(E0410, step.unwrap_or(self.span), "`until` does not leave the rounds `{rounds}`: all are run")
                .note(format!(
                    "because lanes of `{lanes}` run together, and each may end in another round; one that has ended changes nothing"
                ))
                .help(format!("leave `{lanes}` a plain loop if most of its rounds end early"))
        })
    }

    /// The loops that such requests are about, those of the last step first.
    fn marked_with(&self, annotation: &Annotation) -> impl Iterator<Item = &Marked> {
        let asks = |marked: &&Marked| {
            self.annotations.get(marked.request).is_some_and(|request| request.annotation == *annotation)
        };
        let mut marked: Vec<&Marked> = self.marked.iter().filter(asks).collect();
        marked.sort_by_key(|marked| std::cmp::Reverse(marked.request));
        marked.into_iter()
    }

    /// Where the step stands that a loop is marked by.
    fn step(&self, marked: &Marked) -> Option<Span> {
        self.annotations.get(marked.request).map(|request| request.span)
    }

    /// The last step that marks a loop of this name to be vectors, of those the one for the `let` that the
    /// loop stores to; the schedule's name if there is none.
    fn marked(&self, var: &Name, body: &Stmt) -> Span {
        let copied = var.original();
        let of_copy = |marked: &&Marked| marked.var == *var || marked.var.original() == copied;
        let named = || self.marked_with(&Annotation::Vectorize).filter(of_copy);
        let stored = |marked: &Marked| marked.within.as_ref().is_some_and(|x| body.stores_to(x.as_str()));
        let is_result = named().all(|marked| !stored(marked));
        let step = named().find(|marked| stored(marked) || is_result && marked.within.is_none());
        step.or_else(|| named().next()).and_then(|marked| self.step(marked)).unwrap_or(self.span)
    }

    /// A warning for each step that asks for a prefetch, and gets none.
    fn not_prefetched(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        let mut prefetched = BTreeSet::new();
        self.kernel.body.for_each(&mut |stmt| {
            if let Stmt::Prefetch { buf, .. } = stmt {
                prefetched.insert(buf.to_string());
            }
        });
        self.annotations.requests().filter_map(move |(id, request)| {
            let Annotation::Prefetch { input, by, .. } = request.annotation else { return None };
            let tensor = &self.function.params.iter().find(|param| param.level == input)?.name;
            if self.found.contains(&id) && prefetched.contains(tensor) {
                return None;
            }
            let remark = warning!(E0410, request.span, "`{tensor}` is not prefetched");
            Some(match self.missing.iter().find(|(other, _)| *other == id) {
                None => remark.note("because a later step moves its loops, or they are vector loops"),
                Some((_, why @ Missing::Extent(_))) => remark.note(format!("because {why}")).help(format!(
                    "name the outermost loop alone, as in `prefetch {tensor} at L by {by}`: each of its iterations prefetches what a later one reads"
                )),
                Some((_, why)) => remark.note(format!("because {why}")),
            })
        })
    }

    /// A warning for each other step whose request no loop carries out.
    fn not_carried_out(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        let is_lost = |(id, request): &(RequestId, &Request)| {
            !self.found.contains(id)
                && request.annotation.if_unmet() == Unmet::Warned
                && !matches!(request.annotation, Annotation::Prefetch { .. })
        };
        self.annotations.requests().filter(is_lost).map(|(_, request)| {
            warning!(E0410, request.span, "`{}` has no effect", request.step.trim_end_matches(';'))
                .note("because a later step removes its loop, or has it run in another way")
                .help("put it after the step that does so, or leave it out")
        })
    }
}

/// Does the statement store to the buffer, or read it?
fn touches(stmt: &Stmt, buf: &Name) -> bool {
    let mut found = false;
    stmt.for_each(&mut |stmt| {
        if let Stmt::Store { buf: to, value, .. } = stmt {
            found |= to == buf;
            value.for_each(&mut |part| {
                found |= matches!(part, atl_loops::Val::Load { buf: from, .. } if from == buf)
            });
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::performance_warnings;
    use atl_session::Program;

    /// The remarks on `s` of `f`: what and why.
    fn check(text: &str, expected: &[(&str, &str)]) {
        let program = Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let lowered = program
            .scheduled("f", Some("s"))
            .and_then(|f| f.lower())
            .unwrap_or_else(|e| panic!("{e}\n{text}"));
        let remarks = performance_warnings(&lowered);
        assert_eq!(remarks.len(), expected.len(), "{remarks:?}\n{text}");
        for (remark, (what, why)) in remarks.iter().zip(expected) {
            let notes = format!("{:?}", remark.notes);
            assert_eq!(remark.code.as_str(), "E0410");
            assert!(remark.message.contains(what) && notes.contains(why), "{remark:?}\n{text}");
        }
    }

    #[test]
    fn tiles_that_may_overhang_are_remarked_on() {
        let text = |more: &str| {
            format!(
                "fn f(a: f32[N, K], b: f32[K, M]) -> f32[N, M] {{ gen i < N, j < M {{ sum k < K {{ a[i, k] * b[k, j] }} }} }}
                 schedule s of f {{ tile i, j by 4, 16; reorder i.o, j.o, k, i.i, j.i; stage k as acc; store acc in register; {more}
                 unroll i.i, acc/i.i; vectorize acc/j.i, j.i by 16; }}"
            )
        };
        check(&text(""), &[("`acc` accumulates under a condition", "< N")]);
        check(&text("pad acc;"), &[]);
        check(&text("peel;"), &[]);
    }

    #[test]
    fn schedules_for_a_device_are_not_remarked_on() {
        let text = |marks: &str| {
            format!(
                "fn f(a: f32[N, K], b: f32[K, M]) -> f32[N, M] {{ gen i < N, j < M {{ sum k < K {{ a[i, k] * b[k, j] }} }} }}
                 schedule s of f {{ split i by 4; split j by 16; reorder i.o, j.o, j.i, k, i.i; stage k as acc; store acc in register; {marks} }}"
            )
        };
        check(
            &text(""),
            &[("`acc` is an array in C", "known at compile time"), ("under a condition", "< N")],
        );
        check(&text("blocks i.o as y; blocks j.o as x; threads j.i as x;"), &[]);
    }

    #[test]
    fn what_nobody_asked_for_is_not_remarked_on() {
        let text = |steps: &str| {
            format!(
                "fn f(A: f64[N, M] as csr, x: f64[M]) -> f64[N] {{ gen i < N {{ sum j < M {{ A[i, j] * x[j] }} }} }}
                 schedule s of f {{ {steps} }}"
            )
        };
        check(&text("auto;"), &[]);
        // Whoever writes the steps that were chosen is told.
        let program = Program::parse("f.atl", &text("auto;")).unwrap_or_else(|e| panic!("{e}"));
        let chosen = program.scheduled("f", Some("s")).unwrap_or_else(|e| panic!("{e}")).chosen;
        let steps = chosen.unwrap_or_else(|| panic!("a choice")).choice.steps.join("; ");
        check(&text(&format!("{steps};")), &[("`lanes` is an array in C", "known at compile time")]);
    }

    #[test]
    fn what_is_dense_in_a_schedule_that_is_chosen_is_remarked_on() {
        let check = |element: &str, expected: &[&str]| {
            let text = format!(
                "fn f(A: f64[N, M] as csr, x: f64[M]) -> f64[N, M] as csr {{ gen i < N, j < M {{ {element} }} }}"
            );
            let program = Program::parse("f.atl", &text).unwrap_or_else(|e| panic!("{e}"));
            let lowered = program.scheduled("f", Some("auto")).and_then(|f| f.lower());
            let lowered = lowered.unwrap_or_else(|e| panic!("{e}"));
            let remarks = performance_warnings(&lowered);
            let said: Vec<&str> = remarks.iter().map(|remark| remark.message.as_str()).collect();
            assert_eq!(said, expected, "{element}");
            assert!(remarks.iter().all(|remark| remark.code.as_str() == "E0419" && !remark.help.is_empty()));
            let places = remarks.iter().filter_map(|remark| remark.primary.as_ref());
            assert!(places.map(|place| place.span).all(|span| span == lowered.function.span), "{element}");
        };
        check("A[i, j] * x[j]", &[]);
        check(
            "A[i, j] / x[j]",
            &["the sparse operand `A` is traversed densely: each element is searched for"],
        );
    }

    #[test]
    fn what_c_carries_out_is_not_remarked_on() {
        check(
            "fn f(x: f32[N]) -> f32[N] { gen i < N { x[i] + 1.0 } } schedule s of f { vectorize i by 8; }",
            &[],
        );
        check(
            "fn f(a: f32[N, M]) -> f32[M] { gen j < M { sum i < N { a[i, j] } } }
             schedule s of f { split j by 16; reorder j.o, i, j.i; stage i as acc; store acc in register; peel;
                vectorize acc/j.i by 16; vectorize j.i by 16; }",
            &[],
        );
    }

    #[test]
    fn what_vectors_cannot_do_is() {
        let lanes = |element: &str, body: &str, why: &str| {
            let text = format!(
                "fn f(x: {element}[N], y: f32[3 * N]) -> {element}[N] {{ gen i < N {{ {body} }} }}
                 schedule s of f {{ vectorize i by 8; }}"
            );
            check(&text, &[("the loop `i`", why)]);
        };
        lanes("i32", "x[i] / 3", "is no operation on vectors");
        lanes("bool", "x[i]", "it computes `bool`");
        lanes("f32", "x[i] + y[3 * i]", "is not consecutive in `i`");
    }

    #[test]
    fn loops_that_are_no_vectors_are_shown_where_they_are_marked() {
        let text = "fn f(x: f32[N, 3]) -> f32[N] { gen i < N { x[i, 0] } } \
             schedule s of f { split i by 8; peel; vectorize i.i by 8; parallel i.o; }";
        let program = Program::parse("f.atl", text).unwrap();
        let remarks = performance_warnings(&program.scheduled("f", Some("s")).unwrap().lower().unwrap());
        let shown =
            remarks.iter().map(|remark| remark.span().map(|at| &text[at.start as usize..at.end as usize]));
        assert_eq!(shown.collect::<Vec<_>>(), [Some("vectorize i.i by 8")]);
    }

    #[test]
    fn the_step_for_the_tensor_that_is_stored_to_is_shown() {
        let shown = |steps: &str| {
            let text = format!(
                "fn f(a: f32[N, M], b: f32[M, N]) -> f32[M] {{
                    let p = gen x < M {{ sum j < N {{ a[j, x] }} }};
                    let q = gen x < M {{ b?[x, 0] }};
                    gen x < M {{ p[x] + q[x] }}
                 }}
                 schedule s of f {{ {steps} }}"
            );
            let program = Program::parse("f.atl", &text).unwrap();
            let remarks = performance_warnings(&program.scheduled("f", Some("s")).unwrap().lower().unwrap());
            let spans = remarks.iter().filter_map(|remark| remark.span());
            spans.map(|at| text[at.start as usize..at.end as usize].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(shown("vectorize q/x by 16; vectorize x by 16;"), ["vectorize q/x by 16"]);
        assert_eq!(shown("vectorize x by 16; vectorize q/x by 8; rename q/x to z;"), ["vectorize q/x by 8"]);
    }

    #[test]
    fn borders_that_peel_leaves_are_not_remarked_on() {
        let text = |steps: &str| {
            format!(
                "fn f(q: f64[N, M]) -> f64[N, M] where 0 < N, 0 < M {{ gen i < N, j < M {{ q[i, (j - 1) % M] - q[(i - 1) % N, j] }} }}
                 schedule s of f {{ {steps} vectorize j by 8; }}"
            )
        };
        check(&text(""), &[("the loop `j`", "is not consecutive")]);
        check(&text("peel;"), &[]);
    }

    #[test]
    fn annotations_that_no_loop_carries_out_are() {
        let text = |steps: &str| {
            format!("fn f(x: f32[N]) -> f32[N] {{ gen i < N {{ x[i] }} }} schedule s of f {{ {steps} }}")
        };
        check(&text("parallel i with dynamic; rename i to t;"), &[]);
        check(&text("parallel i with dynamic; parallel i;"), &[]);
        check(&text("parallel i; threshold i from 64; split i by 8;"), &[]);
        check(&text("threshold i from 64;"), &[("`threshold i from 64` has", "has it run in another way")]);
    }

    #[test]
    fn prefetches_that_find_no_loop_are() {
        let rows = |steps: &str, expected: &[(&str, &str)]| {
            let text = format!(
                "fn f(x: f32[N, M]) -> f32[N] {{ gen i < N {{ sum j < M {{ x[i, j] }} }} }} schedule s of f {{ {steps} }}"
            );
            check(&text, expected);
        };
        rows("prefetch x at i by 1;", &[]);
        // The sum is in a `let` of the normal form, which the schedule does not know.
        rows("prefetch x at j by 8;", &[]);
        rows("prefetch x at i, j by 8;", &[]);
        rows("prefetch x at i by 1; rename i to row;", &[]);
        let stored = |x: &str, steps: &str, expected: &[(&str, &str)]| {
            let text = format!(
                "fn f(A: f64[N, M] as csr, x: {x}) -> f64[N] {{ gen i < N {{ sum j < M {{ A[i, j] * x[j] }} }} }}
                 schedule s of f {{ rounding real; sparsify; {steps} }}"
            );
            check(&text, expected);
        };
        stored("f64[M]", "prefetch A_vals at i by 4;", &[]);
        stored("f64[M]", "prefetch A_vals at pA2 by 8;", &[]);
        let differs = ("`A_vals` is not prefetched", "the extent of `pA2` differs");
        stored("f64[M]", "prefetch A_vals at i, pA2 by 8;", &[differs]);
        let searched = ("`x_vals` is not prefetched", "depends on a search");
        stored("f64[M] as coo", "prefetch x_vals at i by 1;", &[searched]);
    }

    #[test]
    fn registers_that_are_arrays_are() {
        check(
            "fn f(a: f32[M, K], b: f32[N, K]) -> f32[M, N] { gen i < M, j < N { sum k < K { a[i, k] * b[j, k] } } }
             schedule s of f { split j by 8; reorder j.o, k, j.i; stage k as acc; store acc in register; peel;
                vectorize acc/j.i by 8; vectorize j.i by 8; }",
            &[("the loop", "is not consecutive in"), ("`acc` is an array", "`b[")],
        );
    }
}
