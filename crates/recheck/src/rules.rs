//! The table of rules: names, the laws that each needs, and the degree to which its sides agree.

use crate::algebra::{Laws, Rounding};
use crate::names::named;

named! {
    /// A primitive rule.
    Rule {
        LetInline "let_inline", Unfold "unfold", AccessGen "access_gen", AccessGuard "access_guard",
        GenEta "gen_eta", GuardTrue "guard_true", GuardZero "guard_zero", GuardAnd "guard_and",
        GuardAdd "guard_add", GuardMulL "guard_mul_l", GuardMulR "guard_mul_r", GuardGen "guard_gen",
        GuardSum "guard_sum", SelectTrue "select_true", SelectFalse "select_false", GetGuard "get_guard",
        GetSelect "get_select", GetSum "get_sum", GetPrim "get_prim", GetView "get_view", SumEmpty "sum_empty",
        SumOne "sum_one", SumSplit "sum_split", SumTile "sum_tile", SumSwap "sum_swap", SumAdd "sum_add",
        GenSumSwap "gen_sum_swap", OnehotSum "onehot_sum", MulSumL "mul_sum_l", MulSumR "mul_sum_r",
        AddAssoc "add_assoc", AddComm "add_comm", AddZeroL "add_zero_l", AddZeroR "add_zero_r",
        MulAssoc "mul_assoc", MulComm "mul_comm", MulOneL "mul_one_l", MulOneR "mul_one_r", DistrL "distr_l",
        DistrR "distr_r", ViewSame "view_same", ViewView "view_view", ViewGen "view_gen", ArithEq "arith_eq",
        Absurd "absurd",
    }
}

impl Rule {
    /// The laws that make the sides equal.
    pub(crate) fn laws(self) -> Laws {
        match self {
            Rule::GuardAdd | Rule::GuardSum | Rule::GetSum | Rule::SumOne => Laws::ADD_0_L,
            Rule::SumSplit | Rule::SumTile => Laws::ADD.without(Laws::ADD_COMM),
            Rule::SumSwap | Rule::SumAdd => Laws::ADD,
            Rule::OnehotSum => Laws::ADD_0_L.and(Laws::ADD_0_R),
            Rule::GuardMulL => Laws::MUL_0_L,
            Rule::GuardMulR => Laws::MUL_0_R,
            Rule::MulSumL => Laws::MUL_0_R.and(Laws::DISTR_L),
            Rule::MulSumR => Laws::MUL_0_L.and(Laws::DISTR_R),
            Rule::AddAssoc => Laws::ADD_ASSOC,
            Rule::AddComm => Laws::ADD_COMM,
            Rule::AddZeroL => Laws::ADD_0_L,
            Rule::AddZeroR => Laws::ADD_0_R,
            Rule::MulAssoc => Laws::MUL_ASSOC,
            Rule::MulComm => Laws::MUL_COMM,
            Rule::MulOneL => Laws::MUL_1_L,
            Rule::MulOneR => Laws::MUL_1_R,
            Rule::DistrL => Laws::DISTR_L,
            Rule::DistrR => Laws::DISTR_R,
            _ => Laws::NONE,
        }
    }

    /// How far the sides may differ in floating point.
    pub(crate) fn rounding(self) -> Rounding {
        match self {
            Rule::GuardMulL | Rule::GuardMulR | Rule::SumOne | Rule::OnehotSum => Rounding::Finite,
            Rule::AddComm | Rule::AddZeroL | Rule::AddZeroR => Rounding::Finite,
            Rule::MulComm | Rule::MulOneL | Rule::MulOneR => Rounding::Finite,
            Rule::SumSplit | Rule::SumTile | Rule::SumSwap | Rule::SumAdd => Rounding::Real,
            Rule::MulSumL | Rule::MulSumR | Rule::AddAssoc | Rule::MulAssoc => Rounding::Real,
            Rule::DistrL | Rule::DistrR => Rounding::Real,
            _ => Rounding::Bitwise,
        }
    }
}
