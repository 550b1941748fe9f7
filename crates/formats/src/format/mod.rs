//! Formats: a list of levels over a reshape of a tensor.
//!
//! A format says which level stores which axes; at a shape it becomes an [`Instance`], whose levels know
//! their extents. Its text is a list of levels, from the outermost: `[dense, compressed]`. A level stores the
//! next dimension of the tensor, or what `of` says: `[dense of j, compressed of i]`,
//! `[compressed of (i, j)]`, `[dense of i / 4, compressed of j / 4, dense of i % 4, dense of j % 4]`.

mod axis;
mod columns;
mod named;
mod notation;

pub use axis::{Axis, MAX_RANK, Reshape};
pub use named::{NAMES, Named, by_name};

use crate::levels::{Kind, Setting, Width};
use crate::{Dimensions, Level, Refusal};
use std::ops::Range;
use std::sync::Arc;

/// One level of a format.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Which level.
    pub kind: &'static Kind,
    /// Its parameters.
    pub parameters: Vec<i64>,
    /// The axes that it stores; several are stored as one.
    pub axes: Vec<Axis>,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        (self.kind.name, &self.parameters, &self.axes) == (other.kind.name, &other.parameters, &other.axes)
    }
}

/// A format of tensors of one rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Format {
    entries: Vec<Entry>,
    reshape: Reshape,
}

impl Format {
    /// The format of these levels; refused if their axes do not determine every dimension exactly once.
    pub fn try_new(entries: Vec<Entry>) -> Result<Format, Refusal> {
        if let Some(entry) = entries.iter().find(|entry| entry.axes.is_empty()) {
            return Err(Refusal::Format { why: format!("`{}` stores no dimension", entry.kind.name) });
        }
        for Entry { kind, parameters, axes } in &entries {
            // A width may be left to the data; every other parameter is looked at now, by a level of a box of
            // one point.
            if kind.width == Width::None || !parameters.is_empty() {
                let dimensions = Dimensions::try_new(vec![1; axes.len()])?;
                (kind.make)(Setting { dimensions, offset: 0, parameters })?;
            }
        }
        let reshape = Reshape::try_new(entries.iter().flat_map(|entry| entry.axes.clone()).collect())?;
        Ok(Format { entries, reshape })
    }

    /// The levels, outermost first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The axes of all levels.
    pub fn reshape(&self) -> &Reshape {
        &self.reshape
    }

    /// The rank of its tensors.
    pub fn rank(&self) -> usize {
        self.reshape.rank()
    }

    /// Where the axes of a level stand among all.
    pub(crate) fn columns(&self, depth: usize) -> Range<usize> {
        let before = self.entries[..depth].iter().map(|entry| entry.axes.len()).sum();
        before..before + self.entries[depth].axes.len()
    }

    /// Checks that a shape has the format's rank, and extents that fit.
    pub(crate) fn accepts(&self, shape: &[usize]) -> Result<(), Refusal> {
        if shape.len() != self.rank() {
            let expected = format!("rank {}", self.rank());
            return Err(Refusal::Rank { format: self.to_string(), expected, found: shape.len() });
        }
        match shape.iter().find(|n| i64::try_from(**n).is_err()) {
            Some(n) => Err(Refusal::TooLarge { what: format!("the extent {n}") }),
            None => Ok(()),
        }
    }

    /// The level at this depth for tensors of a shape that is [accepted](Format::accepts).
    pub(crate) fn level(
        &self,
        depth: usize,
        shape: &[usize],
        parameters: &[i64],
    ) -> Result<Arc<dyn Level>, Refusal> {
        let Entry { kind, axes, .. } = &self.entries[depth];
        let extents: Result<Vec<usize>, Refusal> = axes.iter().map(|axis| axis.extent(shape)).collect();
        let dimensions = Dimensions::try_new(extents?)?;
        let setting = Setting { dimensions, offset: axes[0].offset(shape), parameters };
        (kind.make)(setting).map(Arc::from)
    }

    /// The format for tensors of this shape. Widths that a level needs are among its parameters, or are
    /// refused; [`pack`](crate::pack()) chooses those that are missing.
    pub fn at(&self, shape: &[usize]) -> Result<Instance, Refusal> {
        self.accepts(shape)?;
        let level = |depth: usize| self.level(depth, shape, &self.entries[depth].parameters);
        let levels: Result<Vec<Arc<dyn Level>>, Refusal> = (0..self.entries.len()).map(level).collect();
        Ok(Instance { format: self.clone(), shape: shape.to_vec(), levels: levels? })
    }

    /// The parameters of a level whose longest row has so many entries.
    pub(crate) fn fitted(&self, depth: usize, longest: impl FnOnce() -> usize) -> Vec<i64> {
        let Entry { kind, parameters, .. } = &self.entries[depth];
        if kind.width == Width::None || !parameters.is_empty() {
            return parameters.clone();
        }
        kind.width.fit(longest()).into_iter().collect()
    }

    /// The same format, with widths that [`pack`](crate::pack()) chooses where a width is all that a level is
    /// given.
    pub fn with_open_widths(&self) -> Format {
        let open = |entry: &Entry| match (entry.kind.width, &entry.parameters[..]) {
            (Width::Longest | Width::Twice, [_]) => Vec::new(),
            (_, given) => given.to_vec(),
        };
        self.with_parameters(self.entries.iter().map(open).collect())
    }

    /// The same format, with these parameters for its levels.
    pub(crate) fn with_parameters(&self, parameters: Vec<Vec<i64>>) -> Format {
        let mut format = self.clone();
        format.entries.iter_mut().zip(parameters).for_each(|(entry, p)| entry.parameters = p);
        format
    }
}

/// A format at a shape.
#[derive(Clone, Debug)]
pub struct Instance {
    pub(crate) format: Format,
    pub(crate) shape: Vec<usize>,
    pub(crate) levels: Vec<Arc<dyn Level>>,
}

impl Instance {
    /// The format, with the parameters of all levels.
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// The shape of the tensors.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The levels, outermost first.
    pub fn levels(&self) -> &[Arc<dyn Level>] {
        &self.levels
    }
}
