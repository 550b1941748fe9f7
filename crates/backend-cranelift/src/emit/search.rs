//! Searches: near places are looked at, then places farther and farther on, then halves of what lies between, as
//! [`find`](atl_loops::search::find) does.

use super::Emitter;
use atl_loops::intersection::{Intersection, Sequence};
use atl_loops::search::{self, NEAR, Search};
use atl_loops::{Int, Name, Stmt};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};
use cranelift_frontend::Variable;

/// Where a search along a loop stands: its head, by where that is, and the place so far.
pub(super) type Finger = (*const Search, Variable);

/// What is looked for, and among which keys.
struct Among<'a> {
    var: &'a Name,
    key: &'a Int,
    sought: Value,
}

impl Emitter<'_> {
    /// A loop, below the fingers of the searches that go on along it.
    pub(super) fn with_fingers(&mut self, var: &Name, body: &Stmt, emit: impl FnOnce(&mut Self)) {
        self.with_own_fingers(search::fingers(body, var).into_iter().map(|finger| finger.search), emit);
    }

    /// Code below the fingers of these searches.
    fn with_own_fingers<'s>(
        &mut self,
        searches: impl Iterator<Item = &'s Search>,
        emit: impl FnOnce(&mut Self),
    ) {
        let outer = self.fingers.len();
        for search in searches {
            let first = self.int(&search.lo);
            let finger = self.builder.declare_var(types::I64);
            self.builder.def_var(finger, first);
            self.fingers.push((std::ptr::from_ref(search), finger));
        }
        emit(self);
        self.fingers.truncate(outer);
    }

    /// An intersection: along the first sequence, searches in the others, one inside another.
    pub(super) fn intersection(&mut self, intersection: &Intersection, body: &Stmt) {
        let (Sequence { var, lo, hi, .. }, searches) = (&intersection.first, intersection.searches());
        let others = search::fingers(body, var).into_iter().map(|finger| finger.search);
        self.with_own_fingers(searches.iter().chain(others), |emitter| {
            emitter.for_loop(var, (lo, hi), None, |emitter| emitter.searches(&searches, body));
        });
    }

    /// The body inside these searches.
    fn searches(&mut self, searches: &[Search], body: &Stmt) {
        let Some((search, others)) = searches.split_first() else { return self.stmt(body) };
        self.with_fingers(&search.var, body, |emitter| {
            emitter.searching(search, |emitter| emitter.searches(others, body));
        });
    }

    /// A search.
    pub(super) fn search(&mut self, search: &Search, body: &Stmt) {
        self.searching(search, |emitter| emitter.stmt(body));
    }

    /// A search, and what it does where it finds something.
    fn searching(&mut self, search: &Search, body: impl FnOnce(&mut Self)) {
        let Search { var, lo, hi, key, sought, how, .. } = search;
        let own = self.fingers.iter().find(|(own, _)| std::ptr::eq(*own, search));
        let finger = own.map(|(_, finger)| *finger);
        let (first, end) = (self.int(lo), self.int(hi));
        let first = finger.map_or(first, |finger| self.builder.use_var(finger));
        let some = self.builder.ins().icmp(IntCC::SignedLessThan, first, end);
        let outer = self.vars.get(var).copied();
        self.when(some, |emitter| {
            let sought = emitter.int(sought);
            let among = Among { var, key, sought };
            let place = emitter.find(&among, first, end);
            if how.all {
                let behind = emitter.run_of(&among, (place, end), search, body);
                if let Some(finger) = finger {
                    emitter.builder.def_var(finger, behind);
                }
                return;
            }
            if let Some(finger) = finger {
                emitter.builder.def_var(finger, place);
            }
            emitter.vars.insert(var.clone(), place);
            let is_place = emitter.builder.ins().icmp(IntCC::SignedLessThan, place, end);
            emitter.when(is_place, |emitter| emitter.guarded(search, body));
        });
        if let Some(outer) = outer {
            self.vars.insert(var.clone(), outer);
        }
    }

    /// What a search does at a place where its condition holds.
    fn guarded(&mut self, search: &Search, body: impl FnOnce(&mut Self)) {
        let cond = self.bool(&search.cond());
        self.when(cond, body);
    }

    /// The body for each place from `first` on whose key is what is sought; the place behind them.
    fn run_of(
        &mut self,
        among: &Among<'_>,
        (first, end): (Value, Value),
        search: &Search,
        body: impl FnOnce(&mut Self),
    ) -> Value {
        let [run, inside, on, stop] = [(); 4].map(|()| self.builder.create_block());
        let place = self.builder.append_block_param(run, types::I64);
        self.builder.ins().jump(run, &[BlockArg::Value(first)]);
        self.builder.switch_to_block(run);
        let is_place = self.builder.ins().icmp(IntCC::SignedLessThan, place, end);
        self.builder.ins().brif(is_place, inside, &[], stop, &[]);
        self.enter_sealed(inside);
        self.vars.insert(among.var.clone(), place);
        let key = self.int(among.key);
        let is_sought = self.builder.ins().icmp(IntCC::Equal, key, among.sought);
        self.builder.ins().brif(is_sought, on, &[], stop, &[]);
        self.enter_sealed(on);
        self.guarded(search, body);
        let next = self.builder.ins().iadd_imm_u(place, 1);
        self.builder.ins().jump(run, &[BlockArg::Value(next)]);
        self.builder.seal_block(run);
        self.enter_sealed(stop);
        place
    }

    /// The first place from `first` to before `end`, of which there are some, whose key is not below what is sought, or the end.
    fn find(&mut self, among: &Among<'_>, first: Value, end: Value) -> Value {
        let (near, place) = self.find_near(among, first, end);
        let [gallop, found] = [(); 2].map(|()| self.builder.create_block());
        let answer = self.builder.append_block_param(found, types::I64);
        let is_beyond = self.builder.ins().icmp(IntCC::Equal, place, near);
        self.builder.ins().brif(is_beyond, gallop, &[], found, &[BlockArg::Value(place)]);
        self.enter_sealed(gallop);
        let far = self.find_far(among, near, end);
        self.builder.ins().jump(found, &[BlockArg::Value(far)]);
        self.enter_sealed(found);
        answer
    }

    /// Where the near places end, and the first of them whose key is not below, or that end.
    fn find_near(&mut self, among: &Among<'_>, first: Value, end: Value) -> (Value, Value) {
        let rest = self.builder.ins().isub(end, first);
        let most = self.builder.ins().iconst(types::I64, NEAR);
        let places = self.builder.ins().umin(rest, most);
        let near = self.builder.ins().iadd(first, places);
        let [walk, inside, on, stop] = [(); 4].map(|()| self.builder.create_block());
        let place = self.builder.append_block_param(walk, types::I64);
        self.builder.ins().jump(walk, &[BlockArg::Value(first)]);
        self.builder.switch_to_block(walk);
        let is_place = self.builder.ins().icmp(IntCC::SignedLessThan, place, near);
        self.builder.ins().brif(is_place, inside, &[], stop, &[]);
        self.enter_sealed(inside);
        let below = self.is_below(among, place);
        self.builder.ins().brif(below, on, &[], stop, &[]);
        self.enter_sealed(on);
        let next = self.builder.ins().iadd_imm_u(place, 1);
        self.builder.ins().jump(walk, &[BlockArg::Value(next)]);
        self.builder.seal_block(walk);
        self.enter_sealed(stop);
        (near, place)
    }

    /// The same from farther on, where there may be no place.
    fn find_far(&mut self, among: &Among<'_>, first: Value, end: Value) -> Value {
        let one = self.builder.ins().iconst(types::I64, 1);
        // On, by more and more.
        let [gallop, inside, on, stop] = [(); 4].map(|()| self.builder.create_block());
        let [low, place, step] = [(); 3].map(|()| self.builder.append_block_param(gallop, types::I64));
        self.builder.ins().jump(gallop, &[first, first, one].map(BlockArg::Value));
        self.builder.switch_to_block(gallop);
        let is_place = self.builder.ins().icmp(IntCC::SignedLessThan, place, end);
        self.builder.ins().brif(is_place, inside, &[], stop, &[]);
        self.enter_sealed(inside);
        let below = self.is_below(among, place);
        self.builder.ins().brif(below, on, &[], stop, &[]);
        self.enter_sealed(on);
        let next = self.builder.ins().iadd(place, one);
        // Beyond the end there may be no number.
        let rest = self.builder.ins().isub(end, place);
        let step_or_rest = self.builder.ins().umin(step, rest);
        let farther = self.builder.ins().iadd(place, step_or_rest);
        let twice = self.builder.ins().iadd(step, step);
        self.builder.ins().jump(gallop, &[next, farther, twice].map(BlockArg::Value));
        self.builder.seal_block(gallop);
        self.enter_sealed(stop);
        let high = self.builder.ins().smin(place, end);
        // Halves.
        let [halve, half, found] = [(); 3].map(|()| self.builder.create_block());
        let [a, b] = [(); 2].map(|()| self.builder.append_block_param(halve, types::I64));
        self.builder.ins().jump(halve, &[low, high].map(BlockArg::Value));
        self.builder.switch_to_block(halve);
        let several = self.builder.ins().icmp(IntCC::SignedLessThan, a, b);
        self.builder.ins().brif(several, half, &[], found, &[]);
        self.enter_sealed(half);
        let length = self.builder.ins().isub(b, a);
        let part = self.builder.ins().ushr_imm_u(length, 1);
        let middle = self.builder.ins().iadd(a, part);
        let below = self.is_below(among, middle);
        let next = self.builder.ins().iadd(middle, one);
        let a = self.builder.ins().select(below, next, a);
        let b = self.builder.ins().select(below, b, middle);
        self.builder.ins().jump(halve, &[a, b].map(BlockArg::Value));
        self.builder.seal_block(halve);
        self.enter_sealed(found);
        self.builder.block_params(halve)[0]
    }

    /// Is the key at a place below what is sought?
    fn is_below(&mut self, among: &Among<'_>, place: Value) -> Value {
        self.vars.insert(among.var.clone(), place);
        let key = self.int(among.key);
        self.builder.ins().icmp(IntCC::SignedLessThan, key, among.sought)
    }
}
