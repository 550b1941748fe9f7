//! Outputs whose memory may be an input's: no cell of the input is read once the output's cell may have been set.
//!
//! A kernel sets each cell once within a lifetime. So a cell that an iteration sets is still the input's until this very store, whatever
//! the order of the loops, and whoever runs them. Hence a read is harmless if the iteration in which it stands goes on to
//! set, without fail, the output's cell of the same index; or if nothing of the output can have been set before it.

use super::{Rule, Validator};
use crate::{Access, BufferParam, Init, Int, Kernel, Name, Stmt, Val};

impl Validator {
    /// The outputs over inputs.
    pub(super) fn outputs_over_inputs(&mut self, kernel: &Kernel) {
        for output in &kernel.params {
            let Some(over) = &output.over else { continue };
            self.over(kernel, output, over);
        }
    }

    fn over(&mut self, kernel: &Kernel, output: &BufferParam, over: &Name) {
        let input = kernel.params.iter().find(|param| param.name == *over);
        let alike = |input: &&BufferParam| input.scalar == output.scalar && input.extents == output.extents;
        let is_plain = matches!(output.access, Access::Write | Access::Stream);
        if !is_plain || input.filter(|input| input.access == Access::Read).filter(alike).is_none() {
            let message =
                format!("`{}` is over `{over}`, which is no input of its type and extents", output.name);
            self.report(Rule::Over, message);
            return;
        }
        if kernel.params.iter().filter(|param| param.over.as_ref() == Some(over)).count() > 1 {
            self.report(Rule::Over, format!("more than one output is over `{over}`"));
        }
        let mut reads = Reads { output: &output.name, input: over, may_be_set: false, found: Vec::new() };
        reads.stmt(&kernel.body, &mut Vec::new());
        for message in reads.found {
            self.report(Rule::Over, message);
        }
    }
}

/// The walk over the statements, in their order.
struct Reads<'k> {
    output: &'k Name,
    input: &'k Name,
    /// May a cell of the output have been set by now?
    may_be_set: bool,
    found: Vec<String>,
}

impl<'k> Reads<'k> {
    /// The statement, after which the iteration goes on to set the cells `to_come`.
    fn stmt(&mut self, stmt: &'k Stmt, to_come: &mut Vec<&'k Int>) {
        // The bounds of a loop may be looked at before each iteration.
        self.may_be_set |= stmt.is_loop() && stmt.written().contains(self.output);
        let known = to_come.len();
        if let Stmt::Store { buf, index, .. } = stmt
            && buf == self.output
        {
            to_come.push(index);
        }
        self.own(stmt, to_come);
        to_come.truncate(known);
        match stmt {
            Stmt::Seq(stmts) => {
                for (k, part) in stmts.iter().enumerate() {
                    stmts[k + 1..].iter().for_each(|later| self.certain(later, to_come));
                    self.stmt(part, to_come);
                    to_come.truncate(known);
                }
            }
            Stmt::Store { buf, .. } => self.may_be_set |= buf == self.output,
            stmt => stmt.parts().for_each(|part| self.stmt(part, to_come)),
        }
    }

    /// The cells that a statement sets whatever happens, if they are known before it.
    fn certain(&self, stmt: &'k Stmt, cells: &mut Vec<&'k Int>) {
        match stmt {
            Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| self.certain(stmt, cells)),
            Stmt::Alloc { body, .. } => self.certain(body, cells),
            Stmt::Store { buf, index, .. } if buf == self.output && !index.reads() => cells.push(index),
            _ => {}
        }
    }

    /// What the statement itself reads.
    fn own(&mut self, stmt: &'k Stmt, to_come: &[&'k Int]) {
        stmt.for_each_read(&mut |buf, cell| self.read(buf, cell, to_come));
        if let Stmt::Alloc { init: Init::Value(value), .. }
        | Stmt::Reset { init: Init::Value(value), .. }
        | Stmt::Store { value, .. }
        | Stmt::Push { value, .. } = stmt
        {
            value.for_each(&mut |part| {
                if let Val::Load { buf, index } = part {
                    self.read(buf, index, to_come);
                }
            });
        }
    }

    fn read(&mut self, buf: &Name, cell: &Int, to_come: &[&Int]) {
        if buf == self.input && self.may_be_set && !to_come.contains(&cell) {
            let (input, output) = (self.input, self.output);
            self.found.push(format!(
                "`{input}[{cell}]` is read where `{output}`, which is over it, may have been set"
            ));
        }
    }
}
