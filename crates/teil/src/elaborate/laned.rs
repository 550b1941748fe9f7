//! The schedule of operators on elements that are smaller than two vectors: an element of the batch in each
//! lane.
//!
//! The one idea: as many elements as a vector has lanes are copied side by side; then every product and sum
//! is of whole vectors, for any number of nodes. Rows of three nodes fill three of eight lanes otherwise, and
//! nine cells are a vector and one left over. The copies cost a load and a store for each number, so elements
//! of more vectors are better off in [`super::batched`].
//!
//! The last elements may be fewer than lanes. Those that are missing are read as zeros, and not stored. A
//! number of elements that is known fills lanes, or is left to loops over nodes.

use super::batched::{Axes, Part, Steps};
use super::{Names, Writer};
use crate::language::Size;

/// What is done with a part of the function.
pub(super) enum Element {
    /// A matrix along each of three axes of this tensor.
    Sums(Box<Axes>, String),
    /// An operation on each of this number of nodes along each axis, and the loops over these.
    Pointwise([(String, usize); 3]),
}

impl Element {
    /// Whether rows of cells are fewer than two vectors, and leave lanes idle.
    fn is_small(&self, lanes: usize) -> bool {
        let small = |cells: usize| cells < 2 * lanes && !cells.is_multiple_of(lanes);
        match self {
            Element::Sums(axes, _) => {
                let [_, height, width] = axes.gens.each_ref().map(|l| l.count);
                small(axes.sums[0].count * width) && small(height * width)
            }
            Element::Pointwise(_) => true,
        }
    }
}

/// The loops that one part has, under names that no other has.
struct Named {
    /// The part: a `let`, or what the result is staged as.
    name: String,
    lane: String,
    gens: [(String, usize); 3],
}

impl Writer<'_, '_> {
    /// The steps for these parts, if they are worth it; the last of them is the result.
    pub(super) fn laned(
        &self,
        parts: &[&Part],
        elements: &[Element],
        lanes: usize,
        names: &mut Names,
    ) -> Option<Steps> {
        if !elements.iter().all(|element| element.is_small(lanes)) {
            return None;
        }
        let (last, before) = parts.split_last()?;
        let (at, size) = last.kept.first()?;
        if matches!(size, Size::Number(known) if !known.is_multiple_of(lanes as u64)) {
            return None;
        }
        let mut steps = Steps::default();
        let out = names.fresh("out");
        steps.first.push(format!("split {at} by {lanes};"));
        let lets: Vec<&String> = before.iter().filter_map(|part| part.name.as_ref()).collect();
        steps.first.extend(lets.iter().rev().map(|name| format!("compute {name} at {at}.o;")));
        steps.first.push("simplify;".to_owned());
        for given in self.beside(parts, elements) {
            let copy = names.fresh("nodes");
            steps.then.push(format!("pack {given} at {at}.o as {copy} by unrotate_4;"));
        }
        steps.then.push(format!("stage {at}.i as {out};"));
        let computed = std::iter::once(&out).chain(lets.iter().rev().copied());
        // Where the number of elements is known, there is nothing to fill up.
        steps.then.extend(computed.map(|name| format!("try {{ pad {name}; }}")));
        for (part, element) in parts.iter().zip(elements) {
            let (name, lane) = match &part.name {
                Some(name) => (name, part.kept.first()?.0.clone()),
                None => (&out, format!("{at}.i")),
            };
            let gens = match element {
                Element::Sums(axes, _) => axes.gens.each_ref().map(|l| (l.name.clone(), l.count)),
                Element::Pointwise(gens) => gens.clone(),
            };
            let mut own = |from: &String| {
                let own = names.fresh(&format!("{name}_{}", from.trim_end_matches(".i")));
                steps.then.push(format!("rename {name}/{from} to {own};"));
                own
            };
            let named = Named {
                name: name.clone(),
                lane: own(&lane),
                gens: gens.map(|(gen_loop, count)| (own(&gen_loop), count)),
            };
            match element {
                Element::Sums(axes, _) => {
                    let sums = axes.sums.each_ref().map(|l| own(&l.name));
                    named.products(at, &sums, lanes, names, &mut steps);
                }
                Element::Pointwise(_) => named.beside(lanes, &mut steps),
            }
        }
        steps.then.push(format!("parallel {at}.o;"));
        Some(steps)
    }

    /// The given tensors of which elements are copied side by side.
    fn beside(&self, parts: &[&Part], elements: &[Element]) -> Vec<String> {
        let mut read: Vec<String> = Vec::new();
        for (part, element) in parts.iter().zip(elements) {
            match element {
                Element::Sums(_, tensor) => read.push(tensor.clone()),
                Element::Pointwise(_) => read.extend(part.given.iter().cloned()),
            }
        }
        read.sort();
        read.dedup();
        let given = |name: &String| {
            self.checked.given().any(|given| given.name.value == *name && given.shape.len() == 4)
        };
        read.retain(given);
        read
    }
}

impl Named {
    /// Lanes are innermost, in loops and in memory.
    fn beside(&self, lanes: usize, steps: &mut Steps) {
        let Named { name, lane, gens: [(a, of_a), (b, of_b), (c, of_c)] } = self;
        let (row, slice) = (lanes * of_c, lanes * of_b * of_c);
        steps.then.push(format!(
            "reorder {name}/{a}, {name}/{b}, {name}/{c}, {name}/{lane};
             relayout {name} by ({lanes},{of_a},{of_b},{of_c}):(1,{slice},{row},{lanes});"
        ));
        steps.marks.push(format!("vectorize {name}/{lane} by {lanes};"));
    }

    /// Three products, each of whole vectors that are added up in registers.
    fn products(&self, at: &str, sums: &[String; 3], lanes: usize, names: &mut Names, steps: &mut Steps) {
        let Named { name, lane, gens: [(a, _), (b, _), (c, _)] } = self;
        let [l, m, n] = sums;
        let [rows, sheets] = ["rows", "sheets"].map(|stem| names.fresh(stem));
        let [of_row, of_sheet, of_slice] =
            ["row_sum", "sheet_sum", "slice_sum"].map(|stem| names.fresh(stem));
        steps.then.push(format!(
            "factor {name}/{n} at {at}.o as {rows}[{l}, {m}, {c}, {lane}];
             factor {name}/{m} at {at}.o as {sheets}[{l}, {b}, {c}, {lane}];"
        ));
        self.beside(lanes, steps);
        steps.then.push(format!(
            "reorder {rows}/{l}, {rows}/{m}, {rows}/{n}, {rows}/{c}, {rows}/{lane};
             stage {rows}/{n} as {of_row};
             reorder {sheets}/{l}, {sheets}/{c}, {sheets}/{m}, {sheets}/{b}, {sheets}/{lane};
             stage {sheets}/{m} as {of_sheet};
             reorder {name}/{b}, {name}/{c}, {name}/{l}, {name}/{a}, {name}/{lane};
             stage {name}/{l} as {of_slice};
             store {of_row} in register; store {of_sheet} in register; store {of_slice} in register;"
        ));
        for (tile, whole, sum, row) in
            [(&of_row, &rows, n, c), (&of_sheet, &sheets, m, b), (&of_slice, name, l, a)]
        {
            steps.marks.push(format!(
                "unroll {tile}/{sum}, {tile}/{row}, {whole}/{row};
                 vectorize {tile}/{lane} by {lanes};"
            ));
        }
        steps.marks.push(format!("vectorize {rows}/{lane}, {sheets}/{lane} by {lanes};"));
    }
}
