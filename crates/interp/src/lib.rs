//! The executable meaning of kernel terms: slow, obvious, the oracle of every test.
//!
//! A term denotes a tensor of a static shape. [`eval()`] computes it in an environment ([`Env`]) that gives the
//! free variables values, over a [`Domain`] of scalars: [`Machine`], the scalars exactly as compiled code
//! computes them, or [`Exact`], rational numbers in place of floats.
//!
//! | term | meaning |
//! |---|---|
//! | `gen i<n. e` | the values of `e` for `0 <= i < n`; a negative extent is an empty one |
//! | `sum i<n. e` | from the algebra's zero, add `e` for each `0 <= i < n`, in order |
//! | `[p] * e` | `e` where `p` holds; else zeros, and `e` is not evaluated |
//! | `select(p, a, b)` | one side; the other is not evaluated |
//! | `iterate t<n. x = e, s in f` | `f` of the last states; rounds that change none of them are not run |
//! | `let x = e; f` | `f`, where `x` is the value of `e` |
//! | `e[k]` | row `k` of `e`; zeros where `k` is out of range |
//! | `x[i]` in an index | the integer there; 0 where `i` is out of range |
//! | `f(a, ..)` | pointwise; `+` and `*` are the algebra's |
//! | `view e` | the same scalars; from here on zero, `+` and `*` are the other algebra's |
//! | a defined operator | its definition |
//! | several results | the value of each; they are no tensor, so nothing but `let` is around them |
//!
//! ```
//! use atl_interp::{Machine, Value, eval_program};
//! use atl_kernel::{Ctx, Elem, Ix, Label, Node, Scalar, Var};
//! use std::sync::Arc;
//!
//! // sum i<n. f32(i)
//! let elem = Elem { scalar: Scalar::F32, algebra: &atl_semirings::instances::PLUS_TIMES };
//! let mut ctx = Ctx::new();
//! let n = ctx.push_size(Label::new("n"));
//! let index = Arc::new(Node::Index(elem, Ix::Var(Var::Bound(0))));
//! let sum = Arc::new(Node::Sum(Label::new("i"), Ix::free(n), index));
//! let value = eval_program::<Machine>(&ctx, &[5], vec![], &sum).unwrap();
//! assert_eq!(value.data(), [Value::F32(10.0)]);
//! ```
//!
//! Reading order: `eval` (the table above), `plan` (types and variables made explicit), `domain` and its two
//! instances. Types are not checked beyond what evaluation needs: that is the kernel's task.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod domain;
mod env;
mod error;
mod eval;
mod exact;
mod machine;
mod plan;
mod ratio;
mod tensor;
mod until;

pub use atl_scalars::Value;
pub use domain::{Domain, Integral, operation};
pub use env::Env;
pub use error::{EvalError, Result};
pub use eval::{Evaluate, Limits, eval, eval_here, eval_program, eval_program_results, eval_results};
pub use exact::{Exact, Number};
pub use machine::Machine;
pub use ratio::Ratio;
pub use tensor::Tensor;
