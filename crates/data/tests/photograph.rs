//! The photograph of the examples loads as its page says.

use std::path::Path;

use atl_data::{Wanted, load, load_noted};
use atl_runtime::DType;

fn check(name: &str, shape: &[usize]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data").join(name);
    let image = load(&path, Some(DType::F32)).expect("the photograph");
    assert_eq!(image.shape(), shape);
    let samples = image.as_slice::<f32>().expect("f32");
    assert!(samples.iter().any(|sample| *sample > 200.0) && samples.iter().all(|sample| *sample <= 255.0));
    let wrong = load_noted(&path, Wanted { dtype: None, rank: Some(5 - shape.len()) });
    assert!(wrong.expect_err("the other rank").to_string().contains("[H, W"));
}

#[test]
fn photograph() {
    check("coffee.jpg", &[400, 600, 3]);
    check("coffee-gray.jpg", &[400, 600]);
}
