//! The lines of monoids, and what the rule that uses their laws is given.

use super::tables::{Reader, too_large, unknown};
use crate::words::{Read, Words, read_laws};
use crate::{extents, limits};
use atl_kernel::{Ctx, Label, Monoid, Rule, Type};
use std::sync::Arc;

impl Reader {
    pub(super) fn monoid_line(&mut self, words: &mut Words<'_>) -> Read<()> {
        let (name, count) = (words.string()?, words.number::<u32>()? as usize);
        if count > Monoid::MAX_FIELDS || self.tables.monoids.len() >= limits::MONOIDS {
            return Err(too_large("monoids, or the fields of one"));
        }
        let (mut fields, mut zero, mut sum) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            fields.push(self.elem(words)?);
            for terms in [&mut zero, &mut sum] {
                let (e, size) = self.expr(words)?;
                self.monoid_nodes += size.nodes;
                terms.push(e);
            }
        }
        if self.monoid_nodes > limits::MONOID_NODES {
            return Err(too_large("the nodes of monoids"));
        }
        let laws = read_laws(&words.rest().join(" "))?;
        let mut operands = Ctx::new();
        for elem in fields.iter().chain(&fields) {
            operands.push_tensor(Label::default(), Type { elem: *elem, shape: Vec::new() });
        }
        zero.iter().try_for_each(|e| extents::within(&Ctx::new(), e)).map_err(too_large)?;
        sum.iter().try_for_each(|e| extents::within(&operands, e)).map_err(too_large)?;
        let monoid = Monoid::new(&name, fields, zero, sum, laws);
        self.tables.monoids.push(Arc::new(monoid.map_err(|why| format!("this is no monoid: {why}"))?));
        Ok(())
    }

    /// A use of a law.
    pub(super) fn law(&self, words: &mut Words<'_>) -> Read<Rule> {
        let monoid = &self.tables.monoids[words.reference('m', self.tables.monoids.len())? as usize];
        let name = words.word()?;
        let law = read_laws(name)?;
        if law.is_empty() || !Monoid::CLAIMS.has(law) {
            return unknown("law of monoids", name);
        }
        let (field, count) = (words.number::<u32>()? as usize, words.number::<u32>()?);
        if count > 3 {
            return Err("no law is of more than three elements".to_owned());
        }
        let mut elements = Vec::new();
        for _ in 0..count {
            let element =
                monoid.fields().iter().map(|_| Ok(self.expr(words)?.0)).collect::<Read<Vec<_>>>()?;
            elements.push(element);
        }
        Ok(Rule::Law(monoid.clone(), law, field, elements))
    }
}
