//! Merges: as long as a run has places, the least key, the body, and on with those that have it.

use super::Emitter;
use atl_loops::{Bool, Int, Name, Run, Stmt};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Variable;

/// A run while it is merged: its place, its end, and the parts of its key.
struct Walk<'a> {
    run: &'a Run,
    place: Variable,
    end: Variable,
    key: Vec<Variable>,
}

impl Emitter<'_> {
    /// A merge.
    pub(super) fn merge(&mut self, keys: &[Name], runs: &[Run], body: &Stmt) {
        let walks: Vec<Walk<'_>> = runs.iter().map(|run| self.walk(run)).collect();
        let least: Vec<Variable> = keys.iter().map(|_| self.builder.declare_var(types::I64)).collect();
        let first = self.builder.ins().iconst(types::I64, 0);
        least.iter().for_each(|part| self.builder.def_var(*part, first));
        let [header, inside, exit] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().jump(header, &[]);
        self.builder.switch_to_block(header);
        let mut goes_on = self.builder.ins().iconst(types::I8, 0);
        for walk in &walks {
            let is_place = self.is_place(walk);
            goes_on = self.builder.ins().bor(goes_on, is_place);
        }
        self.builder.ins().brif(goes_on, inside, &[], exit, &[]);
        self.enter_sealed(inside);
        let none = self.builder.ins().iconst(types::I8, 0);
        let mut known = none;
        for walk in &walks {
            known = self.least(walk, &least, known);
        }
        for (name, part) in keys.iter().zip(&least) {
            let value = self.builder.use_var(*part);
            self.vars.insert(name.clone(), value);
        }
        let mut moved = Vec::new();
        for walk in &walks {
            let mut has = self.is_place(walk);
            for (own, part) in walk.key.iter().zip(&least) {
                let (own, part) = (self.builder.use_var(*own), self.builder.use_var(*part));
                let equal = self.builder.ins().icmp(IntCC::Equal, own, part);
                has = self.builder.ins().band(has, equal);
            }
            let has = self.builder.ins().uextend(types::I64, has);
            let place = self.builder.use_var(walk.place);
            self.vars.insert(walk.run.place.clone(), place);
            self.vars.insert(walk.run.has.clone(), has);
            moved.push(self.builder.ins().iadd(place, has));
        }
        self.stmt(body);
        for (walk, place) in walks.iter().zip(moved) {
            self.builder.def_var(walk.place, place);
        }
        self.builder.ins().jump(header, &[]);
        self.builder.seal_block(header);
        self.enter_sealed(exit);
    }

    /// A run at its first place.
    fn walk<'a>(&mut self, run: &'a Run) -> Walk<'a> {
        let [place, end] = [(); 2].map(|()| self.builder.declare_var(types::I64));
        let key = run.key.iter().map(|_| self.builder.declare_var(types::I64)).collect();
        let none = self.builder.ins().iconst(types::I64, 0);
        self.builder.def_var(place, none);
        self.builder.def_var(end, none);
        let bounds = |emitter: &mut Self| {
            let (first, last) = (emitter.int(&run.lo), emitter.int(&run.hi));
            emitter.builder.def_var(place, first);
            emitter.builder.def_var(end, last);
        };
        if run.cond == Bool::Lit(true) {
            bounds(self);
        } else {
            let cond = self.bool(&run.cond);
            self.when(cond, bounds);
        }
        let walk = Walk { run, place, end, key };
        for part in &walk.key {
            self.builder.def_var(*part, none);
        }
        walk
    }

    /// Does it stand at a place?
    fn is_place(&mut self, walk: &Walk<'_>) -> Value {
        let (place, end) = (self.builder.use_var(walk.place), self.builder.use_var(walk.end));
        self.builder.ins().icmp(IntCC::SignedLessThan, place, end)
    }

    /// Makes the run's key the least, if it has a place and none is known or the key is below it. Is one known?
    fn least(&mut self, walk: &Walk<'_>, least: &[Variable], known: Value) -> Value {
        let is_place = self.is_place(walk);
        self.when(is_place, |emitter| {
            let place = emitter.builder.use_var(walk.place);
            emitter.vars.insert(walk.run.place.clone(), place);
            let key: Vec<Value> = walk.run.key.iter().map(|part: &Int| emitter.int(part)).collect();
            let mut below = emitter.builder.ins().iconst(types::I8, 0);
            for ((value, own), part) in key.iter().zip(&walk.key).zip(least).rev() {
                emitter.builder.def_var(*own, *value);
                let part = emitter.builder.use_var(*part);
                let less = emitter.builder.ins().icmp(IntCC::SignedLessThan, *value, part);
                let equal = emitter.builder.ins().icmp(IntCC::Equal, *value, part);
                let further = emitter.builder.ins().band(equal, below);
                below = emitter.builder.ins().bor(less, further);
            }
            let unknown = emitter.builder.ins().bxor_imm_u(known, 1);
            let takes = emitter.builder.ins().bor(unknown, below);
            for (value, part) in key.iter().zip(least) {
                let before = emitter.builder.use_var(*part);
                let after = emitter.builder.ins().select(takes, *value, before);
                emitter.builder.def_var(*part, after);
            }
        });
        self.builder.ins().bor(known, is_place)
    }
}
