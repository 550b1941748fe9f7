//! Contractions of operands all of whose levels are compressed, as fused loops of merges have them: a table.
//!
//! The loops to beat merge wherever two operands meet, as the literature on streams does before it skips.
//! Where one is much shorter than the other, skipping is another complexity, and more is wanted.

use super::cases::{Case, Other, plain};
use super::matrices::{
    CUBE_3, CUBE_4, CUBE_5, FACTOR, FACTOR_COLUMNS, FEW, LONG_FIBRES, LONG_ROWS, OTHER_CUBE_3, OTHER_FACTOR,
    OTHER_LONG_FIBRES, OTHER_ROWS, OTHER_SHORT_ROWS, QUARTER, ROWS, ROWS_OF_FEW, SHORT_ROWS, THIRD,
};
use crate::race::native::Plain;

/// Every case.
pub(super) const CASES: &[Case] = &[
    Case {
        name: "rows combined",
        function: "rows_combined",
        with: &[SHORT_ROWS],
        others: &[Other::Of(OTHER_SHORT_ROWS)],
        flops: 0.0,
        plain: plain!("rows merged with the list of rows", "mmul_rows", growing),
        scipy: None,
        target: "1 x C",
    },
    Case {
        name: "inner products",
        function: "inner_products",
        with: &[ROWS],
        others: &[Other::Of(OTHER_ROWS)],
        flops: 0.0,
        plain: plain!("each row merged with each", "mmul_inner", growing),
        scipy: None,
        target: "1 x C",
    },
    Case {
        name: "inner products, one side short",
        function: "inner_products",
        with: &[LONG_ROWS],
        others: &[Other::Of(ROWS_OF_FEW)],
        flops: 0.0,
        plain: plain!("each row merged with each", "mmul_inner", growing),
        scipy: None,
        target: "10 x C",
    },
    Case {
        name: "tensor times sparse vector",
        function: "times_vector",
        with: &[CUBE_4],
        others: &[Other::Of(THIRD)],
        flops: 0.0,
        plain: plain!("fibres merged", "ttv_compressed", growing),
        scipy: None,
        target: "1 x C",
    },
    Case {
        name: "tensor times sparse vector, one side short",
        function: "times_vector",
        with: &[LONG_FIBRES],
        others: &[Other::Of(FEW)],
        flops: 0.0,
        plain: plain!("fibres merged", "ttv_compressed", growing),
        scipy: None,
        target: "10 x C",
    },
    Case {
        name: "tensor times sparse matrix",
        function: "times_matrix",
        with: &[CUBE_5],
        others: &[Other::Of(FACTOR_COLUMNS)],
        flops: 0.0,
        plain: plain!("each fibre merged with each row", "ttm_compressed", growing),
        scipy: None,
        target: "1 x C",
    },
    Case {
        name: "mttkrp, sparse factors",
        function: "sparse_factors",
        with: &[CUBE_4, CUBE_5],
        others: &[Other::Of(FACTOR), Other::Of(OTHER_FACTOR)],
        flops: 0.0,
        plain: plain!("merged at each level", "mttkrp_compressed", growing),
        scipy: None,
        target: "10 x C",
    },
    Case {
        name: "inner product of tensors",
        function: "inner_product",
        with: &[CUBE_3],
        others: &[Other::Of(OTHER_CUBE_3)],
        flops: 0.0,
        plain: plain!("merged at each level", "inner3"),
        scipy: None,
        target: "1 x C",
    },
    Case {
        name: "inner product of tensors",
        function: "inner_product",
        with: &[LONG_FIBRES],
        others: &[Other::Of(OTHER_LONG_FIBRES)],
        flops: 0.0,
        plain: plain!("merged at each level", "inner3"),
        scipy: None,
        target: "1 x C",
    },
    Case {
        name: "filtered spmv",
        function: "filtered",
        with: &[SHORT_ROWS],
        others: &[Other::Of(QUARTER)],
        flops: 0.0,
        plain: plain!("rows merged", "spmv_filtered", growing),
        scipy: None,
        target: "1 x C",
    },
];
