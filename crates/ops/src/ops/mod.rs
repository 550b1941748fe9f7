//! The operators, one file each. To add one: its file, and its line here.

use crate::operator::Operator;
use atl_kernel::Definition;

pub mod concat;
pub mod flatten;
pub mod one_hot;
pub mod pad_l;
pub mod pad_r;
pub mod rotate;
pub mod shear;
pub mod split;
pub mod transpose;
pub mod trunc_l;
pub mod trunc_r;
pub mod unshear;

/// Every operator, sorted by file name.
pub static TABLE: &[&Operator] = &[
    &concat::OPERATOR,
    &flatten::OPERATOR,
    &one_hot::OPERATOR,
    &pad_l::OPERATOR,
    &pad_r::OPERATOR,
    &rotate::ROTATE_3,
    &rotate::ROTATE_4,
    &rotate::ROTATE_5,
    &rotate::ROTATE_6,
    &rotate::UNROTATE_3,
    &rotate::UNROTATE_4,
    &rotate::UNROTATE_5,
    &rotate::UNROTATE_6,
    &shear::OPERATOR,
    &split::OPERATOR,
    &transpose::OPERATOR,
    &trunc_l::OPERATOR,
    &trunc_r::OPERATOR,
    &unshear::OPERATOR,
];

/// The operator with this name.
pub fn by_name(name: &str) -> Option<&'static Operator> {
    TABLE.iter().copied().find(|op| op.name == name)
}

/// The operator that a definition is of; `None` for another definition of the same name.
pub fn of(definition: &Definition) -> Option<&'static Operator> {
    by_name(definition.name).filter(|op| *(op.definition)() == *definition)
}
