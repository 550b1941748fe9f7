//! Random kernels.
//!
//! Every case is well formed and, on its own arguments, traps nowhere: indices are reduced modulo the number of
//! cells, and buffers are computed in phases, each of which reads only what earlier ones have filled.

use super::Case;
use super::chance::Random;
use crate::interp::Cells;
use crate::{
    Access, BinOp, Bool, BufferParam, CmpOp, Init, Int, IntOp, Kernel, Literal, LoopKind, Name, ReduceOp,
    Share, Stmt, Storage, StoreMode, UnOp, Val,
};
use atl_kernel::{Function, Scalar};

/// So many inputs, which are filled first.
const INPUTS: usize = 3;

/// The case of a seed.
pub fn random_case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let sizes = vec![random.below(5) + 1, random.below(7) + 1];
    let (n, m) = (Int::var("N"), Int::var("M"));
    let shapes = [vec![n.clone(), m.clone()], vec![m.clone()], vec![]];
    let mut generator =
        Generator { random, vars: vec!["N".into(), "M".into()], filled: Vec::new(), names: 0 };
    let mut params = Vec::new();
    let mut inputs = Vec::new();
    for (name, shape) in ["a", "b", "c"].iter().zip(&shapes) {
        let scalar = generator.scalar();
        let cells = shape.iter().map(|extent| if *extent == n { sizes[0] } else { sizes[1] }).product();
        let values: Vec<Literal> = (0..cells).map(|_| generator.random.literal(scalar)).collect();
        inputs.push(Cells::from_literals(scalar, &values));
        generator.filled.push((Name::new(name), scalar, Int::product(shape)));
        params.push(BufferParam {
            name: Name::new(name),
            scalar,
            extents: shape.clone(),
            access: Access::Read,
            over: None,
        });
    }
    for (name, shape) in [("out", vec![n, m.clone()]), ("last", vec![m])] {
        let scalar = generator.scalar();
        let (name, access) = (Name::new(name), Access::Write);
        params.push(BufferParam { name, scalar, extents: shape, access, over: None });
    }
    let body = generator.scratches(2, &params[INPUTS..]);
    let requires = vec![Bool::le(Int::Lit(1), Int::var("N")), Bool::le(Int::Lit(1), Int::var("M"))];
    let kernel = Kernel {
        name: "random_case".into(),
        sizes: vec!["N".into(), "M".into()],
        params,
        requires,
        requires_all: Vec::new(),
        body,
    };
    Case { kernel, sizes, inputs }
}

struct Generator {
    random: Random,
    vars: Vec<Name>,
    /// Buffers that may be read: name, type, number of cells.
    filled: Vec<(Name, Scalar, Int)>,
    names: usize,
}

impl Generator {
    fn fresh(&mut self, prefix: &str) -> Name {
        self.names += 1;
        Name::from(format!("{prefix}{}", self.names))
    }

    fn scalar(&mut self) -> Scalar {
        self.random.pick(&Scalar::ALL)
    }

    fn int(&mut self, depth: usize) -> Int {
        if depth > 0
            && self.random.one_in(5)
            && let Some(read) = self.read(depth - 1)
        {
            return read;
        }
        if depth == 0 || self.random.one_in(4) {
            let var = self.random.pick(&self.vars);
            return if self.random.one_in(3) { Int::Lit(self.random.below(9) - 4) } else { Int::Var(var) };
        }
        let ops = [IntOp::Add, IntOp::Sub, IntOp::Mul, IntOp::Div, IntOp::Mod, IntOp::Min, IntOp::Max];
        Int::bin(self.random.pick(&ops), self.int(depth - 1), self.int(depth - 1))
    }

    /// A small number that a cell of a buffer gives, if there is a buffer of integers.
    fn read(&mut self, depth: usize) -> Option<Int> {
        let numbers: Vec<(Name, Int)> = self
            .filled
            .iter()
            .filter(|(_, scalar, _)| scalar.is_index())
            .map(|(buf, _, cells)| (buf.clone(), cells.clone()))
            .collect();
        if numbers.is_empty() {
            return None;
        }
        let (buf, cells) = self.random.pick(&numbers);
        let cell = if cells == Int::Lit(1) { Int::Lit(0) } else { self.int(depth).floor_mod(cells) };
        Some(Int::load(buf, cell).floor_mod(Int::Lit(self.random.below(5) + 2)))
    }

    fn bool(&mut self, depth: usize) -> Bool {
        match self.random.below(if depth == 0 { 4 } else { 8 }) {
            0 => Bool::Lit(self.random.one_in(2)),
            1..4 => {
                let op = self.cmp_op();
                Bool::Cmp(op, self.int(2), self.int(2))
            }
            4 | 5 => self.bool(depth - 1).and(self.bool(depth - 1)),
            6 => self.bool(depth - 1).or(self.bool(depth - 1)),
            _ => self.bool(depth - 1).negate(),
        }
    }

    fn cmp_op(&mut self) -> CmpOp {
        self.random.pick(&[CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le])
    }

    /// A load, converted to the type.
    fn load(&mut self, scalar: Scalar) -> Val {
        let (buf, found, cells) = self.random.pick(&self.filled);
        let index = if cells == Int::Lit(1) { Int::Lit(0) } else { self.int(2).floor_mod(cells) };
        let load = Val::load(buf, index);
        if found == scalar { load } else { Val::convert(scalar, load) }
    }

    fn val(&mut self, scalar: Scalar, depth: usize) -> Val {
        if depth == 0 {
            let literal = self.random.literal(scalar);
            return if self.random.one_in(3) { Val::Lit(literal) } else { self.load(scalar) };
        }
        let depth = depth - 1;
        match self.random.below(10) {
            0 => Val::select(self.bool(1), self.val(scalar, depth), self.val(scalar, depth)),
            1 => Val::select_val(
                self.val(Scalar::Bool, depth),
                self.val(scalar, depth),
                self.val(scalar, depth),
            ),
            2 => {
                let from = self.scalar();
                Val::convert(scalar, self.val(from, depth))
            }
            3 if scalar == Scalar::I64 => Val::OfInt(self.int(2)),
            3 | 4 if scalar == Scalar::Bool => {
                let of = self.scalar();
                Val::cmp(self.cmp_op(), self.val(of, depth), self.val(of, depth))
            }
            3..6 => {
                if scalar.is_float() && self.random.one_in(2) {
                    let function = self.random.pick(Function::ALL);
                    let operands = (0..function.arity()).map(|_| self.val(scalar, depth)).collect();
                    return Val::call(function, operands);
                }
                let ops: Vec<UnOp> = UnOp::ALL.iter().copied().filter(|op| op.accepts(scalar)).collect();
                Val::un(self.random.pick(&ops), self.val(scalar, depth))
            }
            _ => {
                let ops: Vec<BinOp> = BinOp::ALL.iter().copied().filter(|op| op.accepts(scalar)).collect();
                Val::bin(self.random.pick(&ops), self.val(scalar, depth), self.val(scalar, depth))
            }
        }
    }

    fn reduce_op(&mut self, scalar: Scalar) -> ReduceOp {
        let ops = [ReduceOp::Add, ReduceOp::Mul, ReduceOp::Min, ReduceOp::Max, ReduceOp::Or, ReduceOp::And];
        let ops: Vec<ReduceOp> = ops.into_iter().filter(|op| op.bin_op().accepts(scalar)).collect();
        self.random.pick(&ops)
    }

    /// An initial value: it loads nothing.
    fn initial(&mut self, scalar: Scalar) -> Init {
        Init::Value(Val::Lit(self.random.literal(scalar)))
    }

    /// Scratch buffers around the phases of the outputs.
    fn scratches(&mut self, count: usize, outputs: &[BufferParam]) -> Stmt {
        if count == 0 {
            let phases: Vec<Stmt> = outputs
                .iter()
                .map(|output| {
                    let phase = self.phase(&output.name, output.scalar, &output.extents, Init::Uninit);
                    self.filled.push((output.name.clone(), output.scalar, Int::product(&output.extents)));
                    phase
                })
                .collect();
            return Stmt::seq(phases);
        }
        let buf = self.fresh("s");
        let scalar = self.scalar();
        let literal = Int::Lit(self.random.below(4) + 1);
        let read = self.read(1).unwrap_or(Int::Lit(1)) + Int::Lit(1);
        let (storage, extents) = self.random.pick(&[
            (Storage::Heap, vec![read]),
            (Storage::Heap, vec![Int::var("M"), literal.clone()]),
            (Storage::Heap, vec![Int::var("N") * literal.clone()]),
            (Storage::Stack, vec![literal.clone(), Int::Lit(2)]),
            (Storage::Register, vec![literal]),
            (Storage::Register, vec![]),
        ]);
        let init = if self.random.one_in(2) { Init::Uninit } else { self.initial(scalar) };
        let mut phase = self.phase(&buf, scalar, &extents, init.clone());
        if !extents.is_empty() && self.random.one_in(4) {
            phase = Stmt::seq([phase, self.anew(&buf, scalar, &extents)]);
        }
        self.filled.push((buf.clone(), scalar, Int::product(&extents)));
        let rest = self.scratches(count - 1, outputs);
        Stmt::Alloc { buf, scalar, extents, storage, init, body: Box::new(Stmt::seq([phase, rest])) }
    }

    /// Fills a buffer, whose cells hold what `init` says.
    fn phase(&mut self, buf: &Name, scalar: Scalar, extents: &[Int], init: Init) -> Stmt {
        if self.random.one_in(2) {
            return self.nest(buf, scalar, extents, Int::Lit(0), true);
        }
        // Serial reductions into arbitrary cells need values in all of them.
        let mut stmts = Vec::new();
        if init == Init::Uninit {
            stmts.push(Stmt::Reset { buf: buf.clone(), init: self.initial(scalar) });
        }
        let var = self.fresh("k");
        self.vars.push(var.clone());
        let cells = Int::product(extents);
        let index = if cells == Int::Lit(1) { Int::Lit(0) } else { self.int(2).floor_mod(cells) };
        let op = self.reduce_op(scalar);
        let mut body = Stmt::reduce(op, buf.clone(), index, self.val(scalar, 2));
        if self.random.one_in(2) {
            body = Stmt::guard(self.bool(1), body);
        }
        self.vars.pop();
        let kind = self.random.pick(&[LoopKind::Serial, LoopKind::Unroll]);
        let (lo, hi) = (
            Int::Lit(self.random.below(3) - 1),
            self.random.pick(&[Int::var("N"), Int::var("M") + Int::Lit(1)]),
        );
        stmts.push(Stmt::for_loop(var, lo, hi, kind, body));
        Stmt::seq(stmts)
    }

    /// Iterations that each set a cell of a scratch buffer anew.
    fn anew(&mut self, buf: &Name, scalar: Scalar, extents: &[Int]) -> Stmt {
        let var = self.fresh("r");
        self.vars.push(var.clone());
        let cell = Int::Var(var.clone());
        let value = self.val(scalar, 2);
        self.vars.pop();
        let forget = Stmt::Forget { buf: buf.clone(), lo: cell.clone(), hi: cell.clone() + Int::Lit(1) };
        let body = match self.random.below(2) {
            0 => Stmt::seq([forget, Stmt::set(buf.clone(), cell, value)]),
            _ => Stmt::replace(buf.clone(), cell, value),
        };
        let kind = self.random.pick(&[LoopKind::Serial, LoopKind::Unroll]);
        Stmt::for_loop(var, Int::Lit(0), Int::product(extents).min(Int::var("N")), kind, body)
    }

    /// A loop nest that sets every cell once; `offset` is the part of the index from outer loops.
    fn nest(&mut self, buf: &Name, scalar: Scalar, extents: &[Int], offset: Int, concurrent: bool) -> Stmt {
        let Some((extent, inner)) = extents.split_first() else {
            return self.set_cell(buf, scalar, offset);
        };
        let mut kinds = vec![LoopKind::Serial, LoopKind::Unroll];
        if concurrent {
            kinds.extend([
                LoopKind::Parallel(Share::Static),
                LoopKind::Parallel(Share::Dynamic),
                LoopKind::Vector { width: None },
                LoopKind::Vector { width: Some(4) },
            ]);
        }
        let kind = self.random.pick(&kinds);
        let var = self.fresh("i");
        self.vars.push(var.clone());
        let index = offset * extent.clone() + Int::Var(var.clone());
        let concurrent = concurrent && !matches!(kind, LoopKind::Vector { .. });
        let inner = |generator: &mut Generator| generator.nest(buf, scalar, inner, index, concurrent);
        let body = if concurrent && self.random.one_in(3) { self.with_row(inner) } else { inner(self) };
        let body = if self.random.one_in(6) { Stmt::seq([self.prefetch(), body]) } else { body };
        self.vars.pop();
        Stmt::for_loop(var, Int::Lit(0), extent.clone(), kind, body)
    }

    /// A prefetch of an input, in a loop or not.
    fn prefetch(&mut self) -> Stmt {
        let (buf, _, cells) = self.random.pick(&self.filled[..INPUTS]);
        if cells == Int::Lit(1) {
            return Stmt::Prefetch { buf, index: Int::Lit(0) };
        }
        if self.random.one_in(2) {
            return Stmt::Prefetch { buf, index: self.int(2).floor_mod(cells) };
        }
        let var = self.fresh("p");
        let all = Stmt::Prefetch { buf, index: Int::Var(var.clone()) };
        Stmt::for_loop(var, Int::Lit(0), cells, LoopKind::Serial, all)
    }

    /// A heap buffer of a loop's body, filled before the rest of the body can read it.
    fn with_row(&mut self, rest: impl FnOnce(&mut Generator) -> Stmt) -> Stmt {
        let (row, scalar) = (self.fresh("row"), self.scalar());
        let init = if self.random.one_in(2) { Init::Uninit } else { self.initial(scalar) };
        let extents = vec![Int::var("M")];
        let fill = self.nest(&row, scalar, &extents, Int::Lit(0), false);
        self.filled.push((row.clone(), scalar, extents[0].clone()));
        let rest = rest(self);
        self.filled.pop();
        Stmt::Alloc {
            buf: row,
            scalar,
            extents,
            storage: Storage::Heap,
            init,
            body: Box::new(Stmt::seq([fill, rest])),
        }
    }

    fn set_cell(&mut self, buf: &Name, scalar: Scalar, index: Int) -> Stmt {
        if self.random.one_in(2) {
            return Stmt::set(buf.clone(), index, self.val(scalar, 3));
        }
        let acc = self.fresh("acc");
        let var = self.fresh("r");
        self.vars.push(var.clone());
        let op = self.reduce_op(scalar);
        let value = self.val(scalar, 2);
        self.vars.pop();
        let init = self.initial(scalar);
        let reduce = Stmt::Store { buf: acc.clone(), index: Int::Lit(0), value, mode: StoreMode::Reduce(op) };
        let read = self.read(1).unwrap_or(Int::Lit(2));
        let bound = self.random.pick(&[Int::Lit(3), Int::var("M"), read]);
        let sum = Stmt::for_loop(var, Int::Lit(0), bound, LoopKind::Serial, reduce);
        let set = Stmt::set(buf.clone(), index, Val::scalar(acc.clone()));
        Stmt::Alloc {
            buf: acc,
            scalar,
            extents: Vec::new(),
            storage: Storage::Register,
            init,
            body: Box::new(Stmt::seq([sum, set])),
        }
    }
}
