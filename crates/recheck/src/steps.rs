//! The table of inferences.

use crate::inference::{Extra, Form, Inference, Place};
use crate::prelude::*;
use crate::tables::Tables;
use crate::words::{Words, integer};

impl Tables {
    /// Read an inference. `line` is its number in the file.
    pub(crate) fn inference(&self, words: &mut Words<'_>, line: u64) -> Checked<Inference> {
        let premise = |words: &mut Words<'_>| words.reference('s', self.inferences.len());
        let mut premises = Vec::new();
        let mut certified = false;
        let form = match words.next()? {
            "refl" => {
                certified = true;
                let (left, right) = (self.read_line(words)?, self.read_line(words)?);
                Form::Refl(self.written[left].term, self.written[right].term)
            }
            "sym" => {
                premises.push(premise(words)?);
                Form::Sym(premises[0])
            }
            "trans" => {
                premises.extend([premise(words)?, premise(words)?]);
                Form::Trans(premises[0], premises[1])
            }
            "rule" => {
                certified = true;
                let rule = Rule::named(words.next()?).ok_or("an unknown rule")?;
                let extra = self.extra(rule, words)?;
                Form::Rule { rule, extra, line: self.read_line(words)? }
            }
            "cong" => {
                certified = true;
                let term = self.written[self.read_line(words)?].term;
                let place = place(words.next()?)?;
                premises.push(premise(words)?);
                Form::Cong { term, place, premise: premises[0] }
            }
            "cases" => {
                let pred: Pred = self.read_pred(words)?;
                premises.extend([premise(words)?, premise(words)?]);
                Form::Cases(pred, premises[0], premises[1])
            }
            _ => return refuse("an unknown inference"),
        };
        let mut certificates = Vec::new();
        while certified && !words.is_at_end() {
            certificates.push(words.reference('c', self.certificates.len())?);
        }
        let (mut nodes, mut depth) = (1u64, 0);
        for premise in premises {
            let premise = &self.inferences[premise];
            nodes = nodes.saturating_add(premise.nodes);
            depth = depth.max(premise.depth);
        }
        Ok(Inference { form, certificates, line, nodes, depth: depth + 1 })
    }

    /// What a rule is given besides the term.
    fn extra(&self, rule: Rule, words: &mut Words<'_>) -> Checked<Extra> {
        Ok(match rule {
            Rule::GenEta => {
                self.read_label(words)?;
                Extra::None
            }
            Rule::SumSplit => Extra::Split(self.read_ix(words)?),
            Rule::SumTile => {
                self.read_label(words)?;
                let outer = self.read_ix(words)?;
                self.read_label(words)?;
                Extra::Tile(outer, self.read_ix(words)?)
            }
            Rule::ArithEq | Rule::Absurd => {
                let line = self.read_line(words)?;
                Extra::Side { term: self.written[line].term, line }
            }
            _ => Extra::None,
        })
    }
}

fn place(word: &str) -> Checked<Place> {
    Ok(match word {
        "body" => Place::Body,
        "bound" => Place::Bound,
        "then" => Place::Then,
        "else" => Place::Else,
        _ => Place::Argument(integer(word.strip_prefix("arg:").ok_or("an unknown place")?)?),
    })
}
