//! The schedule of operators on many small tensors: everything is done element by element, in caches and
//! registers.
//!
//! The one idea: a matrix along each of three axes is three products, and each of these is a tile of vectors
//! in registers, if lanes run along what is next to one another in memory: along rows of nodes, then along
//! the rows of all slices, then along slices. So nothing is transposed but a matrix and, between the
//! products, the order of rows. How many rows and vectors a tile has is decided by what the tiles and what
//! they leave over cost, for any number of nodes and either type of floats; there is no table of sizes.
//!
//! Results that stand beside one another are left to [`super::stacked`]; elements so small that rows leave
//! lanes idle, to [`super::laned`].
//!
//! Operators that are written one axis after the other are put together first: a `let` that is a sum, and is
//! read once by another sum, is put into that, until there are three; then it is no matter how they were
//! written.
//!
//! It needs numbers for the sizes of axes, since a tile is written out. A step that does not apply leaves the
//! function as it is. The schedule is for processors with vectors of 64 bytes; for others a compiler cuts
//! them.

use super::laned::Element;
use super::tiles::tile;
use super::{Names, Nest, Writer};
use crate::language::Size;
use atl_kernel::Scalar;

/// The schedule's name.
pub const BATCHED: &str = "batched";

/// The bytes of a vector.
const BYTES: usize = 64;

/// The vectors of the smallest slice that is stored by way of the caches.
pub(super) const LEAST_APART: usize = 4;

/// The most nodes along an axis.
pub(super) const MOST_NODES: usize = 20;

/// What a statement is, as far as its loops go.
#[derive(Clone)]
pub(super) struct Part {
    /// The `let`; none in the result.
    pub(super) name: Option<String>,
    /// The loops around its elements.
    pub(super) kept: Vec<(String, Size)>,
    /// Its nests of sums are these.
    pub(super) nests: std::ops::Range<usize>,
    /// Whether it is nothing but a nest of sums.
    pub(super) is_sum: bool,
    /// Whether all that it reads has its indices, in order, or none.
    pub(super) is_pointwise: bool,
    /// The given tensors that it reads.
    pub(super) given: Vec<String>,
}

/// A loop and how often it runs.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) name: String,
    pub(super) count: usize,
}

/// A matrix along each of three axes.
pub(super) struct Axes {
    at: String,
    pub(super) gens: [Loop; 3],
    pub(super) sums: [Loop; 3],
    /// The matrix along the innermost axis, if its rows are the result's.
    turned: Option<String>,
}

/// What is written for one of them: steps before everything is done at one element, after that, and marks.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) first: Vec<String>,
    pub(super) then: Vec<String>,
    pub(super) marks: Vec<String>,
    /// The loop over elements, or over groups of them, if that is not the function's.
    pub(super) elements: Option<String>,
}

impl Writer<'_, '_> {
    /// The schedule, if the function is operators and what is done element by element between them; or why
    /// there is none.
    pub(super) fn batched(&self, parts: &[Part]) -> Result<String, String> {
        let lanes = match self.result.element {
            Scalar::F32 | Scalar::F64 => BYTES / self.result.element.size(),
            other => return Err(format!("elements are `{}`, and vectors are of floats", other.name())),
        };
        let (nests, inlined) = self.put_together(parts);
        let parts: Vec<&Part> =
            parts.iter().filter(|p| p.name.as_ref().is_none_or(|name| !inlined.contains(name))).collect();
        let none = || "nothing in it is a matrix along each of three axes".to_owned();
        let (last, before) = parts.split_last().ok_or_else(none)?;
        let (at, batch) = last.kept.first().ok_or_else(none)?;
        if parts.iter().all(|part| part.nests.is_empty()) {
            return Err(none());
        }
        if parts.iter().any(|p| p.kept.first().is_none_or(|k| k.1 != *batch)) {
            return Err(
                "its statements have not all the result's first dimension, that of elements".to_owned()
            );
        }
        let mut names = self.names.clone();
        let mut steps = Steps::default();
        if !inlined.is_empty() {
            let inlined: Vec<String> = inlined.iter().rev().map(|name| format!("inline {name};")).collect();
            steps.first.push(format!(
                "{}\nsimplify;\nrepeat {{ first_of {{ rw mul_sum_l everywhere; }} or {{ rw mul_sum_r everywhere; }} }}",
                inlined.join("\n")
            ));
        }
        let small = self.elements(&parts, &nests);
        if let Some(more) = small.and_then(|elements| self.laned(&parts, &elements, lanes, &mut names)) {
            steps.first.extend(more.first);
            return Ok(self.written([steps.first, more.then, more.marks].concat()));
        }
        for (at, part) in parts.iter().enumerate() {
            let is_result = at + 1 == parts.len();
            let more = match (part.is_sum, &nests[part.nests.clone()]) {
                (true, [nest]) => self.axes(nest)?.steps(lanes, is_result, &mut names),
                (false, []) if part.is_pointwise => {
                    pointwise(part, lanes).ok_or("the size of the innermost axis is no number")?
                }
                (false, nests) if parts.len() == 1 => {
                    let results = "it is neither a matrix along each of three axes, nor derivatives beside one another at sizes that are numbers";
                    self.stacked(part, nests, lanes, &mut names).ok_or(results)?
                }
                _ => return Err("something in it is neither a matrix along each of three axes nor done element by element".to_owned()),
            };
            steps.first.extend(more.first);
            steps.then.extend(more.then);
            steps.marks.extend(more.marks);
            steps.elements = more.elements.or(steps.elements);
        }
        let here = before.iter().rev().filter_map(|part| part.name.as_ref());
        steps.first.extend(here.map(|name| format!("compute {name} at {at};")));
        steps.first.extend((!before.is_empty()).then(|| "simplify;".to_owned()));
        let elements = steps.elements.as_ref().unwrap_or(at);
        steps.then.push(format!("parallel {elements};"));
        steps.marks.push("stream;".to_owned());
        Ok(self.written([steps.first, steps.then, steps.marks].concat()))
    }

    /// The schedule of these steps.
    fn written(&self, steps: Vec<String>) -> String {
        let name = &self.result.name.value;
        format!("schedule {BATCHED} of {name} {{\nrounding real;\ntry {{\n{}\n}}\n}}\n\n", steps.join("\n"))
    }

    /// The parts, if each is a matrix along three axes or done element by element, at sizes that are numbers.
    fn elements(&self, parts: &[&Part], nests: &[Nest]) -> Option<Vec<Element>> {
        let element = |part: &&Part| match (part.is_sum, &nests[part.nests.clone()]) {
            (true, [nest]) => {
                let (tensor, _) = nest.accesses.iter().find(|(_, at)| at.len() == 4)?;
                Some(Element::Sums(Box::new(self.axes(nest).ok()?), tensor.clone()))
            }
            (false, []) if part.is_pointwise => {
                let [_, gens @ ..] = part.kept.as_slice() else { return None };
                let counted = |(name, size): &(String, Size)| match size {
                    Size::Number(count) => Some((name.clone(), usize::try_from(*count).ok()?)),
                    Size::Variable(_) => None,
                };
                let gens = gens.iter().map(counted).collect::<Option<Vec<_>>>()?;
                Some(Element::Pointwise(gens.try_into().ok()?))
            }
            _ => None,
        };
        parts.iter().map(element).collect()
    }

    /// The nests, those with others in them that are read by nothing else; and the `let`s of these, those
    /// that read others last.
    fn put_together(&self, parts: &[Part]) -> (Vec<Nest>, Vec<String>) {
        let mut nests = self.nests.clone();
        let mut inlined: Vec<String> = Vec::new();
        for part in parts {
            let (Some(name), true, 1) = (&part.name, part.is_sum, part.nests.len()) else { continue };
            let inner = nests[part.nests.start].clone();
            let reader = parts.iter().filter(|p| p.is_sum && p.nests.len() == 1).map(|p| p.nests.start);
            let reads = |k: &usize| nests[*k].accesses.iter().any(|(read, _)| read == name);
            let Some(reader) = reader.into_iter().find(reads) else { continue };
            let once = self.read.iter().filter(|read| *read == name).count() == 1;
            let outer = &mut nests[reader];
            let axes = inner.sums.len() + outer.sums.len();
            let is_product = [&inner, &*outer]
                .iter()
                .all(|nest| nest.factors == nest.accesses.len() && nest.equal.is_empty());
            if !once || axes > 3 || !is_product {
                continue;
            }
            let Some(at) = outer.accesses.iter().position(|(read, _)| read == name) else { continue };
            let (_, indices) = outer.accesses.remove(at);
            let moved = |index: &String| {
                let place = inner.kept.iter().position(|(kept, _)| kept == index);
                place.and_then(|k| indices.get(k)).unwrap_or(index).clone()
            };
            let accesses =
                inner.accesses.iter().map(|(read, at)| (read.clone(), at.iter().map(moved).collect()));
            outer.accesses.extend(accesses);
            outer.factors += inner.factors - 1;
            outer.sums.extend(inner.sums.clone());
            outer.ranges.extend(inner.ranges.clone());
            inlined.push(name.clone());
        }
        (nests, inlined)
    }

    /// A nest as three matrices along three axes of a tensor, or why it is not that.
    fn axes(&self, nest: &Nest) -> Result<Axes, String> {
        let counted = |(name, size): &(String, Size)| match size {
            Size::Number(n) => {
                let count = usize::try_from(*n).ok().filter(|n| *n <= MOST_NODES);
                let count = count.ok_or_else(|| {
                    format!("an axis has {n} nodes, and tiles are written out for at most {MOST_NODES}")
                })?;
                Ok(Loop { name: name.clone(), count })
            }
            Size::Variable(size) => {
                Err(format!("the size `{size}` of an axis is no number, and tiles are written out"))
            }
        };
        let none = || "it is not a matrix along each of three axes, with elements along the first".to_owned();
        let [(at, _), gens @ ..] = nest.kept.as_slice() else { return Err(none()) };
        if nest.factors != 4 || nest.accesses.len() != 4 || nest.sums.len() != 3 || gens.len() != 3 {
            return Err(none());
        }
        let gens = gens.iter().map(counted).collect::<Result<Vec<_>, _>>()?;
        let gens: [Loop; 3] = gens.try_into().map_err(|_| none())?;
        let (_, tensor) = nest.accesses.iter().find(|(_, at)| at.len() == 4).ok_or_else(none)?;
        if tensor[0] != *at {
            return Err(none());
        }
        let of = |name: &String| {
            let sum = nest.sums.iter().position(|sum| sum == name).ok_or_else(none)?;
            counted(&(name.clone(), nest.ranges[sum].clone()))
        };
        let sums = tensor[1..].iter().map(of).collect::<Result<Vec<_>, String>>()?;
        let sums: [Loop; 3] = sums.try_into().map_err(|_| none())?;
        let mut turned = None;
        for (gen_loop, sum) in gens.iter().zip(&sums) {
            let pair = |indices: &[String]| {
                let [a, b] = indices else { return false };
                (*a == gen_loop.name && *b == sum.name) || (*a == sum.name && *b == gen_loop.name)
            };
            let (matrix, indices) =
                nest.accesses.iter().find(|(_, indices)| pair(indices)).ok_or_else(none)?;
            if !self.checked.given().any(|given| given.name.value == *matrix) {
                return Err(format!("the matrix `{matrix}` is computed, not given"));
            }
            turned = (indices[0] == gen_loop.name).then(|| matrix.clone());
        }
        Ok(Axes { at: at.clone(), gens, sums, turned })
    }
}

/// What is done element by element runs in vectors.
fn pointwise(part: &Part, lanes: usize) -> Option<Steps> {
    let (innermost, size) = part.kept.last()?;
    let Size::Number(count) = size else { return None };
    let wide = usize::try_from(*count).ok()?.next_power_of_two().min(lanes);
    let marks = if wide > 1 { vec![format!("vectorize {innermost} by {wide};")] } else { vec![] };
    Some(Steps { marks, ..Steps::default() })
}

impl Axes {
    fn steps(&self, lanes: usize, is_result: bool, names: &mut Names) -> Steps {
        let [i, j, k] = self.gens.each_ref().map(|l| l.name.as_str());
        let [l, m, n] = self.sums.each_ref().map(|l| l.name.as_str());
        let [results, height, width] = self.gens.each_ref().map(|l| l.count);
        let (slices, at) = (self.sums[0].count, &self.at);
        let [rows, sheets, group] = ["rows", "sheets", "group"].map(|stem| names.fresh(stem));
        let [of_row, of_group, of_sheet] =
            ["row_sum", "group_sum", "sheet_sum"].map(|stem| names.fresh(stem));
        let [cell, place] = ["cell", "place"].map(|stem| names.fresh(stem));
        let [rl, rm, rk] = [l, m, k].map(|name| names.fresh(&format!("row_{name}")));
        let [sl, sj, sk] = [l, j, k].map(|name| names.fresh(&format!("sheet_{name}")));
        let row = width.next_power_of_two().min(lanes);
        // Vectors are no longer than what lies in a row.
        let [across, along] = [slices * width, height * width].map(|n| n.next_power_of_two().min(lanes));
        let inner = tile(height, slices * width, across);
        let outer = tile(results, height * width, along);
        let mut steps = Steps::default();
        if let Some(matrix) = &self.turned {
            let turned = names.fresh("turned");
            steps.first.push(format!("pack {matrix} at {at} as {turned} by transpose;\nhoist {turned};"));
        }
        steps.then.push(format!(
            "factor {n} at {at} as {rows}[{m}, {l}, {k}];
             factor {m} at {at} as {sheets}[{l}, {j}, {k}];
             rename {rows}/{m} to {rm}; rename {rows}/{l} to {rl}; rename {rows}/{k} to {rk};
             rename {sheets}/{l} to {sl}; rename {sheets}/{j} to {sj}; rename {sheets}/{k} to {sk};
             reorder {sj}, {sl}, {sk};
             stage {sj} as {group};
             fuse {group}/{sl}, {group}/{sk} as {cell};
             split {group}/{sj} by {}; split {group}/{cell} by {};
             reorder {group}/{sj}.o, {group}/{cell}.o, {group}/{m}, {group}/{sj}.i, {group}/{cell}.i;
             stage {group}/{m} as {of_group};
             split {rk} by {row};
             reorder {rl}, {rk}.o, {n}, {rm}, {rk}.i;
             stage {n} as {of_row};",
            inner.rows,
            inner.vectors * across,
        ));
        steps.then.extend((!width.is_multiple_of(row)).then(|| format!("pad {of_row};")));
        // Where slices of the result begin within vectors, tiles go to memory by way of the caches: from
        // there they are stored past them, whole vectors at a time. Small slices are not worth the way.
        let slice = height * width;
        let apart = is_result && slice >= LEAST_APART * lanes && !slice.is_multiple_of(lanes);
        let [all, line, point] = ["whole", "line", "point"].map(|stem| names.fresh(stem));
        let p = if apart { format!("{all}/") } else { String::new() };
        steps.then.extend(apart.then(|| format!("stage {i} as {all};")));
        steps.then.push(format!(
            "fuse {p}{j}, {p}{k} as {place};
             split {p}{i} by {}; split {p}{place} by {};
             reorder {p}{i}.o, {p}{place}.o, {p}{l}, {p}{i}.i, {p}{place}.i;
             stage {p}{l} as {of_sheet};
             store {of_row} in register; store {of_group} in register; store {of_sheet} in register;",
            outer.rows,
            outer.vectors * along,
        ));
        // Tiles that overhang are apart, so that the others are whole; the inner ones first, for outer loops
        // make copies.
        let over = [
            (slices * width % (inner.vectors * across) != 0, format!("{group}/{cell}.o")),
            (height % inner.rows != 0, format!("{group}/{sj}.o")),
            (height * width % (outer.vectors * along) != 0, format!("{p}{place}.o")),
            (results % outer.rows != 0, format!("{p}{i}.o")),
        ];
        steps.then.extend(
            over.into_iter().filter(|(over, _)| *over).map(|(_, name)| format!("try {{ peel {name}; }}")),
        );
        steps.then.extend(apart.then(|| format!("fuse {i}, {j} as {line}; fuse {line}, {k} as {point};")));
        steps.marks.push(format!(
            "unroll {of_row}/{rm}, {rows}/{rm}, {of_group}/{sj}.i, {group}/{sj}.i, {of_sheet}/{i}.i, {p}{i}.i;"
        ));
        if row > 1 {
            steps.marks.push(format!("vectorize {of_row}/{rk}.i, {rows}/{rk}.i, {sheets}/{sk} by {row};"));
        }
        let rest = [(&of_group, format!("{group}/"), &cell, across), (&of_sheet, p, &place, along)];
        for (sums, whole, lane, wide) in rest.into_iter().filter(|(.., wide)| *wide > 1) {
            steps.marks.push(format!("vectorize {sums}/{lane}.i, {whole}{lane}.i by {wide};"));
        }
        steps.marks.extend(apart.then(|| format!("vectorize {point} by {lanes} with aligned;")));
        steps
    }
}
