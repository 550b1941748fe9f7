//! The lines of loops: buffers `b`, values `v`, statements `w`, readings `r`, steps `h`, and the line `run`.

use super::rounds::{Begun, Made, Making, Rounds};
use super::{Begin, Buffer, Fills, Gives, Head, Kind, Program, Run, Statement, Step, Value};
use crate::prelude::*;
use crate::tables::{Tables, push};
use crate::words::Words;

/// The letters whose lines nest, by their place in [`super::Depths`].
const NESTED: [char; 4] = ['v', 'w', 'r', 'h'];

impl Program {
    /// Read a line of loops; the number of lines of its letter.
    pub(crate) fn define(
        &mut self,
        tables: &Tables,
        (letter, line): (char, u64),
        words: &mut Words<'_>,
    ) -> Checked<usize> {
        if letter == 'b' {
            let buffer = buffer(words)?;
            self.names.push(words.string()?.to_owned());
            return Ok(push(buffer, &mut self.buffers));
        }
        let mut inner = Vec::new();
        let count = match letter {
            'v' => push(self.value(tables, words, &mut inner)?, &mut self.values),
            'w' => push(self.statement(tables, words, &mut inner)?, &mut self.statements),
            'r' => {
                let form = Gives::named(words.next()?).ok_or("an unknown kind of reading")?;
                let step = self.step((form, vec![], line), form.parts(), ('r', tables), words, &mut inner)?;
                push(step, &mut self.readings)
            }
            'h' => {
                let form = Fills::named(words.next()?).ok_or("an unknown kind of step")?;
                if matches!(form, Fills::Written | Fills::SummedWritten | Fills::Results) {
                    let step = self.pieces((form, line), tables, words, &mut inner)?;
                    let count = push(step, &mut self.steps);
                    self.nest(letter, &inner)?;
                    return Ok(count);
                }
                if matches!(form, Fills::Iterated | Fills::Paired) {
                    let step = self.rounds((form, line), tables, words, &mut inner)?;
                    let count = push(step, &mut self.steps);
                    self.nest(letter, &inner)?;
                    return Ok(count);
                }
                let mut counts = Vec::new();
                if form == Fills::Swept {
                    counts.push(one_of(&["up", "down"], words)?);
                }
                for _ in 0..form.counts() {
                    counts.push(words.integer::<u32>()? as usize);
                }
                let places = (0..form.places()).map(|_| tables.read_ix(words));
                let places = places.collect::<Checked<Vec<_>>>()?;
                // What is stored has a reading for its part.
                let letter = if form == Fills::Stored { 'r' } else { 'h' };
                let parts = form.parts(&counts);
                let step = self.step((form, counts, line), parts, (letter, tables), words, &mut inner)?;
                let step = Step { places, ..step };
                if form == Fills::Stored {
                    inner.clear();
                }
                push(step, &mut self.steps)
            }
            _ => return refuse("a line of an unknown kind"),
        };
        self.nest(letter, &inner)?;
        Ok(count)
    }

    /// A line's nesting, by that of the lines inside.
    fn nest(&mut self, letter: char, inner: &[usize]) -> Checked<()> {
        let place = NESTED.iter().position(|nested| *nested == letter).unwrap_or_default();
        let depths = &mut self.depths.0[place];
        let depth = 1 + inner.iter().map(|line| depths[*line]).max().unwrap_or(0);
        require(depth <= limits::LOOP_DEPTH, "loops nest deeper than the limits allow")?;
        depths.push(depth);
        Ok(())
    }

    fn read_buffer(&self, words: &mut Words<'_>) -> Checked<usize> {
        words.reference('b', self.buffers.len())
    }

    /// A part of a line of the same letter.
    fn inner(&self, letter: char, words: &mut Words<'_>, inner: &mut Vec<usize>) -> Checked<usize> {
        let count = match letter {
            'v' => self.values.len(),
            'w' => self.statements.len(),
            'r' => self.readings.len(),
            _ => self.steps.len(),
        };
        let line = words.reference(letter, count)?;
        inner.push(line);
        Ok(line)
    }

    fn value(&self, tables: &Tables, words: &mut Words<'_>, inner: &mut Vec<usize>) -> Checked<Value> {
        Ok(match words.next()? {
            "lit" => Value::Literal(scalar(words)?, words.integer()?),
            "load" => Value::Load(self.read_buffer(words)?, tables.read_ix(words)?),
            "index" => Value::Integer(tables.read_ix(words)?),
            "convert" => Value::Convert(scalar(words)?, self.inner('v', words, inner)?),
            "op" => {
                let function = Function::named(words.next()?).ok_or("an unknown operation")?;
                let operands = (0..function.operands()).map(|_| self.inner('v', words, inner));
                Value::Operation(function, operands.collect::<Checked<_>>()?)
            }
            "select" => {
                let condition = tables.read_pred(words)?;
                Value::Select(condition, self.inner('v', words, inner)?, self.inner('v', words, inner)?)
            }
            _ => return refuse("an unknown kind of value"),
        })
    }

    /// What cells hold at first.
    fn begin(&self, words: &mut Words<'_>) -> Checked<Begin> {
        Ok(match words.next()? {
            "unset" => Begin::Unset,
            "value" => Begin::Value(words.reference('v', self.values.len())?),
            _ => return refuse("an unknown beginning of cells"),
        })
    }

    fn statement(
        &self,
        tables: &Tables,
        words: &mut Words<'_>,
        inner: &mut Vec<usize>,
    ) -> Checked<Statement> {
        Ok(match words.next()? {
            "seq" => {
                let count: u32 = words.integer()?;
                Statement::Sequence(
                    (0..count).map(|_| self.inner('w', words, inner)).collect::<Checked<_>>()?,
                )
            }
            "for" => {
                // The variable's name, for people.
                words.string()?;
                let kind = Kind::named(words.next()?).ok_or("an unknown kind of loop")?;
                let head = Head { kind, lanes: None, lo: tables.read_ix(words)?, hi: tables.read_ix(words)? };
                Statement::For(head, self.inner('w', words, inner)?)
            }
            "vectors" => {
                words.string()?;
                scalar(words)?;
                let (kind, lanes) = (Kind::Vector, Some(words.integer()?));
                let head = Head { kind, lanes, lo: tables.read_ix(words)?, hi: tables.read_ix(words)? };
                Statement::For(head, self.inner('w', words, inner)?)
            }
            "prefetch" => {
                self.read_buffer(words)?;
                tables.read_ix(words)?;
                Statement::Prefetch
            }
            "if" => Statement::If(tables.read_pred(words)?, self.inner('w', words, inner)?, None),
            "ifelse" => {
                let condition = tables.read_pred(words)?;
                let then = self.inner('w', words, inner)?;
                Statement::If(condition, then, Some(self.inner('w', words, inner)?))
            }
            "alloc" => {
                let (buffer, begin) = (self.read_buffer(words)?, self.begin(words)?);
                let extents = tables.read_ixs(words)?;
                Statement::Alloc(buffer, begin, extents, self.inner('w', words, inner)?)
            }
            "reset" => Statement::Reset(self.read_buffer(words)?, self.begin(words)?),
            "forget" => {
                let buffer = self.read_buffer(words)?;
                Statement::Forget(buffer, tables.read_ix(words)?, tables.read_ix(words)?)
            }
            "set" => {
                let (buffer, cell) = (self.read_buffer(words)?, tables.read_ix(words)?);
                Statement::Set(buffer, cell, words.reference('v', self.values.len())?)
            }
            "replace" => {
                let (buffer, cell) = (self.read_buffer(words)?, tables.read_ix(words)?);
                Statement::Replace(buffer, cell, words.reference('v', self.values.len())?)
            }
            "combine" => {
                let function = Function::named(words.next()?).ok_or("an unknown operation")?;
                let (buffer, cell) = (self.read_buffer(words)?, tables.read_ix(words)?);
                Statement::Combine(function, buffer, cell, words.reference('v', self.values.len())?)
            }
            _ => return refuse("an unknown kind of statement"),
        })
    }

    /// The rest of a reading or a step: its parts, as many as its kind has, and certificates.
    fn step<F>(
        &self,
        (form, counts, line): (F, Vec<usize>, u64),
        parts: Option<usize>,
        (letter, tables): (char, &Tables),
        words: &mut Words<'_>,
        inner: &mut Vec<usize>,
    ) -> Checked<Step<F>> {
        let parts = match parts {
            Some(parts) => parts,
            None => words.integer::<u32>()? as usize,
        };
        let parts = (0..parts).map(|_| self.inner(letter, words, inner)).collect::<Checked<_>>()?;
        let places = Vec::new();
        Ok(Step { form, counts, places, parts, certificates: certificates(tables, words)?, line })
    }

    /// An iteration: its states, its loops, and what comes after them. Of rounds by pairs each state has two
    /// beginnings, with the same predicates.
    fn rounds(
        &mut self,
        (form, line): (Fills, u64),
        tables: &Tables,
        words: &mut Words<'_>,
        inner: &mut Vec<usize>,
    ) -> Checked<Step<Fills>> {
        let (mut states, mut second, mut loops) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..words.integer::<u32>()? {
            let fills = one_of(&["replaced", "filled"], words)? == 1;
            let (home, held) = (self.read_buffer(words)?, tables.read_pred(words)?);
            let (changed, count) = (tables.read_pred(words)?, words.integer::<u32>()? as usize);
            let step = self.inner('h', words, inner)?;
            states.push(Begun { home, fills, held, changed, count, step });
            if form == Fills::Paired {
                let fills = one_of(&["replaced", "filled"], words)? == 1;
                let (home, count) = (self.read_buffer(words)?, words.integer::<u32>()? as usize);
                let step = self.inner('h', words, inner)?;
                second.push(Begun { home, fills, held, changed, count, step });
            }
        }
        for _ in 0..words.integer::<u32>()? {
            let mut all = Vec::new();
            for _ in 0..words.integer::<u32>()? {
                let how = match one_of(&["replaced", "moved", "filled"], words)? {
                    0 => Making::Replaced,
                    1 => Making::Moved,
                    _ => Making::Filled(self.read_buffer(words)?),
                };
                let (state, count) = (words.integer::<u32>()? as usize, words.integer::<u32>()? as usize);
                all.push(Made { state, how, count, step: self.inner('h', words, inner)? });
            }
            loops.push(all);
        }
        require(!states.is_empty(), "an iteration has no states")?;
        let parts = vec![self.inner('h', words, inner)?];
        self.rounds.push(Rounds { states, second, loops });
        let (counts, places) = (vec![self.rounds.len() - 1], Vec::new());
        let certificates = certificates(tables, words)?;
        Ok(Step { form, counts, places, parts, certificates, line })
    }

    /// A loop that was written out: how many iterations; for each piece but the last its width, how many
    /// statements it has, and its step; the last one's step. Several results: the same without iterations
    /// and widths.
    fn pieces(
        &self,
        (form, line): (Fills, u64),
        tables: &Tables,
        words: &mut Words<'_>,
        inner: &mut Vec<usize>,
    ) -> Checked<Step<Fills>> {
        let (mut counts, mut parts) = (Vec::new(), Vec::new());
        let is_loop = form != Fills::Results;
        if is_loop {
            counts.push(words.integer::<u32>()? as usize);
        }
        for _ in 0..words.integer::<u32>()? {
            for _ in 0..if is_loop { 2 } else { 1 } {
                counts.push(words.integer::<u32>()? as usize);
            }
            parts.push(self.inner('h', words, inner)?);
        }
        parts.push(self.inner('h', words, inner)?);
        let places = Vec::new();
        Ok(Step { form, counts, places, parts, certificates: certificates(tables, words)?, line })
    }

    /// The line that says what is run, by which step, and by which laws.
    pub(crate) fn run(&self, words: &mut Words<'_>) -> Checked<Run> {
        words.keyword("run")?;
        let statement = words.reference('w', self.statements.len())?;
        let step = words.reference('h', self.steps.len())?;
        words.keyword("laws")?;
        let mut names = Vec::new();
        while !words.is_at_end() {
            names.push(words.next()?);
        }
        let laws = Laws::listed(&names).ok_or("the line does not list laws")?;
        Ok(Run { statement, step, laws })
    }
}

/// Which of these words comes next.
fn one_of(known: &[&str], words: &mut Words<'_>) -> Checked<usize> {
    let word = words.next()?;
    known.iter().position(|known| *known == word).ok_or("an unknown word in a step".into())
}

/// Certificates, to the end of the line.
fn certificates(tables: &Tables, words: &mut Words<'_>) -> Checked<Vec<usize>> {
    let mut certificates = Vec::new();
    while !words.is_at_end() {
        certificates.push(words.reference('c', tables.certificates.len())?);
    }
    Ok(certificates)
}

fn scalar(words: &mut Words<'_>) -> Checked<Scalar> {
    Scalar::named(words.next()?).ok_or("an unknown scalar".into())
}

fn buffer(words: &mut Words<'_>) -> Checked<Buffer> {
    Ok(match words.next()? {
        "input" => Buffer::Input(words.integer()?),
        "output" => Buffer::Output,
        "scratch" => Buffer::Scratch(scalar(words)?),
        _ => return refuse("an unknown kind of buffer"),
    })
}

impl Gives {
    /// How many readings it has for parts; where that differs, the line says it.
    fn parts(self) -> Option<usize> {
        match self {
            Gives::Load | Gives::Const | Gives::Index | Gives::GuardFalse => Some(0),
            Gives::View | Gives::Guard | Gives::GuardTrue | Gives::SelectTrue | Gives::SelectFalse => Some(1),
            Gives::Select => Some(2),
            Gives::Operation => None,
        }
    }
}

impl Fills {
    /// How many counts stand before its parts.
    fn counts(self) -> usize {
        match self {
            Fills::Added | Fills::LetNew | Fills::LetThere | Fills::Joined => 1,
            Fills::Swept => 1,
            Fills::Carried | Fills::LetResult => 2,
            _ => 0,
        }
    }

    /// How many index terms stand before its parts.
    fn places(self) -> usize {
        match self {
            Fills::Pointed | Fills::PointedIf => 1,
            Fills::Swept => 2,
            _ => 0,
        }
    }

    /// How many steps it has for parts.
    fn parts(self, counts: &[usize]) -> Option<usize> {
        Some(match self {
            Fills::Never | Fills::GuardedFalse | Fills::Moving | Fills::Kept | Fills::Unheld => 0,
            // Of each loop, and of what is outside.
            Fills::Swept => counts[1].checked_add(1)?,
            // At first, the last row, each row that moves, and what reads the window.
            Fills::Carried => counts[0].checked_add(3)?,
            Fills::Added | Fills::LetNew | Fills::LetThere | Fills::LetResult => 2,
            Fills::Selected | Fills::GuardedElse => 2,
            Fills::Joined | Fills::Cutting | Fills::Either => 2,
            Fills::Pointed | Fills::PointedIf | Fills::SelectedOther => 2,
            _ => 1,
        })
    }
}
