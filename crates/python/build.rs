//! What is released is small, by the linker that Rust brings for this machine: functions of the same code are
//! one, and similar ones are neighbours, which a wheel's compression makes use of.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| var(name).is_ok_and(|found| found == value);
    if is("TARGET", "x86_64-unknown-linux-gnu") && is("PROFILE", "release") {
        println!("cargo::rustc-link-arg-cdylib=-Wl,--icf=all,--bp-compression-sort=both");
    }
}
