//! An operator on many small tensors, put together in Rust.
#![allow(clippy::print_stdout)]

use atl_driver::teil::operators::{Operator, Tensor, program};
use atl_driver::{Buffer, Compile, backends};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // P, of 6 points and 4 nodes, along each axis: no tensor of 216 by 64 entries is made.
    let p = Operator::matrix("P", 6u64, 4u64);
    let all = p.kron(&p).kron(&p);
    let v = all.apply(&Tensor::new("u", [4u64, 4, 4]))?;
    let text = program("v", &v).to_string();
    println!("{text}");

    let program = atl_driver::parse("v.teil", &text)?;
    let kernel = program.scheduled("v", Some("lifted"))?.lower()?;
    let kernel = kernel.compile(&backends::cranelift::BACKEND, Default::default())?;
    let (matrix, nodes) =
        (Buffer::from_slice(&[0.25; 24], &[6, 4])?, Buffer::from_slice(&[2.0; 64], &[4, 4, 4])?);
    let points = kernel.call(&[("P", matrix.view()), ("u", nodes.view())], &[]).dense()?;
    assert_eq!(points.as_slice::<f64>()?, [2.0; 216]);

    // Index spaces are compared when operators meet.
    let wrong = p.compose(&p).err().map(|clash| clash.to_string());
    println!("{}", wrong.unwrap_or_default());
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
