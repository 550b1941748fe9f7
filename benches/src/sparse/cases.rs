//! The functions that are raced, and with which tensors: a table.
//!
//! A case names a function of `examples/sparse.atl`; every schedule of it takes part. To add one: a line
//! here, and its C in `sparse/plain`, written as the literature has the loops of that format, for the arrays
//! that the function takes.

use super::matrices::{
    CUBE_3, CUBE_4, CUBE_5, Data, FEM, FEW, LAPLACIAN, LONG_FIBRES, LONG_ROWS, OTHER_UNIFORM, R_MAT, SKEWED,
    SMALL, SMALL_R_MAT, UNIFORM, UNIFORM_8, UNIFORM_32,
};
use crate::race::native::Plain;
use Kernel::{Columns, Factor, Square, Sum, Triangles};

/// A function to race.
pub(crate) struct Case {
    /// What it is called.
    pub(crate) name: &'static str,
    /// The function of the group's file.
    pub(crate) function: &'static str,
    /// With which tensors.
    pub(crate) with: &'static [Data],
    /// The sparse operands besides.
    pub(crate) others: &'static [Other],
    /// Products and sums for each entry of the tensor.
    pub(crate) flops: f64,
    /// The C to beat.
    pub(crate) plain: Plain,
    /// What SciPy computes, if it has such a thing: its format, and what it computes.
    pub(crate) scipy: Option<Question>,
    /// What is wanted, in words.
    pub(crate) target: &'static str,
}

/// A kernel of SciPy.
pub(crate) type Question = (&'static str, Kernel);

/// What SciPy computes.
#[derive(Clone, Copy)]
pub(crate) enum Kernel {
    /// The product with the dense factor.
    Factor,
    /// The product with itself.
    Square,
    /// The same by columns.
    Columns,
    /// The sum with the second operand.
    Sum,
    /// How many triangles there are, each counted as often as it is found.
    Triangles,
}

/// A sparse operand after the first.
pub(crate) enum Other {
    /// This one.
    Of(Data),
    /// The same as the first.
    First,
}

/// A file of `sparse/plain`; `growing` where its results do.
macro_rules! plain {
    ($name:literal, $file:literal) => {
        Plain {
            name: $name,
            source: include_str!(concat!("../../sparse/plain/", $file, ".c")),
            rounding: atl_driver::Rounding::Real,
        }
    };
    ($name:literal, $file:literal, growing) => {
        Plain {
            name: $name,
            source: concat!(
                include_str!("../../sparse/plain/growing.h"),
                include_str!(concat!("../../sparse/plain/", $file, ".c"))
            ),
            rounding: atl_driver::Rounding::Real,
        }
    };
}
pub(super) use plain;

/// The extent of the dense matrices' short side.
pub(crate) const RANK: i64 = 32;

/// Every case.
pub(crate) const CASES: &[Case] = &[
    Case {
        name: "spmv csr",
        function: "spmv",
        with: &[LAPLACIAN, R_MAT, FEM, UNIFORM],
        others: &[],
        flops: 2.0,
        plain: plain!("by rows", "spmv_csr"),
        scipy: Some(("csr", Factor)),
        target: "short rows (laplacian) 1.2 x C; fem 90 % of the bound; 1.8 x on two cores",
    },
    Case {
        name: "spmv coo",
        function: "spmv_coo",
        with: &[LAPLACIAN, R_MAT, UNIFORM],
        others: &[],
        flops: 2.0,
        plain: plain!("segments in two scans", "spmv_coo"),
        scipy: Some(("coo", Factor)),
        target: "1.2 x C",
    },
    Case {
        name: "spmv bcsr(4, 4)",
        function: "spmv_bcsr",
        with: &[FEM],
        others: &[],
        flops: 2.0,
        plain: plain!("extents at run time", "spmv_bcsr"),
        scipy: Some(("bsr", Factor)),
        target: "1.35 x C; 95 % of the bound",
    },
    Case {
        name: "spmv csc",
        function: "spmv_csc",
        with: &[LAPLACIAN, R_MAT, UNIFORM],
        others: &[],
        flops: 2.0,
        plain: plain!("by columns", "spmv_csc"),
        scipy: Some(("csc", Factor)),
        target: "none",
    },
    Case {
        name: "spmv ell(24)",
        function: "spmv_ell",
        with: &[FEM],
        others: &[],
        flops: 2.0,
        plain: plain!("by rows", "spmv_ell"),
        scipy: None,
        target: "none",
    },
    Case {
        name: "spmv dia",
        function: "spmv_dia",
        with: &[LAPLACIAN],
        others: &[],
        flops: 2.0,
        plain: plain!("ranges of diagonals", "spmv_dia"),
        scipy: Some(("dia", Factor)),
        target: "none",
    },
    Case {
        name: "spmm csr",
        function: "spmm",
        with: &[FEM, UNIFORM],
        others: &[],
        flops: 2.0 * RANK as f64,
        plain: plain!("by rows", "spmm_csr"),
        scipy: Some(("csr", Factor)),
        target: "1.8 x on two cores",
    },
    Case {
        name: "sddmm csr",
        function: "sddmm",
        with: &[SMALL],
        others: &[],
        flops: 2.0 * RANK as f64,
        plain: plain!("by rows", "sddmm_csr"),
        scipy: None,
        target: "none",
    },
    Case {
        name: "ttv csf",
        function: "ttv",
        with: &[CUBE_3, CUBE_4, CUBE_5],
        others: &[],
        flops: 2.0,
        plain: plain!("fibre by fibre", "ttv_csf"),
        scipy: None,
        target: "none",
    },
    Case {
        name: "spmspv csr",
        function: "spmspv",
        with: &[LONG_ROWS],
        others: &[Other::Of(FEW)],
        flops: 0.0,
        plain: plain!("rows merged", "spmspv_csr"),
        scipy: None,
        target: "50 x C",
    },
    Case {
        name: "ttv csf, sparse vector",
        function: "ttv_sparse",
        with: &[LONG_FIBRES],
        others: &[Other::Of(FEW)],
        flops: 0.0,
        plain: plain!("fibres merged", "ttv_sparse"),
        scipy: None,
        target: "50 x C",
    },
    Case {
        name: "mttkrp csf",
        function: "mttkrp",
        with: &[CUBE_3, CUBE_4, CUBE_5, SKEWED],
        others: &[],
        flops: 2.0 * RANK as f64,
        plain: plain!("one fused nest", "mttkrp_csf"),
        scipy: None,
        target: "1.4 x C on cubes",
    },
    Case {
        name: "spgemm csr",
        function: "spgemm_csr",
        with: &[LAPLACIAN, UNIFORM_8, UNIFORM_32, SMALL_R_MAT],
        others: &[Other::First],
        flops: 0.0,
        plain: plain!("rows in a workspace, sorted by qsort", "spgemm_csr", growing),
        scipy: Some(("csr", Square)),
        target: "2 x C; ahead of SciPy with sorted rows",
    },
    Case {
        name: "csr to csc",
        function: "turn",
        with: &[LAPLACIAN, R_MAT, UNIFORM],
        others: &[],
        flops: 0.0,
        plain: plain!("columns counted, then filled", "turn"),
        scipy: Some(("csr", Columns)),
        target: "within 3 x the bound",
    },
    Case {
        name: "csr + csr",
        function: "add",
        with: &[UNIFORM],
        others: &[Other::Of(OTHER_UNIFORM)],
        flops: 0.0,
        plain: plain!("rows merged", "add_csr"),
        scipy: Some(("csr", Sum)),
        target: "0.9 x C; ahead of SciPy",
    },
    Case {
        name: "coo + coo",
        function: "add_coo",
        with: &[UNIFORM],
        others: &[Other::Of(OTHER_UNIFORM)],
        flops: 0.0,
        plain: plain!("entries merged", "add_coo"),
        scipy: None,
        target: "0.9 x C",
    },
    Case {
        name: "coo * coo",
        function: "hadamard_coo",
        with: &[UNIFORM],
        others: &[Other::Of(OTHER_UNIFORM)],
        flops: 0.0,
        plain: plain!("entries merged", "hadamard_coo"),
        scipy: None,
        target: "none",
    },
    Case {
        name: "triangles csr",
        function: "triangles",
        with: &[SMALL_R_MAT, UNIFORM_8],
        others: &[],
        flops: 0.0,
        plain: plain!("rows merged", "triangles"),
        scipy: Some(("csr", Triangles)),
        target: "none",
    },
    Case {
        name: "mttkrp rows",
        function: "mttkrp_rows",
        with: &[CUBE_3, SKEWED],
        others: &[],
        flops: 2.0 * RANK as f64,
        plain: plain!("one fused nest", "mttkrp_rows"),
        scipy: None,
        target: "1.4 x C on cubes; 1.8 x on two cores",
    },
];
