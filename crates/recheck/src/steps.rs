//! The table of inferences.

use crate::inference::{Extra, Form, Inference, Place};
use crate::monoids::Use;
use crate::prelude::*;
use crate::tables::Tables;
use crate::words::{Words, integer};

impl Tables {
    /// Read an inference. `line` is its number in the file.
    pub(crate) fn inference(&self, words: &mut Words<'_>, line: u64) -> Checked<Inference> {
        let premise = |words: &mut Words<'_>| words.reference('s', self.inferences.len());
        let term = |words: &mut Words<'_>| self.read_line(words).map(|line| self.written[line].term);
        let form = match words.next()? {
            "refl" => Form::Refl(term(words)?, term(words)?),
            "sym" => Form::Sym(premise(words)?),
            "trans" => Form::Trans(premise(words)?, premise(words)?),
            "rule" => match words.next()? {
                "monoid_law" => Form::Law(self.law(words)?, term(words)?),
                name => {
                    let rule = Rule::named(name).ok_or("an unknown rule")?;
                    let extra = self.extra(rule, words)?;
                    Form::Rule { rule, extra, line: self.read_line(words)? }
                }
            },
            "cong" => {
                let (term, place) = (term(words)?, place(words.next()?)?);
                Form::Cong { term, place, premise: premise(words)? }
            }
            "cases" => Form::Cases(self.read_pred(words)?, premise(words)?, premise(words)?),
            "induction" => {
                let (e, count) = (term(words)?, words.integer::<u32>()?);
                let state = |words: &mut Words<'_>| Ok((term(words)?, premise(words)?, premise(words)?));
                Form::Induction(e, (0..count).map(|_| state(words)).collect::<Checked<_>>()?)
            }
            _ => return refuse("an unknown inference"),
        };
        let mut certificates = Vec::new();
        // The others have none, so the line must end here.
        let certified = !matches!(form, Form::Sym(_) | Form::Trans(..) | Form::Cases(..));
        while certified && !words.is_at_end() {
            certificates.push(words.reference('c', self.certificates.len())?);
        }
        Ok(Inference { form, certificates, line })
    }

    /// A use of a law of a monoid.
    fn law(&self, words: &mut Words<'_>) -> Checked<Use> {
        let monoid = words.reference('m', self.monoids.len())?;
        let (law, field, count) = (words.next()?, words.integer()?, words.integer::<u32>()?);
        require(count <= 3, "no law is of more than three elements")?;
        let fields = self.monoids[monoid].monoid.fields.len() as u64;
        let term = |_| self.read_line(words).map(|line| self.written[line].term);
        let terms = (0..u64::from(count) * fields).map(term).collect::<Checked<_>>()?;
        Use::new(monoid, law, field, terms)
    }

    /// What a rule is given besides the term.
    fn extra(&self, rule: Rule, words: &mut Words<'_>) -> Checked<Extra> {
        Ok(match rule {
            Rule::GenEta => self.read_label(words).map(|_| Extra::None)?,
            Rule::SumSplit => Extra::Split(self.read_ix(words)?),
            Rule::SumTile => {
                self.read_label(words)?;
                let outer = self.read_ix(words)?;
                self.read_label(words)?;
                Extra::Tile(outer, self.read_ix(words)?)
            }
            Rule::ArithEq | Rule::Absurd => {
                let line = self.read_line(words)?;
                Extra::Side(self.written[line].term, line)
            }
            _ => Extra::None,
        })
    }
}

fn place(word: &str) -> Checked<Place> {
    match word.split_once(':') {
        Some(("arg", number)) => integer(number).map(Place::Argument),
        Some(("init", number)) => integer(number).map(Place::Init),
        Some(("step", number)) => integer(number).map(Place::Step),
        _ => Place::named(word).ok_or("an unknown place".into()),
    }
}
