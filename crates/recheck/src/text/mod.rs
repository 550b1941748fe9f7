//! C text beside the loops of a proof file: that it is these loops.
//!
//! Written from the document `docs/book/src/text-format.md`, without a look at what prints such texts. The
//! text is read as a subset of C whose meaning is certain; its statements and those of the loops are
//! compared side by side, in order, up to the identities that the document lists. A text outside of the
//! subset has no evidence; one inside that says something else differs.
//!
//! `lexer`, `numbers`, `parser`, `statements`, `syntax` and `frame` read; `helpers` has the texts of helpers
//! and `calls` what they mean; `values` are the forms that are compared, `typed` and `operators` what an
//! expression is, `guards` that nothing more is read, `idle` what does nothing, `fences` that stores past
//! the caches are waited for; `reader`, `walk`, `memory`, `stores` and `blocks` compare.

mod blocks;
mod calls;
mod digest;
mod fences;
mod frame;
mod guards;
mod helpers;
mod idle;
mod lexer;
mod memory;
mod numbers;
mod operators;
mod parser;
mod reader;
mod statements;
mod stores;
mod syntax;
mod typed;
mod values;
mod walk;

use crate::context::{Entry, Type};
use crate::prelude::*;
use crate::program::{Buffer, Program, Run};
use crate::refusal::Refusal;
use frame::{Frame, Parameter, expression};
use reader::{Reader, Thing};
use std::collections::BTreeSet;
use std::fmt;
use syntax::{Expr, Form, Node, Statement};
use typed::cell_type;
use values::Values;
use walk::Cursor;

/// What a C text is seen to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// The loops of the file, as this function with these parameters.
    Loops(String),
    /// Nothing: the file has no loops, or the text is outside of the subset, for this reason at this line.
    Unknown(Refusal),
    /// Something else than the loops: a fault of what printed it, or a text that was changed.
    Differs(Refusal),
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Text::Loops(function) => write!(f, "text: the loops, statement by statement, as {function}"),
            Text::Unknown(Refusal { line: 0, why }) => write!(f, "text: no evidence, for {why}"),
            Text::Unknown(Refusal { line, why }) => {
                write!(f, "text: no evidence, for it has {why} (line {line})")
            }
            Text::Differs(Refusal { line, why }) => write!(f, "text: not the loops: line {line}: {why}"),
        }
    }
}

/// Why the reading of a text ends.
enum Trouble {
    Outside(Refusal),
    Differs(Refusal),
}

/// What is read, or why the reading ends.
type Read<T> = Result<T, Trouble>;

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Trouble {
        Trouble::Outside(Refusal { line: 0, ..refusal })
    }
}

/// The text has what the subset does not have.
fn outside<T>(line: u64, what: impl Into<std::borrow::Cow<'static, str>>) -> Read<T> {
    Err(Trouble::Outside(Refusal { line, why: what.into() }))
}

/// The text says something else than the loops.
fn differs<T>(line: u64, why: impl Into<std::borrow::Cow<'static, str>>) -> Read<T> {
    Err(Trouble::Differs(Refusal { line, why: why.into() }))
}

/// Compare a text with loops that compute a term with results of these types.
pub(crate) fn compare(
    (store, entries): (&Store, &[Entry]),
    (program, run): (&Program, &Run),
    results: &[Type],
    text: &str,
) -> Text {
    let seen = Frame::of(text).and_then(|frame| {
        seen((store, entries), (program, run), results, &frame)?;
        let names: Vec<&str> = frame.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        Ok(format!("`{}({})`", frame.name, names.join(", ")))
    });
    match seen {
        Ok(function) => Text::Loops(function),
        Err(Trouble::Outside(why)) => Text::Unknown(why),
        Err(Trouble::Differs(why)) => Text::Differs(why),
    }
}

fn seen(
    (store, entries): (&Store, &[Entry]),
    (program, run): (&Program, &Run),
    results: &[Type],
    frame: &Frame,
) -> Read<()> {
    let mut outputs = results.iter();
    let types = (0..program.count()).map(|buffer| match program.buffer(buffer) {
        Some(Buffer::Input(level)) => match entries.get(level as usize) {
            Some(Entry::Tensor(ty)) => Ok(ty.element.scalar),
            _ => refuse("an input is no tensor"),
        },
        Some(Buffer::Scratch(scalar)) => Ok(scalar),
        _ => outputs.next().map(|ty| ty.element.scalar).ok_or("an output is no result".into()),
    });
    let types = types.collect::<Checked<Vec<_>>>()?;
    let cells = vec![None; types.len()];
    let mut reader = Reader {
        values: Values::new(store, program, types),
        program,
        helpers: &frame.helpers,
        pools: &frame.pools,
        things: Vec::new(),
        nonnegative: BTreeSet::new(),
        lane: None,
        active: None,
        loops: Vec::new(),
        cells,
        next: u32::try_from(entries.len()).unwrap_or(u32::MAX / 2),
        unknowns: 0,
    };
    let extents = reader.parameters(entries, results, frame)?;
    idle::numbers_alone(frame)?;
    fences::all_fenced(&frame.body, frame.line)?;
    let body = reader.refusals(&frame.body, entries, &extents)?;
    match reader.function(run, body, frame.line) {
        Err(Trouble::Differs(Refusal { line, .. })) if reader.values.cancels.get() => {
            outside(line, "a comparison whose sides cancel, or another than that of the loops")
        }
        read => read,
    }
}

impl Reader<'_> {
    /// What the parameters are: the sizes in order, then the arrays in order. The extents of the arrays.
    fn parameters(&mut self, entries: &[Entry], results: &[Type], frame: &Frame) -> Read<Vec<Ix>> {
        let store = self.values.store;
        let sizes: Vec<u32> =
            (0..).zip(entries).filter(|(_, entry)| **entry == Entry::Index).map(|(level, _)| level).collect();
        let buffers: Vec<usize> = (0..self.program.count())
            .filter(|buffer| !matches!(self.program.buffer(*buffer), Some(Buffer::Scratch(_))))
            .collect();
        let arrays: Vec<&Parameter> =
            frame.parameters.iter().filter(|parameter| parameter.array.is_some()).collect();
        if frame.parameters.len() - arrays.len() != sizes.len() || arrays.len() != buffers.len() {
            return differs(frame.line, "other parameters than the sizes and arrays of the loops");
        }
        for (parameter, level) in frame.parameters.iter().zip(&sizes) {
            let size = store.free_ix(*level)?;
            let natural = store.compare(Relation::Le, store.literal(0)?, size)?;
            if entries.contains(&Entry::Hypothesis(natural)) {
                self.nonnegative.insert(*level);
            }
            self.declare(frame.line, &parameter.name, Thing::Index(size))?;
        }
        let (mut all, mut outputs) = (Vec::new(), results.iter());
        for (parameter, buffer) in arrays.into_iter().zip(buffers) {
            let shape = match self.program.buffer(buffer) {
                Some(Buffer::Input(level)) => match entries.get(level as usize) {
                    Some(Entry::Tensor(ty)) => ty.shape,
                    _ => return outside(frame.line, "an input that is no tensor"),
                },
                _ => match outputs.next() {
                    Some(ty) => ty.shape,
                    None => return outside(frame.line, "an output that is no result"),
                },
            };
            let is_input = matches!(self.program.buffer(buffer), Some(Buffer::Input(_)));
            if parameter.array != Some((cell_type(self.values.types[buffer]), is_input)) {
                return differs(
                    frame.line,
                    format!("`{}` has another type than the buffer of the loops", parameter.name),
                );
            }
            let extents = store.ix_list(shape);
            self.cells[buffer] = Some(self.product(&extents)?);
            self.declare(frame.line, &parameter.name, Thing::Array(buffer))?;
            all.extend(extents);
        }
        Ok(all)
    }

    /// The first statements refuse what the file does not speak of: sizes or extents below 0, and
    /// hypotheses that do not hold.
    fn refusals<'t>(
        &mut self,
        body: &'t [Statement],
        entries: &[Entry],
        extents: &[Ix],
    ) -> Read<&'t [Statement]> {
        let store = self.values.store;
        let mut refused = Vec::new();
        let zero = store.literal(0)?;
        for (level, entry) in (0..).zip(entries) {
            match entry {
                Entry::Index => {
                    refused.push(self.values.compare(Relation::Lt, store.free_ix(level)?, zero)?)
                }
                Entry::Hypothesis(known) => {
                    let known = self.condition_of_loops(*known)?;
                    refused.push(self.values.not(known)?);
                }
                Entry::Tensor(_) | Entry::General(..) => {}
            }
        }
        for extent in extents {
            refused.push(self.values.compare(Relation::Lt, *extent, zero)?);
        }
        let mut rest = body;
        while let [Statement { form: Form::If(condition, then, None), line }, after @ ..] = rest
            && let [Statement { form: Form::Return(Expr { node: Node::Integer(2, _), .. }), .. }] =
                then.as_slice()
        {
            let condition = self.condition(condition)?;
            if self.condition_reads(condition)? {
                return outside(*line, "a refusal that reads memory");
            }
            if !refused.contains(&condition) {
                return outside(*line, "a refusal of what is not seen to be outside of the claim");
            }
            rest = after;
        }
        Ok(rest)
    }

    /// The statements of the function, up to its `return`.
    fn function(&mut self, run: &Run, mut body: &[Statement], line: u64) -> Read<()> {
        let mut status = Node::Integer(0, syntax::Constant::Int);
        while let [Statement { form: Form::Void, .. }, rest @ ..] = body {
            body = rest;
        }
        if let [Statement { form: Form::Declare(declared), .. }, rest @ ..] = body
            && declared.name == "atl_status"
        {
            let zero =
                matches!(&declared.value, Some(syntax::Given::Value(Expr { node: Node::Integer(0, _), .. })));
            if !zero
                || declared.ty != "int32_t"
                || declared.is_constant
                || declared.is_pointer
                || declared.cells.is_some()
            {
                return outside(line, "a status of this form");
            }
            self.own(line, "atl_status", Thing::Status)?;
            status = Node::Name("atl_status".to_owned());
            body = rest;
        }
        let Some((Statement { form: Form::Return(returned), line: last }, body)) = body.split_last() else {
            return outside(line, "a function that does not end with `return`");
        };
        let is_status = match (&returned.node, &status) {
            (Node::Name(name), Node::Name(status)) => name == status,
            (Node::Integer(0, _), Node::Integer(..)) => true,
            _ => false,
        };
        if !is_status {
            return differs(*last, "another status is returned");
        }
        let loops = self.program.list(self.values.store, run.statement)?;
        let mut cursor = Cursor::of(body, line);
        self.sequence(&loops, &mut cursor)?;
        cursor.finish()
    }
}
