//! A line of index notation as a program.
#![allow(clippy::print_stdout)]

use atl_driver::tensor::{Request, translate};

fn main() -> Result<(), atl_driver::Failure> {
    let (translation, program) = translate(&Request::new("y(i) = A(i,j) * x(j)").format("A:csr"))?;
    println!("{}", translation.text);
    let scheduled = program.scheduled(&translation.function, translation.schedule.as_deref())?;
    println!("{}", scheduled.lower()?.kernel);
    Ok(())
}
