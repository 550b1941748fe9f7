//! The table of rules: names, the laws that each needs, and the degree to which its sides agree.

use crate::algebra::{Laws, Rounding};

/// A primitive rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    LetInline,
    Unfold,
    AccessGen,
    AccessGuard,
    GenEta,
    GuardTrue,
    GuardZero,
    GuardAnd,
    GuardAdd,
    GuardMulL,
    GuardMulR,
    GuardGen,
    GuardSum,
    SelectTrue,
    SelectFalse,
    GetGuard,
    GetSelect,
    GetSum,
    GetPrim,
    GetView,
    SumEmpty,
    SumOne,
    SumSplit,
    SumTile,
    SumSwap,
    SumAdd,
    GenSumSwap,
    OnehotSum,
    MulSumL,
    MulSumR,
    AddAssoc,
    AddComm,
    AddZeroL,
    AddZeroR,
    MulAssoc,
    MulComm,
    MulOneL,
    MulOneR,
    DistrL,
    DistrR,
    ViewSame,
    ViewView,
    ViewGen,
    ArithEq,
    Absurd,
}

/// A row of the table.
struct Row(Rule, &'static str, Laws, Rounding);

const fn bitwise(rule: Rule, name: &'static str) -> Row {
    Row(rule, name, Laws::NONE, Rounding::Bitwise)
}

/// Addition is a monoid: what regrouping a sum needs.
const MONOID: Laws = Laws::ADD.without(Laws::ADD_COMM);

const TABLE: [Row; 45] = [
    bitwise(Rule::LetInline, "let_inline"),
    bitwise(Rule::Unfold, "unfold"),
    bitwise(Rule::AccessGen, "access_gen"),
    bitwise(Rule::AccessGuard, "access_guard"),
    bitwise(Rule::GenEta, "gen_eta"),
    bitwise(Rule::GuardTrue, "guard_true"),
    bitwise(Rule::GuardZero, "guard_zero"),
    bitwise(Rule::GuardAnd, "guard_and"),
    Row(Rule::GuardAdd, "guard_add", Laws::ADD_0_L, Rounding::Bitwise),
    Row(Rule::GuardMulL, "guard_mul_l", Laws::MUL_0_L, Rounding::Finite),
    Row(Rule::GuardMulR, "guard_mul_r", Laws::MUL_0_R, Rounding::Finite),
    bitwise(Rule::GuardGen, "guard_gen"),
    Row(Rule::GuardSum, "guard_sum", Laws::ADD_0_L, Rounding::Bitwise),
    bitwise(Rule::SelectTrue, "select_true"),
    bitwise(Rule::SelectFalse, "select_false"),
    bitwise(Rule::GetGuard, "get_guard"),
    bitwise(Rule::GetSelect, "get_select"),
    Row(Rule::GetSum, "get_sum", Laws::ADD_0_L, Rounding::Bitwise),
    bitwise(Rule::GetPrim, "get_prim"),
    bitwise(Rule::GetView, "get_view"),
    bitwise(Rule::SumEmpty, "sum_empty"),
    Row(Rule::SumOne, "sum_one", Laws::ADD_0_L, Rounding::Finite),
    Row(Rule::SumSplit, "sum_split", MONOID, Rounding::Real),
    Row(Rule::SumTile, "sum_tile", MONOID, Rounding::Real),
    Row(Rule::SumSwap, "sum_swap", Laws::ADD, Rounding::Real),
    Row(Rule::SumAdd, "sum_add", Laws::ADD, Rounding::Real),
    bitwise(Rule::GenSumSwap, "gen_sum_swap"),
    Row(Rule::OnehotSum, "onehot_sum", Laws::ADD_0_L.and(Laws::ADD_0_R), Rounding::Finite),
    Row(Rule::MulSumL, "mul_sum_l", Laws::MUL_0_R.and(Laws::DISTR_L), Rounding::Real),
    Row(Rule::MulSumR, "mul_sum_r", Laws::MUL_0_L.and(Laws::DISTR_R), Rounding::Real),
    Row(Rule::AddAssoc, "add_assoc", Laws::ADD_ASSOC, Rounding::Real),
    Row(Rule::AddComm, "add_comm", Laws::ADD_COMM, Rounding::Finite),
    Row(Rule::AddZeroL, "add_zero_l", Laws::ADD_0_L, Rounding::Finite),
    Row(Rule::AddZeroR, "add_zero_r", Laws::ADD_0_R, Rounding::Finite),
    Row(Rule::MulAssoc, "mul_assoc", Laws::MUL_ASSOC, Rounding::Real),
    Row(Rule::MulComm, "mul_comm", Laws::MUL_COMM, Rounding::Finite),
    Row(Rule::MulOneL, "mul_one_l", Laws::MUL_1_L, Rounding::Finite),
    Row(Rule::MulOneR, "mul_one_r", Laws::MUL_1_R, Rounding::Finite),
    Row(Rule::DistrL, "distr_l", Laws::DISTR_L, Rounding::Real),
    Row(Rule::DistrR, "distr_r", Laws::DISTR_R, Rounding::Real),
    bitwise(Rule::ViewSame, "view_same"),
    bitwise(Rule::ViewView, "view_view"),
    bitwise(Rule::ViewGen, "view_gen"),
    bitwise(Rule::ArithEq, "arith_eq"),
    bitwise(Rule::Absurd, "absurd"),
];

impl Rule {
    pub(crate) fn named(name: &str) -> Option<Rule> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    pub(crate) fn laws(self) -> Laws {
        TABLE[self as usize].2
    }

    pub(crate) fn rounding(self) -> Rounding {
        TABLE[self as usize].3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_rules() {
        for (place, row) in TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, place, "{}", row.1);
        }
    }
}
