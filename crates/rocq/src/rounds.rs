//! Iterations: their words, and equations between them.
//!
//! In Rocq the states are one value, a tuple if they are several, and a step makes one of one. The name of a
//! state is that part of the tuple, so that what stands in the place of states computes.

use crate::error::Result;
use crate::print::Needs;
use crate::prove::{Export, Step};
use crate::raw;
use crate::scope::{Scope, Side, identifier};
use atl_kernel::{Cert, Child, Expr, Iterate, Ix, IxOp, Pred, Type};

/// The part at this place of a tuple of `count` values, by the functions for the first and the second of a
/// pair: a tuple is a pair of the others and the last.
fn part(of: &str, place: usize, count: usize, [first, second]: [&str; 2]) -> String {
    if count == 1 {
        return of.to_owned();
    }
    let others = (place + 1..count).fold(of.to_owned(), |of, _| format!("({first} {of})"));
    if place == 0 { others } else { format!("({second} {others})") }
}

/// Texts as a pair of the others and the last.
fn nested(texts: impl IntoIterator<Item = String>, pair: impl Fn(String, String) -> String) -> String {
    texts.into_iter().reduce(pair).unwrap_or_default()
}

fn tuple(texts: impl IntoIterator<Item = String>) -> String {
    nested(texts, |a, b| format!("({a}, {b})"))
}

fn conjunction(proofs: impl IntoIterator<Item = String>) -> String {
    nested(proofs, |a, b| format!("(conj {a} {b})"))
}

/// The states' types, which are those of their starts.
fn types(scope: &mut Scope, it: &Iterate, side: Side) -> Result<Vec<Type>> {
    it.states.iter().map(|state| scope.ty(&state.init, side)).collect()
}

/// The names of an iteration's variables.
struct Names {
    states: String,
    /// The round's index, and the proofs that it is in range.
    round: [String; 3],
}

impl Names {
    fn new(it: &Iterate, level: u32) -> Names {
        let first = level + it.states.len() as u32;
        let round = [
            format!("{}t", identifier(&it.label, "t", first)),
            format!("h_{first}low"),
            format!("h_{first}high"),
        ];
        Names { states: format!("states_{level}s"), round }
    }

    fn part(&self, place: usize, count: usize) -> String {
        part(&self.states, place, count, ["fst", "snd"])
    }

    /// The same of the other side.
    fn other(&self, place: usize, count: usize) -> String {
        part(&format!("{}r", self.states), place, count, ["fst", "snd"])
    }

    fn equal(&self, place: usize, count: usize) -> String {
        part(&format!("{}_equal", self.states), place, count, ["proj1", "proj2"])
    }
}

/// What stands in a step, with variables of the context from this level on.
fn opened_step(it: &Iterate, place: usize, level: u32) -> Expr {
    raw::open_all(&it.states[place].step, level, (it.states.len() + place) as u32 + 1)
}

fn opened_body(it: &Iterate, level: u32) -> Expr {
    raw::open_all(&it.body, level, it.states.len() as u32)
}

/// The step of a state at this index, below the states and the new ones before it.
pub(crate) fn step_at(it: &Iterate, place: usize, index: &Ix, fresh: u32) -> Expr {
    let around = (it.states.len() + place) as u32;
    let step = raw::put_index(&opened_step(it, place, fresh), fresh + around, index);
    raw::close_all(&step, fresh, around)
}

impl Scope {
    /// The states, which are parts of a tuple.
    fn push_states(&mut self, it: &Iterate, types: &[Type], names: &Names) {
        for (k, (state, ty)) in it.states.iter().zip(types).enumerate() {
            self.push_named(&state.label, ty.clone(), names.part(k, types.len()), None);
        }
    }

    /// The same on both sides.
    fn push_states_of_both(&mut self, it: &Iterate, [left, right]: [&[Type]; 2], names: &Names) {
        for (k, (state, (l, r))) in it.states.iter().zip(left.iter().zip(right)).enumerate() {
            let count = left.len();
            let other = (names.other(k, count), r.clone(), names.equal(k, count));
            self.push_named(&state.label, l.clone(), names.part(k, count), Some(other));
        }
    }
}

impl Needs {
    /// The type of the states together.
    fn states_type(&mut self, types: &[Type]) -> String {
        let each: Vec<String> =
            types.iter().map(|ty| format!("tensor {}", self.carrier(ty.elem.scalar))).collect();
        nested(each, |a, b| format!("({a} * {b})"))
    }

    /// That states are equal, each at its shape.
    fn relation(&mut self, scope: &Scope, types: &[Type]) -> Result<String> {
        let each = types.iter().map(|ty| Ok(format!("(teq {})", self.shape(scope, Side::Left, &ty.shape)?)));
        Ok(nested(each.collect::<Result<Vec<_>>>()?, |a, b| format!("(both {a} {b})")))
    }

    /// The extent, the starts, the step and the body: the arguments of `iterated`.
    pub(crate) fn rounds(&mut self, scope: &mut Scope, side: Side, it: &Iterate) -> Result<[String; 4]> {
        let extent = self.ix(scope, side, &it.extent, &[])?;
        let starts = it.states.iter().map(|state| self.term(scope, side, &state.init));
        let starts = tuple(starts.collect::<Result<Vec<_>>>()?);
        let types = types(scope, it, side)?;
        let level = scope.level();
        let names = Names::new(it, level);
        let of = self.states_type(&types);
        scope.push_states(it, &types, &names);
        let body = self.term(scope, side, &opened_body(it, level))?;
        let body = format!("(fun {} : {of} => {body})", names.states);
        let (mut new, mut lets) = (Vec::new(), String::new());
        for (k, (state, ty)) in it.states.iter().zip(&types).enumerate() {
            let below = scope.level();
            scope.push_loop_named(&it.label, &it.extent, &names.round);
            let step = self.term(scope, side, &opened_step(it, k, level))?;
            scope.truncate(below);
            if types.len() == 1 {
                lets = step;
                break;
            }
            let name = scope.push_tensor(&state.label, ty.clone());
            let carrier = self.carrier(ty.elem.scalar);
            lets += &format!("(let_in {step} (fun {name} : tensor {carrier} => ");
            new.push(name);
        }
        scope.truncate(level);
        if !new.is_empty() {
            let ends = "))".repeat(new.len());
            lets = format!("{lets}{}{ends}", tuple(new));
        }
        let step = format!("(fun ({} : Z) ({} : {of}) => {lets})", names.round[0], names.states);
        Ok([extent, starts, step, body])
    }
}

impl Export<'_> {
    /// Prove the goal of two iterations of as many states by an equation for each part: where `given` has one
    /// for a child, by this, and else they differ in how index terms are written.
    pub(crate) fn iterations(
        &mut self,
        scope: &mut Scope,
        shape: &[Ix],
        x: &Iterate,
        y: &Iterate,
        known: &[Cert],
        given: Option<(Child, &Step)>,
    ) -> Result<()> {
        let count = x.states.len();
        let level = scope.level();
        let names = Names::new(x, level);
        let (left, right) = (types(scope, x, Side::Left)?, types(scope, y, Side::Right)?);
        if let Some((Child::Body, child)) = given {
            self.line("apply cong_iterate_body.");
            self.line(&format!("intros {}.", names.states));
            scope.push_states(x, &left, &names);
            self.prove(scope, shape, &opened_body(x, level), &opened_body(y, level), child)?;
            scope.truncate(level);
            return Ok(());
        }
        let relation = self.needs.relation(scope, &left)?;
        let equal = self.equal(scope, &x.extent, &y.extent, known)?;
        self.line(&format!("apply (cong_iterate {relation} _ _ _ _ _ _ _ _ _ {equal})."));
        self.block(|export| {
            export.pairwise(count, &mut |export, k| {
                let (a, b) = (&x.states[k].init, &y.states[k].init);
                match given {
                    Some((Child::Init(at), child)) if at as usize == k => {
                        export.prove(scope, &left[k].shape, a, b, child)
                    }
                    _ => export.walk(scope, &left[k].shape, a, b, known),
                }
            })
        })?;
        self.block(|export| export.steps(scope, x, y, [&left, &right], known, given))?;
        let Names { states, .. } = &names;
        self.line(&format!("intros {states} {states}r {states}_equal."));
        scope.push_states_of_both(x, [&left, &right], &names);
        self.walk(scope, shape, &opened_body(x, level), &opened_body(y, level), known)?;
        scope.truncate(level);
        Ok(())
    }

    /// The goal that two tuples are related, by a proof for each part.
    fn pairwise(&mut self, count: usize, each: &mut dyn FnMut(&mut Self, usize) -> Result<()>) -> Result<()> {
        if count == 1 {
            return each(self, 0);
        }
        self.line("apply both_pair.");
        self.block(|export| export.pairwise(count - 1, each))?;
        self.block(|export| each(export, count - 1))
    }

    /// The goal `steps`: that equal states become equal ones.
    fn steps(
        &mut self,
        scope: &mut Scope,
        x: &Iterate,
        y: &Iterate,
        sides: [&[Type]; 2],
        known: &[Cert],
        given: Option<(Child, &Step)>,
    ) -> Result<()> {
        let [left, right] = sides;
        let count = left.len();
        let level = scope.level();
        let names = Names::new(x, level);
        let Names { states, round: [t, low, high] } = &names;
        let relation = self.needs.relation(scope, left)?;
        self.line(&format!("unfold steps; intros {t} {states} {states}r {low} {high} {states}_equal."));
        let mut new: Vec<[String; 3]> = Vec::new();
        // The states of one side, and those of both.
        let enter = |scope: &mut Scope, new: &[[String; 3]], both: bool| {
            scope.truncate(level);
            if both {
                scope.push_states_of_both(x, sides, &names);
            } else {
                scope.push_states(x, left, &names);
            }
            for (k, [name, twin, proof]) in new.iter().enumerate() {
                let other = both.then(|| (twin.clone(), right[k].clone(), proof.clone()));
                scope.push_named(&x.states[k].label, left[k].clone(), name.clone(), other);
            }
            scope.push_loop_named(&x.label, &x.extent, &names.round);
        };
        for (k, ty) in left.iter().enumerate() {
            let (a, b) = (opened_step(x, k, level), opened_step(y, k, level));
            let at = &ty.shape;
            let state = |export: &mut Self, scope: &mut Scope| {
                if let Some((Child::Step(place), child)) = given
                    && place as usize == k
                {
                    enter(scope, &new, false);
                    let middle = export.needs.term(scope, Side::Left, &b)?;
                    export.line(&format!("apply (trans _ _ {middle})."));
                    export.block(|export| export.prove(scope, at, &a, &b, child))?;
                    enter(scope, &new, true);
                    return export.walk(scope, at, &b, &b, &[]);
                }
                enter(scope, &new, true);
                export.walk(scope, at, &a, &b, known)
            };
            if count == 1 {
                state(self, scope)?;
                break;
            }
            scope.truncate(level);
            let text = self.needs.shape(scope, Side::Left, at)?;
            self.line(&format!("apply (cong_new {relation} {text})."));
            self.block(|export| state(export, scope))?;
            let name = identifier(&x.states[k].label, "x", level + (count + k) as u32);
            let names = [name.clone(), format!("{name}r"), format!("{name}_equal")];
            self.line(&format!("intros {}.", names.join(" ")));
            new.push(names);
        }
        if count > 1 {
            self.line(&format!("exact {}.", conjunction(new.into_iter().map(|[.., equal]| equal))));
        }
        scope.truncate(level);
        Ok(())
    }

    /// The goal of an induction: that the families' last members, in the body, are the iteration.
    pub(crate) fn induction(
        &mut self,
        scope: &mut Scope,
        shape: &[Ix],
        it: &Iterate,
        family: &[Expr],
        premises: &[(Step, Step)],
        certs: &[Cert],
    ) -> Result<()> {
        // Inductions stand in each other: what is named here has the number of this one.
        let own = self.inferences;
        let (level, count) = (scope.level(), it.states.len());
        let types = types(scope, it, Side::Left)?;
        let relation = self.needs.relation(scope, &types)?;
        let shapes = types.iter().map(|ty| self.needs.shape(scope, Side::Left, &ty.shape));
        let shapes = shapes.collect::<Result<Vec<_>>>()?;
        let transitive =
            nested(shapes.iter().map(|s| format!("(trans {s})")), |a, b| format!("(both_trans _ _ {a} {b})"));
        let at = self.needs.shape(scope, Side::Left, shape)?;
        let shown = self.show(scope, &Pred::le(Ix::ZERO, it.extent.clone()), certs)?;
        let [extent, starts, step, body] = self.needs.rounds(scope, Side::Left, it)?;
        let [t, low, high] = scope.push_loop(&it.label, &it.extent);
        let now = self.terms(scope, family)?;
        scope.truncate(level);
        self.line(&format!(
            "refine (induction {relation} {at} {extent} (fun {t} => {}) {starts} {step} {body} {transitive} _ {shown} _ _ _).",
            tuple(now.iter().cloned())
        ));
        self.block(|export| export.steps(scope, it, it, [&types, &types], &[], None))?;
        let family_at = |ix: &Ix| family.iter().map(|f| raw::put_index(f, level, ix)).collect::<Vec<_>>();
        let first = family_at(&Ix::ZERO);
        self.block(|export| {
            for (k, (base, _)) in premises.iter().enumerate() {
                let init = &it.states[k].init;
                let sides = export.terms(scope, &[first[k].clone(), init.clone()])?.join(" ");
                export.line(&format!("assert (begins'{own}'{k} : teq {} {sides}).", shapes[k]));
                export.block(|export| export.prove(scope, &types[k].shape, &first[k], init, base))?;
            }
            let all = (0..count).map(|k| format!("begins'{own}'{k}"));
            export.line(&format!("exact {}.", conjunction(all)));
            Ok(())
        })?;
        self.block(|export| {
            export.line(&format!("intros {t} {low} {high}."));
            scope.push_loop(&it.label, &it.extent);
            let round = Ix::free(level);
            let next = family_at(&raw::bin(IxOp::Add, round.clone(), Ix::ONE));
            let fresh = scope.level();
            for (k, text) in now.iter().enumerate() {
                export.line(&format!("pose (now'{own}'{k} := {text})."));
            }
            let texts = export.terms(scope, &next)?;
            for (k, text) in texts.iter().enumerate() {
                export.line(&format!("pose (next'{own}'{k} := {text})."));
            }
            // The states of this round, and the new ones as the family has them and as the steps make them.
            let names = [t.clone(), low.clone(), high.clone()];
            let enter = |scope: &mut Scope, new: usize| {
                scope.truncate(level);
                for (j, (state, ty)) in it.states.iter().zip(&types).enumerate() {
                    scope.push_named(&state.label, ty.clone(), format!("now'{own}'{j}"), None);
                }
                for (j, (state, ty)) in it.states.iter().zip(&types).take(new).enumerate() {
                    let other = (format!("new'{own}'{j}"), ty.clone(), format!("goes_on'{own}'{j}"));
                    scope.push_named(&state.label, ty.clone(), format!("next'{own}'{j}"), Some(other));
                }
                scope.push_loop_named(&it.label, &it.extent, &names);
            };
            for (k, (_, premise)) in premises.iter().enumerate() {
                let step = opened_step(it, k, level);
                enter(scope, k);
                let made = export.needs.term(scope, Side::Right, &step)?;
                let middle = export.needs.term(scope, Side::Left, &step)?;
                scope.truncate(level);
                scope.push_loop(&it.label, &it.extent);
                export.line(&format!("pose (new'{own}'{k} := {made})."));
                export.line(&format!(
                    "assert (goes_on'{own}'{k} : teq {} next'{own}'{k} new'{own}'{k}).",
                    shapes[k]
                ));
                let inner = it.lets(next[..k].iter().cloned(), step_at(it, k, &round, fresh));
                let around = it.lets(family.iter().cloned(), inner);
                export.block(|export| {
                    if k > 0 {
                        export.line(&format!("apply (trans _ _ {middle})."));
                    }
                    let sides = export.terms(scope, &[next[k].clone(), around.clone()])?.join(" ");
                    export.block(|export| {
                        export.line(&format!("change (teq {} {sides}).", shapes[k]));
                        export.prove(scope, &types[k].shape, &next[k], &around, premise)
                    })?;
                    if k > 0 {
                        export.line(&format!("unfold new'{own}'{k}."));
                        enter(scope, k);
                        export.walk(scope, &types[k].shape, &step, &step, &[])?;
                    }
                    Ok(())
                })?;
                scope.truncate(level);
                scope.push_loop(&it.label, &it.extent);
            }
            let all = (0..count).map(|k| format!("goes_on'{own}'{k}"));
            export.line(&format!("exact {}.", conjunction(all)));
            scope.truncate(level);
            Ok(())
        })?;
        let names = Names::new(it, level);
        let Names { states, .. } = &names;
        self.line(&format!("intros {states} {states}r {states}_equal."));
        scope.push_states_of_both(it, [&types, &types], &names);
        let body = opened_body(it, level);
        self.walk(scope, shape, &body, &body, &[])?;
        scope.truncate(level);
        Ok(())
    }

    fn terms(&mut self, scope: &mut Scope, terms: &[Expr]) -> Result<Vec<String>> {
        terms.iter().map(|e| self.needs.term(scope, Side::Left, e)).collect()
    }
}
