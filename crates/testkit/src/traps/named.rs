//! Steps under the name of another rule: what they prove may be true, but not for the laws, or to the rounding, of that
//! name.

use super::operations::operations;
use super::rules::rules;
use super::sums::sums;
use super::{Trap, trap};

/// Rules about one kind of term, with the laws and the rounding of each.
type Family = [(&'static str, &'static str, &'static str)];

const GETS: &Family = &[
    ("access_gen", "none", "bitwise"),
    ("access_guard", "none", "bitwise"),
    ("get_guard", "none", "bitwise"),
    ("get_select", "none", "bitwise"),
    ("get_sum", "add_0_l", "bitwise"),
    ("get_prim", "none", "bitwise"),
    ("get_view", "none", "bitwise"),
];

const GUARDS: &Family = &[
    ("guard_true", "none", "bitwise"),
    ("guard_zero", "none", "bitwise"),
    ("guard_and", "none", "bitwise"),
    ("guard_add", "add_0_l", "bitwise"),
    ("guard_gen", "none", "bitwise"),
    ("guard_sum", "add_0_l", "bitwise"),
];

const SUMS: &Family = &[
    ("sum_empty", "none", "bitwise"),
    ("sum_one", "add_0_l", "finite"),
    ("sum_swap", "add_0_l add_0_r add_comm add_assoc", "real"),
    ("sum_add", "add_0_l add_0_r add_comm add_assoc", "real"),
    ("sum_ones", "index_counts", "real"),
    ("gen_sum_swap", "none", "bitwise"),
    ("onehot_sum", "add_0_l add_0_r", "finite"),
];

const OPERATIONS: &Family = &[
    ("guard_mul_l", "mul_0_l", "finite"),
    ("guard_mul_r", "mul_0_r", "finite"),
    ("mul_sum_l", "mul_0_r distr_l", "real"),
    ("mul_sum_r", "mul_0_l distr_r", "real"),
    ("add_assoc", "add_assoc", "real"),
    ("add_comm", "add_comm", "finite"),
    ("add_zero_l", "add_0_l", "finite"),
    ("add_zero_r", "add_0_r", "finite"),
    ("mul_assoc", "mul_assoc", "real"),
    ("mul_comm", "mul_comm", "finite"),
    ("mul_one_l", "mul_1_l", "finite"),
    ("mul_one_r", "mul_1_r", "finite"),
    ("distr_l", "distr_l", "real"),
    ("distr_r", "distr_r", "real"),
    ("sub_as_add", "none", "bitwise"),
];

const OTHERS: &Family = &[
    ("let_inline", "none", "bitwise"),
    ("unfold", "none", "bitwise"),
    ("select_true", "none", "bitwise"),
    ("select_false", "none", "bitwise"),
    ("view_same", "none", "bitwise"),
    ("view_view", "none", "bitwise"),
    ("view_gen", "none", "bitwise"),
];

/// A step of every rule, under the name of every other of its family.
pub(super) fn named() -> Vec<Trap> {
    let steps = [rules(), sums(), operations()].concat();
    let mut all = Vec::new();
    for family in [GETS, GUARDS, SUMS, OPERATIONS, OTHERS] {
        for (rule, laws, rounding) in family {
            let step = format!("\ns0 rule {rule} ");
            let Some(sound) = steps.iter().map(|step| &step.sound).find(|text| text.contains(&step)) else {
                continue;
            };
            for (other, needed, degree) in family.iter().filter(|(other, ..)| other != rule) {
                let header = |laws, rounding| format!("\nlaws {laws}\nrounding {rounding}\n");
                let unsound = sound.replace(&step, &format!("\ns0 rule {other} "));
                let unsound = unsound.replace(&header(*laws, *rounding), &header(*needed, *degree));
                all.push(trap(rule, sound.clone(), unsound));
            }
        }
    }
    all
}
