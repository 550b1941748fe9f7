//! The operations, one file each. To add one: its file, and its two lines here.
//!
//! A file's comment states the definition, the laws and a worked example; the book's page is made from these, and a test evaluates
//! every example. [`Function`] is how an expression calls it; the Rust function beside it is the operation itself.

use crate::refusal::{Kind, Refusal, Result};
use crate::value::{Args, Value};

pub mod bank_conflicts;
pub mod blocked_product;
pub mod coalesce;
pub mod column_major;
pub mod compatible;
pub mod complement;
pub mod composition;
pub mod congruent;
pub mod contiguous;
pub mod cosize;
pub mod crd2idx;
pub mod depth;
pub mod dice;
pub mod equal;
pub mod exact_composition;
pub mod filter;
pub mod flat_divide;
pub mod flat_product;
pub mod flatten;
pub mod get;
pub mod group;
pub mod identity;
pub mod idx2crd;
pub mod injective;
pub mod left_inverse;
pub mod local_partition;
pub mod local_tile;
pub mod logical_divide;
pub mod logical_product;
pub mod longest_right_inverse;
pub mod make_layout_tv;
pub mod max_common;
pub mod max_common_layout;
pub mod max_common_vector;
pub mod nullspace;
pub mod partition;
pub mod permutes;
pub mod predicate;
pub mod quasi_inverse;
pub mod raked_product;
pub mod rank;
pub mod recognise;
pub mod right_inverse;
pub mod row_major;
pub mod shape;
pub mod size;
pub mod slice;
pub mod slice_offset;
pub mod stride;
pub mod surjective;
pub mod swizzle;
pub mod table;
pub mod tile_to_shape;
pub mod tiled_divide;
pub mod tiled_product;
pub mod tilings;
pub mod transactions;
pub mod vector_width;
pub mod weakly_congruent;
pub mod zipped_divide;
pub mod zipped_product;

/// How many values an operation looks at where it must look at all of them.
pub const MOST_VALUES: usize = 1 << 20;

/// An operation, as expressions call it.
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Other names that it answers to.
    pub aliases: &'static [&'static str],
    /// What it takes.
    pub parameters: Parameters,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The operation; the remarks go into the list.
    apply: fn(&Args<'_>, &mut Vec<String>) -> Result<Value>,
}

/// What an operation takes.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// The names, separated by commas.
    pub names: &'static str,
    /// How many of the last may be left out.
    pub optional: usize,
}

/// Every operation, sorted by name.
pub const TABLE: &[&Function] = &[
    &bank_conflicts::FUNCTION,
    &blocked_product::FUNCTION,
    &coalesce::FUNCTION,
    &column_major::FUNCTION,
    &compatible::FUNCTION,
    &complement::FUNCTION,
    &composition::FUNCTION,
    &congruent::FUNCTION,
    &contiguous::FUNCTION,
    &cosize::FUNCTION,
    &crd2idx::FUNCTION,
    &depth::FUNCTION,
    &dice::FUNCTION,
    &equal::FUNCTION,
    &exact_composition::FUNCTION,
    &filter::FUNCTION,
    &flat_divide::FUNCTION,
    &flat_product::FUNCTION,
    &flatten::FUNCTION,
    &get::FUNCTION,
    &group::FUNCTION,
    &identity::FUNCTION,
    &idx2crd::FUNCTION,
    &injective::FUNCTION,
    &left_inverse::FUNCTION,
    &local_partition::FUNCTION,
    &local_tile::FUNCTION,
    &logical_divide::FUNCTION,
    &logical_product::FUNCTION,
    &longest_right_inverse::FUNCTION,
    &make_layout_tv::FUNCTION,
    &max_common::FUNCTION,
    &max_common_layout::FUNCTION,
    &max_common_vector::FUNCTION,
    &nullspace::FUNCTION,
    &partition::FUNCTION,
    &permutes::FUNCTION,
    &predicate::FUNCTION,
    &quasi_inverse::FUNCTION,
    &raked_product::FUNCTION,
    &rank::FUNCTION,
    &recognise::FUNCTION,
    &right_inverse::FUNCTION,
    &row_major::FUNCTION,
    &shape::FUNCTION,
    &size::FUNCTION,
    &slice::FUNCTION,
    &slice_offset::FUNCTION,
    &stride::FUNCTION,
    &surjective::FUNCTION,
    &swizzle::FUNCTION,
    &table::FUNCTION,
    &tile_to_shape::FUNCTION,
    &tiled_divide::FUNCTION,
    &tiled_product::FUNCTION,
    &tilings::FUNCTION,
    &transactions::FUNCTION,
    &vector_width::FUNCTION,
    &weakly_congruent::FUNCTION,
    &zipped_divide::FUNCTION,
    &zipped_product::FUNCTION,
];

impl Function {
    /// Applies it.
    ///
    /// # Errors
    /// The arguments are not what it takes, or it is refused.
    pub fn call(&self, arguments: &[Value], notes: &mut Vec<String>) -> Result<Value> {
        let most = self.parameters.names.split(", ").count();
        let least = most - self.parameters.optional;
        if !(least..=most).contains(&arguments.len()) {
            let message = format!("`{}` is given {} arguments", self.name, arguments.len());
            return Err(Refusal::new(Kind::Arguments, message).note(format!("it takes {}", self.signature())));
        }
        (self.apply)(&Args::new(arguments), notes)
    }

    /// `complement(L[, M])`
    pub fn signature(&self) -> String {
        let names: Vec<&str> = self.parameters.names.split(", ").collect();
        let (always, perhaps) = names.split_at(names.len() - self.parameters.optional);
        let perhaps: String = perhaps.iter().map(|name| format!("[, {name}]")).collect();
        format!("{}({}{perhaps})", self.name, always.join(", "))
    }
}

/// The operation of this name.
pub fn by_name(name: &str) -> Option<&'static Function> {
    let known = |f: &&&Function| f.name == name || f.aliases.contains(&name);
    TABLE.iter().find(known).copied()
}

/// The operation whose name begins most like this one, if one does.
pub fn similar(name: &str) -> Option<&'static str> {
    let common = |known: &str| known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let best =
        TABLE.iter().map(|f| f.name).max_by_key(|known| (common(known), std::cmp::Reverse(known.len())))?;
    (common(best) >= 3).then_some(best)
}
