//! Statements as C: the printer, and loops, branches and stores. Allocations are in `allocations`.

use crate::Options;
use crate::append;
use crate::automatic::becomes_vectors;
use crate::edges::{is_edge, is_remainder};
use crate::lanes::{Over, else_mask};
use crate::stream;
use crate::terms::Terms;
use crate::unrolling::{FACTOR, WHOLE};
use crate::uses::Uses;
use atl_c_text::Dialect;
use atl_loops::lanes::{Lanes, Vectors};
use atl_loops::{
    Access, Bool, BufferParam, CmpOp, Init, Int, Literal, LoopKind, Name, ReduceOp, Share, Stmt, StoreMode,
    Val, is_half,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Where a search along a loop stands: its statement's number, and the variable that says so.
pub(crate) type Finger = (usize, String);

/// Prints statements.
pub(crate) struct Printer<'a> {
    pub(crate) terms: Terms,
    pub(crate) text: String,
    options: &'a Options,
    pub(crate) uses: &'a Uses,
    depth: usize,
    /// How many cells each buffer in scope has, as C.
    pub(crate) cells: BTreeMap<Name, String>,
    /// The touched buffers in scope, and what they begin with.
    pub(crate) touched: BTreeMap<Name, Val>,
    /// How many parallel loops stand around.
    pub(crate) parallel: usize,
    /// The kernel's sizes.
    pub(crate) sizes: BTreeSet<Name>,
    /// Is what is printed seldom run?
    seldom: bool,
    /// The loops whose end is a variable already.
    ended: BTreeSet<Name>,
    /// The buffers whose allocation may fail; each has a pool.
    pub(crate) pools: Vec<String>,
    /// The statement of each line, by its number in the order of [`Stmt::for_each`].
    pub(crate) statements: Vec<Option<usize>>,
    /// Where the searches along the loops around stand.
    pub(crate) fingers: Vec<Finger>,
    /// The statement that is being printed.
    pub(crate) current: Option<usize>,
    /// The number of the next one.
    pub(crate) next: usize,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(terms: Terms, options: &'a Options, uses: &'a Uses) -> Printer<'a> {
        Printer {
            terms,
            text: String::new(),
            options,
            uses,
            depth: 1,
            cells: BTreeMap::new(),
            touched: BTreeMap::new(),
            parallel: 0,
            sizes: BTreeSet::new(),
            seldom: false,
            ended: BTreeSet::new(),
            pools: Vec::new(),
            statements: Vec::new(),
            fingers: Vec::new(),
            current: None,
            next: 0,
        }
    }

    /// Notes a parameter, whose extents are known to be at least 0.
    pub(crate) fn add_param(&mut self, param: &BufferParam) {
        let cells = self.terms.int(&Int::product(&param.extents));
        self.cells.insert(param.name.clone(), cells);
        if param.access == Access::Stream {
            self.terms.streamed.insert(param.name.clone());
        }
    }

    /// The kernel's body.
    pub(crate) fn body(&mut self, stmt: &Stmt) {
        self.tail_statement(stmt);
        if self.streams(stmt) {
            self.fence();
        }
    }

    /// Does the statement store past the caches?
    fn streams(&self, stmt: &Stmt) -> bool {
        stream::streams(&self.terms.streamed, stmt)
    }

    fn fence(&mut self) {
        self.terms.helpers().insert("atl_fence");
        self.line("atl_fence();");
    }

    /// Prints the next statement; its lines are those that are printed meanwhile.
    pub(crate) fn numbered(&mut self, print: impl FnOnce(&mut Printer<'a>)) {
        let outer = self.current.replace(self.next);
        self.next += 1;
        print(self);
        self.current = outer;
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.statements.push(self.current);
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * self.depth);
    }

    pub(crate) fn block(&mut self, opening: &str, body: impl FnOnce(&mut Printer<'a>)) {
        self.line(&format!("{opening}{{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    /// The statement as the rest of a block: an allocation at its end shares the block's scope. The names of
    /// buffers are distinct, and no loop variable of the block is declared beside them.
    pub(crate) fn tail_statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Seq(stmts) => self.numbered(|printer| {
                if let Some((last, others)) = stmts.split_last() {
                    others.iter().for_each(|stmt| printer.stmt(stmt));
                    printer.tail_statement(last);
                }
            }),
            Stmt::Alloc { .. } if !self.uses.reads_uninitialised_after_oom(stmt) => {
                self.numbered(|printer| printer.alloc(stmt))
            }
            stmt => self.stmt(stmt),
        }
    }

    /// Prints a statement.
    pub(crate) fn stmt(&mut self, stmt: &Stmt) {
        self.numbered(|printer| {
            printer
                .unless_short(printer.reads_uninitialised_after_oom(stmt), |printer| printer.stmt_body(stmt));
        });
    }

    /// A condition on what is done.
    pub(crate) fn guarded(&mut self, cond: &Bool, then: &Stmt) {
        self.unless_short(self.uses.condition_reads_uninitialised_after_oom(cond), |printer| {
            let cond = printer.terms.bool(cond);
            printer.block(&format!("if ({cond}) "), |printer| printer.tail_statement(then));
        });
    }

    /// What may read indices that were not written if memory is short, and is not done then; or what may not.
    fn unless_short(&mut self, after_oom: bool, print: impl FnOnce(&mut Printer<'a>)) {
        let printer = self;
        match after_oom {
            true => {
                let status = if printer.parallel > 0 {
                    "__atomic_load_n(&atl_status, __ATOMIC_RELAXED)"
                } else {
                    "atl_status"
                };
                // The lines of the condition are no statement's.
                let number = printer.current.take();
                printer.block(&format!("if ({status} == 0) "), |printer| {
                    printer.current = number;
                    print(printer);
                    printer.current = None;
                });
            }
            false => print(printer),
        }
    }

    /// If memory is short, may the statement read indices that were not written? Of a vector loop, all that is inside counts.
    fn reads_uninitialised_after_oom(&self, stmt: &Stmt) -> bool {
        let mut found = self.uses.reads_uninitialised_after_oom(stmt);
        if let Stmt::For { kind: LoopKind::Vector { .. }, .. } | Stmt::Vectors { .. } = stmt {
            stmt.for_each(&mut |inside| found |= self.uses.reads_uninitialised_after_oom(inside));
        }
        found
    }

    fn stmt_body(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            Stmt::For { var, lo, hi, kind, body } => {
                let around = self.seldom;
                // Unrolled, what is inside becomes lanes.
                self.seldom &= !becomes_vectors(self.terms.buffer_types(), stmt);
                self.for_loop(var, lo, hi, kind, body);
                self.seldom = around;
            }
            Stmt::Vectors { vectors, body } => {
                let rounded = self.terms.round_products(false);
                self.vectors(vectors, body);
                self.terms.round_products(rounded);
            }
            Stmt::Search { search, body } => {
                self.with_fingers(&search.var, body, |printer| printer.search(search, body));
            }
            Stmt::Intersection { intersection, body } => self.intersection(intersection, body),
            Stmt::If { cond, then, otherwise } => {
                let cond = self.terms.bool(cond);
                self.block(&format!("if ({cond}) "), |printer| printer.tail_statement(then));
                if let Some(otherwise) = otherwise {
                    self.otherwise(|printer| printer.tail_statement(otherwise));
                }
            }
            Stmt::Alloc { .. } => self.block("", |printer| printer.alloc(stmt)),
            Stmt::Reset { buf, init } if self.touched.contains_key(buf) => self.forget(buf, init),
            Stmt::Reset { buf, init } => self.initialise(buf, init),
            // What memory holds is not looked at again.
            Stmt::Forget { .. } => {}
            Stmt::Push { buf, value } => {
                let (scalar, value) = (self.terms.buffer_type(buf), self.terms.val(value));
                let lines = append::push(&mut self.terms, buf, scalar, &value);
                lines.iter().for_each(|line| self.line(line));
            }
            Stmt::Visit { var, buf, body } => {
                if let Some(first) = self.touched.get(buf).cloned() {
                    self.visit(var, buf, &first, |printer| printer.tail_statement(body));
                }
            }
            Stmt::Merge { keys, runs, body } => self.merge(keys, runs, body),
            Stmt::Prefetch { buf, index } => {
                let cell = self.terms.cell(buf, index);
                self.terms.helpers().insert("ATL_PREFETCH");
                self.line(&format!("ATL_PREFETCH(&{cell});"));
            }
            Stmt::Store { buf, index, value, mode } => {
                let marked = self.touched.contains_key(buf);
                // The sum waits for its cell longer than the mark does; but an index that reads the cells is another one afterwards.
                let mut reads_itself = false;
                index.for_each_read(&mut |other, _| reads_itself |= other == buf);
                if marked && reads_itself {
                    self.mark(buf, index);
                }
                let cell = self.terms.cell(buf, index);
                let scalar = self.terms.buffer_type(buf);
                let line = match mode {
                    StoreMode::Set | StoreMode::Replace => format!("{cell} = {};", self.terms.val(value)),
                    StoreMode::Reduce(ReduceOp::Add) if scalar.is_float() && !is_half(scalar) => {
                        format!("{cell} += {};", self.terms.val(value))
                    }
                    StoreMode::Reduce(ReduceOp::Mul)
                        if scalar.is_float() && !is_half(scalar) && !self.terms.rounds_products() =>
                    {
                        format!("{cell} *= {};", self.terms.val(value))
                    }
                    StoreMode::Reduce(op) => {
                        format!("{cell} = {};", self.terms.combine(op.bin_op(), scalar, &cell, value))
                    }
                };
                self.line(&line);
                if marked && !reads_itself {
                    self.mark(buf, index);
                }
            }
        }
    }

    fn for_loop(&mut self, var: &Name, lo: &Int, hi: &Int, kind: &LoopKind, body: &Stmt) {
        if let (LoopKind::Parallel(share), true) = (kind, self.options.openmp) {
            return self.threads(var, (lo, hi), *share, body);
        }
        let print = |printer: &mut Self| match kind {
            LoopKind::EarlyExit(buf) => printer.early_exit(var, (lo, hi), buf, body),
            LoopKind::Unless(buf) => {
                let goes_on = Val::cmp(CmpOp::Ne, Val::scalar(buf.clone()), Val::Lit(Literal::Bool(true)));
                let goes_on = format!(" && {}", printer.terms.val(&goes_on));
                printer.loop_while(var, (lo, hi), &goes_on, body);
            }
            LoopKind::Serial if let Some(change) = printer.terms.change(var, (lo, hi), body) => {
                printer.skipping(var, (lo, hi), &change, body);
            }
            kind => printer.plain_loop(var, (lo, hi), kind, |printer| printer.tail_statement(body)),
        };
        if in_order(kind) { self.with_fingers(var, body, print) } else { print(self) }
    }

    /// A loop from one iteration to the next.
    fn plain_loop(
        &mut self,
        var: &Name,
        (lo, hi): (&Int, &Int),
        kind: &LoopKind,
        body: impl FnOnce(&mut Printer<'a>),
    ) {
        match kind {
            LoopKind::Serial
            | LoopKind::Parallel(_)
            | LoopKind::EarlyExit(_)
            | LoopKind::Unless(_)
            | LoopKind::Block(_)
            | LoopKind::Thread(_) => {}
            LoopKind::Vector { width } => {
                let lanes = width.map(|width| format!(" simdlen({width})")).unwrap_or_default();
                return self.with_end(var, hi, |printer| {
                    printer.line(&format!("#pragma omp simd{lanes}"));
                    printer.plain_loop(var, (lo, hi), &LoopKind::Serial, body);
                });
            }
            LoopKind::Unroll => {
                let count = (hi.clone() - lo.clone()).constant().filter(|count| (0..=WHOLE).contains(count));
                let factor = if self.seldom { 1 } else { count.unwrap_or(FACTOR) };
                self.line(&format!("#pragma GCC unroll {factor}"));
            }
        }
        let opening = self.heading(var, (lo, hi), "++");
        self.terms.set_nonnegative(var, self.terms.is_nonnegative(lo));
        let is_edge = is_edge(lo, hi, &|name| self.sizes.contains(name));
        self.seldom_run(is_edge, |printer| printer.block(&opening, body));
        self.terms.set_nonnegative(var, false);
    }

    /// What is seldom run, or as seldom as what stands around.
    fn seldom_run(&mut self, seldom: bool, print: impl FnOnce(&mut Printer<'a>)) {
        let around = self.seldom;
        self.seldom |= seldom;
        print(self);
        self.seldom = around;
    }

    /// A loop that ends once nothing changes the register any more.
    fn early_exit(&mut self, var: &Name, (lo, hi): (&Int, &Int), buf: &Name, body: &Stmt) {
        let end = body.reduction_into(buf).and_then(|op| op.end(self.terms.buffer_type(buf)));
        let goes_on = |end| Val::cmp(CmpOp::Ne, Val::scalar(buf.clone()), Val::Lit(end));
        let goes_on = end.map(|end| format!(" && {}", self.terms.val(&goes_on(end)))).unwrap_or_default();
        self.loop_while(var, (lo, hi), &goes_on, body);
    }

    /// A loop with a further condition, `&& ..`, on going on.
    fn loop_while(&mut self, var: &Name, (lo, hi): (&Int, &Int), goes_on: &str, body: &Stmt) {
        let opening = self.heading_while(var, (lo, hi), "++", goes_on);
        self.terms.set_nonnegative(var, self.terms.is_nonnegative(lo));
        self.block(&opening, |printer| printer.tail_statement(body));
        self.terms.set_nonnegative(var, false);
    }

    /// `for (…)`. An end that reads memory is computed once, and kept: here, or where [`Printer::with_end`] has said so.
    fn heading(&mut self, var: &Name, bounds: (&Int, &Int), step: &str) -> String {
        self.heading_while(var, bounds, step, "")
    }

    /// The same with a further condition, `&& ..`, on going on.
    fn heading_while(&mut self, var: &Name, (lo, hi): (&Int, &Int), step: &str, also: &str) -> String {
        let (first, variable) = (self.terms.int(lo), self.terms.identifier(var));
        let (declared, end) = match (hi.reads(), self.ended.contains(var)) {
            (false, _) => (String::new(), self.terms.int(hi)),
            (true, true) => (String::new(), self.terms.end(var)),
            (true, false) => {
                let (end, value) = (self.terms.end(var), self.terms.int(hi));
                (format!(", {end} = {value}"), end)
            }
        };
        format!("for (int64_t {variable} = {first}{declared}; {variable} < {end}{also}; {variable}{step}) ")
    }

    /// A loop under a pragma, which allows it but one variable: an end that reads memory is declared before.
    fn with_end(&mut self, var: &Name, hi: &Int, body: impl FnOnce(&mut Printer<'a>)) {
        if !hi.reads() {
            return body(self);
        }
        let (end, value) = (self.terms.end(var), self.terms.int(hi));
        self.block("", |printer| {
            printer.line(&format!("const int64_t {end} = {value};"));
            printer.ended.insert(var.clone());
            body(printer);
            printer.ended.remove(var);
        });
    }

    /// A loop of several threads, unless there is but one iteration. Where they store past the caches, each ends with a fence.
    fn threads(&mut self, var: &Name, (lo, hi): (&Int, &Int), share: Share, body: &Stmt) {
        let schedule = match share {
            Share::Static => "static",
            Share::Dynamic => "dynamic",
        };
        self.with_end(var, hi, |printer| printer.shared_loop(var, (lo, hi), schedule, body));
    }

    fn shared_loop(&mut self, var: &Name, (lo, hi): (&Int, &Int), schedule: &str, body: &Stmt) {
        let streams = self.streams(body);
        let several = match (hi.clone() - lo.clone()).constant() {
            Some(_) => String::new(),
            None => {
                let end = if hi.reads() { self.terms.end(var) } else { self.terms.int(hi) };
                match lo.constant().and_then(|lo| lo.checked_add(1)) {
                    Some(second) => format!(" if ({} < {end})", self.terms.int(&Int::Lit(second))),
                    None => {
                        self.terms.helpers().insert("atl_several");
                        format!(" if (atl_several({}, {end}))", self.terms.int(lo))
                    }
                }
            }
        };
        self.parallel += 1;
        if streams {
            self.line(&format!("#pragma omp parallel{several}"));
            self.block("", |printer| {
                printer.line(&format!("#pragma omp for schedule({schedule}) nowait"));
                printer.plain_loop(var, (lo, hi), &LoopKind::Serial, |printer| printer.tail_statement(body));
                printer.fence();
            });
        } else {
            self.line(&format!("#pragma omp parallel for schedule({schedule}){several}"));
            self.plain_loop(var, (lo, hi), &LoopKind::Serial, |printer| printer.tail_statement(body));
        }
        self.parallel -= 1;
    }

    /// A loop from one vector to the next.
    fn vectors(&mut self, vectors: &Vectors, body: &Stmt) {
        let Vectors { var, lo, hi, lanes: count, .. } = vectors;
        let lanes = Lanes::new(vectors, body);
        let over = Over::new(vectors, &lanes, lanes.selects(body));
        if over.is_from_zero {
            return self.vector_stmt(&over, body);
        }
        let (first, variable) = (self.terms.int(lo), self.terms.identifier(var));
        self.terms.set_nonnegative(var, self.terms.is_nonnegative(lo));
        if vectors.are_one() {
            self.block("", |printer| {
                printer.line(&format!("const int64_t {variable} = {first};"));
                printer.seldom_run(is_remainder(vectors), |printer| printer.vector_stmt(&over, body));
            });
        } else {
            let opening = self.heading(var, (lo, hi), &format!(" += {count}"));
            self.block(&opening, |printer| printer.vector_stmt(&over, body));
        }
        self.terms.set_nonnegative(var, false);
    }

    /// A statement in all lanes at once.
    fn vector_stmt(&mut self, over: &Over<'_>, stmt: &Stmt) {
        self.numbered(|printer| match stmt {
            Stmt::Alloc { .. } if let Some(line) = printer.terms.dot_into(stmt, over) => {
                printer.whole(stmt, &line);
            }
            Stmt::For { .. } if let Some((sum, value)) = printer.terms.dot(stmt, over, None) => {
                let line = format!("{} = {value};", printer.terms.identifier(&sum));
                printer.whole(stmt, &line);
            }
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| printer.vector_stmt(over, stmt)),
            Stmt::For { var, lo, hi, kind, body } => {
                printer.plain_loop(var, (lo, hi), kind, |printer| printer.vector_stmt(over, body));
            }
            Stmt::If { cond, then, otherwise } if over.lanes.varies_where(cond) => {
                let on = printer.terms.bits(cond, over);
                printer.some_lanes(&over.within(&on), then);
                if let Some(otherwise) = otherwise {
                    let off = else_mask(&on, over);
                    printer.some_lanes(&over.within(&off), otherwise);
                }
            }
            Stmt::If { cond, then, otherwise } => {
                let cond = printer.terms.bool(cond);
                printer.block(&format!("if ({cond}) "), |printer| printer.vector_stmt(over, then));
                if let Some(otherwise) = otherwise {
                    printer.otherwise(|printer| printer.vector_stmt(over, otherwise));
                }
            }
            Stmt::Alloc { buf, scalar, init, body, .. } => {
                let vector = over.of(*scalar).vector();
                let ty = printer.terms.vector_type(vector);
                let variable = printer.terms.identifier(buf);
                let first = match init {
                    Init::Value(value) => printer.terms.vector_of(value, vector),
                    Init::Uninit => format!("({ty}){{0}}"),
                };
                printer.block("", |printer| {
                    printer.line(&format!("{ty} {variable} = {first};"));
                    printer.mark_unread(buf);
                    printer.vector_stmt(over, body);
                });
            }
            Stmt::Reset { buf, init } => {
                if let Init::Value(value) = init {
                    let zero = Int::Lit(0);
                    let line = printer.terms.vector_store((buf, &zero), value, StoreMode::Set, over);
                    printer.line(&line);
                }
            }
            // `Lanes` has refused them.
            Stmt::Prefetch { .. } | Stmt::Forget { .. } => {}
            Stmt::Store { buf, index, value, mode } => {
                let line = printer.terms.vector_store((buf, index), value, *mode, over);
                printer.line(&line);
            }
            // No lanes do these.
            Stmt::Push { .. }
            | Stmt::Visit { .. }
            | Stmt::Vectors { .. }
            | Stmt::Search { .. }
            | Stmt::Intersection { .. }
            | Stmt::Merge { .. } => {}
        });
    }

    /// The line of the current statement and all inside it.
    fn whole(&mut self, stmt: &Stmt, line: &str) {
        self.line(line);
        // The statement itself has its number.
        stmt.parts().for_each(|part| part.for_each(&mut |_| self.next += 1));
    }

    /// A statement in some lanes, if there are any.
    fn some_lanes(&mut self, over: &Over<'_>, stmt: &Stmt) {
        let mask = over.mask.clone().unwrap_or_default();
        let name = format!("atl_on_{}", self.depth);
        self.block("", |printer| {
            printer.line(&format!("const uint64_t {name} = {mask};"));
            let within = over.within_some(name.clone());
            printer.block(&format!("if ({name} != 0) "), |printer| printer.vector_stmt(&within, stmt));
        });
    }

    /// An `else` on the line of the brace before it.
    pub(crate) fn otherwise(&mut self, body: impl FnOnce(&mut Printer<'a>)) {
        self.otherwise_if("", body);
    }

    /// An `else` with a condition, such as `if (x) `.
    pub(crate) fn otherwise_if(&mut self, condition: &str, body: impl FnOnce(&mut Printer<'a>)) {
        self.text.truncate(self.text.trim_end().len());
        // Writing to a string does not fail.
        let _ = writeln!(self.text, " else {condition}{{");
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }
}

/// May the loop have fingers?
pub(crate) fn in_order(kind: &LoopKind) -> bool {
    matches!(kind, LoopKind::Serial | LoopKind::Unroll | LoopKind::EarlyExit(_) | LoopKind::Unless(_))
}
