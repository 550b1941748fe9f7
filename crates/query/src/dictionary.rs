//! Texts as numbers: each distinct text of a column once, in order.

use crate::table::Values;
use std::collections::HashMap;
use std::str::Utf8Error;
use std::sync::Arc;

/// The texts of a column that is being read, numbered as they come.
#[derive(Default)]
pub(crate) struct Dictionary {
    known: HashMap<Box<[u8]>, i32>,
    texts: Vec<String>,
    codes: Vec<i32>,
}

impl Dictionary {
    /// One more field.
    ///
    /// # Errors
    /// It is not UTF-8.
    pub(crate) fn push(&mut self, field: &[u8]) -> Result<(), Utf8Error> {
        let code = match self.known.get(field) {
            Some(code) => *code,
            None => {
                let text = std::str::from_utf8(field)?;
                let code = i32::try_from(self.texts.len()).unwrap_or(i32::MAX);
                self.texts.push(text.to_owned());
                self.known.insert(field.into(), code);
                code
            }
        };
        self.codes.push(code);
        Ok(())
    }

    /// The texts in order, and codes that say so.
    pub(crate) fn finish(self) -> Values {
        let Dictionary { texts, mut codes, .. } = self;
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_unstable_by(|a, b| texts[*a].cmp(&texts[*b]));
        let mut places = vec![0i32; texts.len()];
        for (place, old) in order.iter().enumerate() {
            places[*old] = i32::try_from(place).unwrap_or(i32::MAX);
        }
        for code in &mut codes {
            *code = places[usize::try_from(*code).unwrap_or(0)];
        }
        let mut texts: Vec<Option<String>> = texts.into_iter().map(Some).collect();
        let sorted = order.iter().filter_map(|old| texts[*old].take()).collect();
        Values::Text(Arc::new(sorted), Arc::new(codes))
    }
}
