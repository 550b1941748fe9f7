//! The schedule of operators whose results stand one beside the other, as the derivatives along each axis do.
//!
//! The one idea: a loop over results, with a test of which it is around each element, is cut into one loop
//! for each, without tests; then every element is one sum, and lanes run along what is next to one another in
//! memory.
//!
//! Where rows of nodes are whole vectors, that is all: each vector is stored past the caches as soon as it is
//! summed up. Other rows begin within vectors, and those cannot go past the caches. Then each result is
//! computed in tiles of registers into memory that stays in the caches, and goes out from there, whole
//! vectors at a time. A tile's rows are those of the matrix and its lanes all that follows the axis in
//! memory; along the last axis its rows are rows of nodes, its lanes the matrix's. Results of small elements
//! are gathered there from as many elements as vectors have lanes.

use super::batched::{LEAST_APART, MOST_NODES, Part, Steps};
use super::tiles::{Tile, tile, whole_rows};
use super::{Names, Nest, Writer};
use crate::language::Size;

/// An axis: its loop, and how many nodes it has.
struct Axis<'n> {
    name: &'n str,
    count: usize,
}

/// What results have in common: the loop over elements, their axes, and how many lanes a vector and a vector
/// along a row have.
struct Results<'n> {
    at: &'n str,
    axes: Vec<Axis<'n>>,
    lanes: usize,
    wide: usize,
}

impl Writer<'_, '_> {
    /// The steps for a part that is a choice between nests, in each of which a matrix is applied along one
    /// axis.
    pub(super) fn stacked(
        &self,
        part: &Part,
        nests: &[Nest],
        lanes: usize,
        names: &mut Names,
    ) -> Option<Steps> {
        let [(at, _), (stack, Size::Number(count)), .., (innermost, Size::Number(width))] =
            part.kept.as_slice()
        else {
            return None;
        };
        if nests.len() < 2 || usize::try_from(*count).ok()? != nests.len() {
            return None;
        }
        let mut steps = Steps::default();
        let mut turned: Vec<&str> = Vec::new();
        for nest in nests {
            let (matrix, indices) = self.applied(nest)?;
            // Of a matrix along the innermost axis, lanes read a column.
            if indices[0] == *innermost && !turned.contains(&matrix) {
                turned.push(matrix);
                let name = names.fresh("turned");
                steps.first.push(format!("pack {matrix} at {at} as {name} by transpose;\nhoist {name};"));
            }
        }
        let width = usize::try_from(*width).ok()?;
        let wide = width.next_power_of_two().min(lanes);
        let apart = format!("peel {stack};\nsimplify;");
        if let Some(tiled) = self.tiled(part, nests, lanes, wide, names) {
            steps.then.push(apart);
            steps.then.extend(tiled.then);
            steps.marks.extend(tiled.marks);
        } else if width.is_multiple_of(wide) {
            steps.then.push(apart);
            steps.marks.extend((wide > 1).then(|| format!("vectorize {innermost} by {wide};")));
        } else {
            let grouped = self.grouped(part, nests, lanes, wide, names)?;
            steps.then.extend(grouped.then);
            steps.marks.extend(grouped.marks);
            steps.elements = grouped.elements;
        }
        Some(steps)
    }

    /// The steps for small elements whose rows begin within vectors: as many of them as vectors have lanes
    /// end where a vector does, so they are computed into memory that stays in the caches, and go out from
    /// there, whole vectors at a time.
    fn grouped(
        &self,
        part: &Part,
        nests: &[Nest],
        lanes: usize,
        wide: usize,
        names: &mut Names,
    ) -> Option<Steps> {
        let [(at, _), (stack, _), .., (innermost, _)] = part.kept.as_slice() else { return None };
        let mut fields: Vec<&str> = Vec::new();
        for nest in nests {
            let (matrix, _) = self.applied(nest)?;
            fields.extend(nest.accesses.iter().map(|(read, _)| read.as_str()).filter(|read| *read != matrix));
        }
        fields.sort_unstable();
        fields.dedup();
        let (whole, element) = (names.fresh("whole"), names.fresh("element"));
        let mut then = vec![format!(
            "split {at} by {lanes};
             stage {at}.i as {whole};
             try {{ pad {whole} from {}; }}
             rename {whole}/{at}.i to {element};
             peel {whole}/{stack};
             simplify;",
            fields.join(", ")
        )];
        let mut point = format!("{at}.i");
        for (next, _) in &part.kept[1..] {
            let fused = names.fresh("point");
            then.push(format!("fuse {point}, {next} as {fused};"));
            point = fused;
        }
        // The last elements are apart, and are as many as there are: vectors end with them.
        then.push(format!("try {{ repeat {{ rw guard_quotient everywhere; }} peel {at}.o; }}"));
        let marks = vec![
            format!("vectorize {whole}/{innermost} by {wide};"),
            format!("vectorize {point} by {lanes} with aligned;"),
        ];
        Some(Steps { then, marks, elements: Some(format!("{at}.o")), ..Steps::default() })
    }

    /// The steps that compute each result in tiles and store it from there, if rows begin within vectors.
    fn tiled(
        &self,
        part: &Part,
        nests: &[Nest],
        lanes: usize,
        wide: usize,
        names: &mut Names,
    ) -> Option<Steps> {
        let ([(at, _), _], axes) = part.kept.split_first_chunk()?;
        let axes = axes.iter().map(Axis::of).collect::<Option<Vec<_>>>()?;
        let results = Results { at, axes, lanes, wide };
        let [first, .., last] = results.axes.as_slice() else { return None };
        let cells: usize = results.axes.iter().map(|axis| axis.count).product();
        if last.count.is_multiple_of(wide) || cells < LEAST_APART * lanes {
            return None;
        }
        let mut steps = Steps::default();
        for nest in nests {
            let along = self.along(nest, &results)?;
            let more = results.tile(nest.sums.first()?, along, names);
            steps.then.extend(more.then);
            steps.marks.extend(more.marks);
        }
        let mut point = first.name.to_owned();
        for next in &results.axes[1..] {
            let fused = names.fresh("point");
            steps.then.push(format!("fuse {point}, {} as {fused};", next.name));
            point = fused;
        }
        steps.marks.push(format!("vectorize {point} by {lanes} with aligned;"));
        Some(steps)
    }

    /// The matrix that is applied along one axis, with its indices, if the nest is that.
    fn applied<'n>(&self, nest: &'n Nest) -> Option<(&'n str, &'n [String])> {
        let ([sum], [_, _], 2) = (nest.sums.as_slice(), nest.accesses.as_slice(), nest.factors) else {
            return None;
        };
        let (matrix, indices) = nest.accesses.iter().find(|(_, at)| at.len() == 2 && at.contains(sum))?;
        self.checked.given().find(|given| given.name.value == *matrix)?;
        Some((matrix, indices))
    }

    /// Along which axis the nest is, if all others of what it reads are in the results' order.
    fn along(&self, nest: &Nest, results: &Results<'_>) -> Option<usize> {
        let (_, indices) = self.applied(nest)?;
        let sum = nest.sums.first()?;
        let axes = &results.axes;
        let along = axes.iter().position(|axis| indices.iter().any(|index| index == axis.name))?;
        let (_, read) = nest.accesses.iter().find(|(_, read)| read.len() == axes.len() + 1)?;
        let of_axis = |place: usize| if place == along { sum.as_str() } else { axes[place].name };
        let in_order = std::iter::once(results.at).chain((0..axes.len()).map(of_axis));
        read.iter().map(String::as_str).eq(in_order).then_some(along)
    }
}

impl<'n> Axis<'n> {
    fn of((name, size): &'n (String, Size)) -> Option<Axis<'n>> {
        let Size::Number(count) = size else { return None };
        let count = usize::try_from(*count).ok().filter(|n| (1..=MOST_NODES).contains(n))?;
        Some(Axis { name, count })
    }
}

impl Results<'_> {
    /// The steps that compute one result, a matrix along an axis, in tiles.
    fn tile(&self, sum: &str, along: usize, names: &mut Names) -> Steps {
        let [whole, sums] = ["whole", "sums"].map(|stem| names.fresh(stem));
        let is_last = along + 1 == self.axes.len();
        // Along the last axis, a tile's rows are of nodes, and its lanes the matrix's; along others, its rows
        // are the matrix's.
        let (around, rest) = self.axes.split_at(if is_last { 0 } else { along });
        let (rows, cells) = rest.split_at(if is_last { along } else { 1 });
        let mut then = vec![format!("stage {sum} as {whole}; hoist {whole} at {};", self.at)];
        let mut fused = |axes: &[Axis<'_>], stem: &str| {
            axes[1..].iter().fold(format!("{whole}/{}", axes[0].name), |before, axis| {
                let both = names.fresh(stem);
                then.push(format!("fuse {before}, {whole}/{} as {both};", axis.name));
                format!("{whole}/{both}")
            })
        };
        let (row, cell) = (fused(rows, "row"), fused(cells, "cell"));
        let [height, width] = [rows, cells].map(|axes| axes.iter().map(|axis| axis.count).product::<usize>());
        // Rows of nodes are not divided: what they lack to whole vectors is computed and not stored.
        let lanes = if cells.len() == 1 { self.wide } else { self.lanes };
        let tile = if cells.len() == 1 {
            let vectors = width.div_ceil(lanes);
            Tile { rows: whole_rows(height, vectors), vectors }
        } else {
            tile(height, width, lanes)
        };
        let taken = tile.vectors * lanes;
        let around: String = around.iter().map(|axis| format!("{whole}/{}, ", axis.name)).collect();
        then.push(format!(
            "split {row} by {}; split {cell} by {taken};
             reorder {around}{row}.o, {cell}.o, {sum}, {row}.i, {cell}.i;
             stage {sum} as {sums};",
            tile.rows,
        ));
        let overhangs = !width.is_multiple_of(taken);
        then.extend((overhangs && cells.len() == 1).then(|| format!("pad {sums};")));
        then.push(format!("store {sums} in register;"));
        // Tiles that overhang are apart, so that the others are whole; the inner ones first, for outer loops
        // make copies.
        then.extend((overhangs && cells.len() > 1).then(|| format!("try {{ peel {cell}.o; }}")));
        then.extend((!height.is_multiple_of(tile.rows)).then(|| format!("try {{ peel {row}.o; }}")));
        let of_sums = |name: &str| format!("{sums}/{}", name.trim_start_matches(&format!("{whole}/")));
        let marks = vec![
            format!("unroll {}.i, {row}.i;", of_sums(&row)),
            format!("vectorize {}.i, {cell}.i by {lanes};", of_sums(&cell)),
        ];
        Steps { then, marks, ..Steps::default() }
    }
}
