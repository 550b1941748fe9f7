//! A blur defined, scheduled and called from Rust, on memory that Rust owns: nothing is copied.
//!
//! `cargo run --example blur`
#![allow(clippy::print_stdout)]

use atl_driver::BufferView;
use atl_driver::builder::{Elem, FunctionBuilder, generate};
use ndarray::Array2;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut blur = FunctionBuilder::new("blur");
    let (n, m) = (blur.size("N"), blur.size("M"));
    let img = blur.input("img", Elem::F32, (&n, &m));
    let rows = generate([("y", &n), ("x", &m)], |[y, x]| {
        img.at_or_zero((y, x - 1)) + img.at((y, x)) + img.at_or_zero((y, x + 1))
    });
    let rows = blur.local("rows", rows);
    let mean = generate([("y", &n), ("x", &m)], |[y, x]| {
        (rows.at_or_zero((y - 1, x)) + rows.at((y, x)) + rows.at_or_zero((y + 1, x))) / 9.0
    });
    blur.returns(Elem::F32, (&n, &m), mean);
    blur.schedule("vectors", "vectorize rows/x by 8; vectorize x by 8;");
    println!("{}", blur.text());

    let image = Array2::from_shape_fn((6, 8), |(y, x)| if (y + x) % 4 == 0 { 9.0f32 } else { 0.0 });
    let kernel = blur.compile(Some("vectors"))?;
    let blurred = kernel.call(&[("img", BufferView::from_array("img", image.view())?)], &[]).dense()?;
    println!("{}", blurred.as_array::<f32>()?);
    Ok(())
}
