//! Decoding of a step's arguments, once for all commands, so that every message names the argument.

use crate::refusal::{Refusal, wrong_arguments};
use crate::session::Session;
use atl_diag::{Span, err};
use atl_kernel::Ix;
use atl_syntax::ast::{Argument, Clause, Expr, LoopRef, Step};

/// A step's arguments, with the form that its command expects.
pub struct Args<'s> {
    /// The step.
    pub step: &'s Step,
    usage: &'static str,
}

impl<'s> Args<'s> {
    /// The step's arguments; `clauses` are the words it may have.
    pub fn new(step: &'s Step, usage: &'static str, clauses: &[&str]) -> Result<Args<'s>, Refusal> {
        let args = Args { step, usage };
        let mut seen: Vec<&str> = Vec::new();
        if let Some(block) = step.blocks.first() {
            return Err(wrong_arguments(block.span, usage));
        }
        for clause in &step.clauses {
            let word = clause.word.text.as_str();
            if !clauses.contains(&word) || seen.contains(&word) {
                return Err(wrong_arguments(clause.span, usage));
            }
            seen.push(word);
        }
        Ok(args)
    }

    fn wrong<T>(&self, span: Span) -> Result<T, Refusal> {
        Err(wrong_arguments(span, self.usage))
    }

    /// No arguments before the clauses.
    pub fn none(&self) -> Result<(), Refusal> {
        match self.step.args.first() {
            None => Ok(()),
            Some(arg) => self.wrong(arg.span),
        }
    }

    /// The loops before the clauses: at least one, none twice.
    pub fn loops(&self) -> Result<Vec<LoopRef>, Refusal> {
        if self.step.args.is_empty() {
            return self.wrong(self.step.span);
        }
        let mut loops: Vec<LoopRef> = Vec::new();
        for arg in &self.step.args {
            let Some(found) = arg.as_loop() else { return self.wrong(arg.span) };
            let same = |l: &LoopRef| {
                l.name.text == found.name.text
                    && l.within.as_ref().map(|n| &n.text) == found.within.as_ref().map(|n| &n.text)
            };
            if loops.iter().any(same) {
                return Err(Box::new(
                    err!(E0324, arg.span, "loop `{}` is named twice", found.name.text)
                        .label("the second time")
                        .help("name each loop once"),
                ));
            }
            loops.push(found);
        }
        Ok(loops)
    }

    /// The one loop before the clauses.
    pub fn one_loop(&self) -> Result<LoopRef, Refusal> {
        match self.loops()?.as_slice() {
            [one] => Ok(one.clone()),
            _ => self.wrong(self.step.args[1].span),
        }
    }

    /// The one name before the clauses.
    pub fn one_name(&self) -> Result<(String, Span), Refusal> {
        match self.step.args.as_slice() {
            [arg] => match arg.as_name() {
                Some(name) => Ok((name.text, arg.span)),
                None => self.wrong(arg.span),
            },
            [] => self.wrong(self.step.span),
            [_, extra, ..] => self.wrong(extra.span),
        }
    }

    /// A clause that must be there.
    pub fn clause(&self, word: &str) -> Result<&'s Clause, Refusal> {
        self.step.clause(word).map_or_else(|| self.wrong(self.step.span), Ok)
    }

    /// The one argument of a clause that must be there.
    pub fn clause_arg(&self, word: &str) -> Result<&'s Argument, Refusal> {
        let clause = self.clause(word)?;
        match clause.args.as_slice() {
            [one] => Ok(one),
            _ => self.wrong(clause.span),
        }
    }

    /// `by k, l`: as many factors as there are loops.
    pub fn factors(&self, session: &mut Session<'_>, count: usize) -> Result<Vec<Ix>, Refusal> {
        let clause = self.clause("by")?;
        if clause.args.len() != count {
            return self.wrong(clause.span);
        }
        clause.args.iter().map(|arg| factor(session, arg)).collect()
    }
}

/// A positive number, or a term over sizes.
fn factor(session: &mut Session<'_>, arg: &Argument) -> Result<Ix, Refusal> {
    if arg.as_int() == Some(0) {
        return Err(Box::new(
            err!(E0307, arg.span, "a factor must be at least 1")
                .label("tiles of zero elements cover nothing")
                .help("choose a positive factor"),
        ));
    }
    index(session, &arg.value)
}

/// An index term over the function's sizes.
pub fn index(session: &mut Session<'_>, e: &Expr) -> Result<Ix, Refusal> {
    let Session { cx, .. } = session;
    atl_lang::index_in(&cx.ctx, e, cx.prover).map_err(|mut found| {
        Box::new(match found.is_empty() {
            true => err!(E0307, e.span, "expected a number, or arithmetic over the function's sizes"),
            false => found.remove(0),
        })
    })
}
