//! The table of rules: names, the laws that each needs, and the degree to which its sides agree.

use crate::algebra::{Algebra, Element, Laws, Rounding, Scalar};
use crate::names::named;

named! {
    /// A primitive rule.
    Rule {
        LetInline "let_inline", Unfold "unfold", AccessGen "access_gen", AccessGuard "access_guard",
        GenEta "gen_eta", GuardTrue "guard_true", GuardZero "guard_zero", GuardAnd "guard_and",
        GuardAdd "guard_add", GuardMulL "guard_mul_l", GuardMulR "guard_mul_r", GuardGen "guard_gen",
        GuardSum "guard_sum", SelectTrue "select_true", SelectFalse "select_false", GetGuard "get_guard",
        GetSelect "get_select", GetSum "get_sum", GetPrim "get_prim", GetView "get_view", SumEmpty "sum_empty",
        SumOne "sum_one", SumLast "sum_last", SumSplit "sum_split", SumTile "sum_tile", SumSwap "sum_swap", SumAdd "sum_add",
        SumOnes "sum_ones", GenSumSwap "gen_sum_swap", OnehotSum "onehot_sum", MulSumL "mul_sum_l", MulSumR "mul_sum_r",
        AddAssoc "add_assoc", AddComm "add_comm", AddZeroL "add_zero_l", AddZeroR "add_zero_r",
        MulAssoc "mul_assoc", MulComm "mul_comm", MulOneL "mul_one_l", MulOneR "mul_one_r", DistrL "distr_l",
        DistrR "distr_r", ReadIndex "read_index", LiteralIndex "literal_index", IndexAdd "index_add",
        IndexMul "index_mul", IndexPrim "index_prim", SubAsAdd "sub_as_add", ViewSame "view_same", ViewView "view_view", ViewGen "view_gen",
        IterateZero "iterate_zero", IterateLast "iterate_last", IterateBody "iterate_body", ArithEq "arith_eq",
        Absurd "absurd",
    }
}

impl Rule {
    /// The sides have the same bits whatever the elements are.
    pub(crate) fn is_bitwise(self) -> bool {
        let element = Element { scalar: Scalar::F32, algebra: Algebra::PlusTimes };
        self.rounding(element) == Rounding::Bitwise
    }

    /// The laws that make the sides equal.
    pub(crate) fn laws(self) -> Laws {
        Laws::of(match self {
            Rule::GuardAdd | Rule::GuardSum | Rule::GetSum | Rule::SumOne | Rule::AddZeroL => "add_0_l",
            Rule::AddZeroR => "add_0_r",
            Rule::OnehotSum => "add_0_l add_0_r",
            Rule::SumSplit | Rule::SumTile => "add_0_l add_0_r add_assoc",
            Rule::SumSwap | Rule::SumAdd => "add_0_l add_0_r add_comm add_assoc",
            Rule::GuardMulL => "mul_0_l",
            Rule::GuardMulR => "mul_0_r",
            Rule::MulSumL => "mul_0_r distr_l",
            Rule::MulSumR => "mul_0_l distr_r",
            Rule::AddAssoc => "add_assoc",
            Rule::AddComm => "add_comm",
            Rule::MulAssoc => "mul_assoc",
            Rule::MulComm => "mul_comm",
            Rule::MulOneL => "mul_1_l",
            Rule::MulOneR => "mul_1_r",
            Rule::DistrL => "distr_l",
            Rule::DistrR => "distr_r",
            Rule::SumOnes => "index_counts",
            Rule::LiteralIndex => "add_0_l index_counts",
            Rule::IndexAdd => "add_0_r add_assoc index_counts",
            Rule::IndexMul => "add_0_r add_assoc mul_0_r mul_1_r distr_l index_counts",
            _ => "none",
        })
    }

    /// How far the sides may differ at terms of an element type.
    pub(crate) fn rounding(self, element: Element) -> Rounding {
        match self {
            _ if !element.scalar.is_float() => Rounding::Bitwise,
            Rule::SumSplit | Rule::SumTile | Rule::SumSwap | Rule::SumAdd | Rule::AddAssoc
                if element.algebra.selects() =>
            {
                Rounding::Finite
            }
            Rule::GuardMulL | Rule::GuardMulR | Rule::SumOne | Rule::OnehotSum => Rounding::Finite,
            Rule::AddComm | Rule::AddZeroL | Rule::AddZeroR => Rounding::Finite,
            Rule::MulComm | Rule::MulOneL | Rule::MulOneR => Rounding::Finite,
            Rule::SumSplit | Rule::SumTile | Rule::SumSwap | Rule::SumAdd => Rounding::Real,
            Rule::MulSumL | Rule::MulSumR | Rule::AddAssoc | Rule::MulAssoc => Rounding::Real,
            Rule::DistrL | Rule::DistrR | Rule::SumOnes => Rounding::Real,
            _ => Rounding::Bitwise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_that_a_rule_needs_is_a_law() {
        let mut rule = Rule::LetInline;
        for name in ["guard_add", "sum_swap", "sum_tile", "onehot_sum", "mul_sum_l", "mul_sum_r", "distr_r"] {
            rule = Rule::named(name).unwrap_or(rule);
            assert_eq!(rule.name(), name);
            assert!(rule.laws() != Laws::NONE && rule.laws().within(Algebra::MinPlus.laws()), "{name}");
        }
    }
}
