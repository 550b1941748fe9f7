//! What stands around the device's functions: how to compile and call them, and the host's function that
//! launches them.

use crate::names::Names;
use crate::plan::{Launch, Work};
use crate::terms::{Terms, c_type};
use crate::{Rounding, STATIC_SHARED};
use atl_c_text::Dialect;
use atl_loops::{Access, Axis, Bool, Int, Kernel, Scalar};
use std::fmt::Write;

/// The parameters of each function: sizes, then buffers.
pub(crate) fn parameters(kernel: &Kernel, alone: &str) -> Vec<String> {
    let sizes = kernel.sizes.iter().map(|size| format!("long long {}", Names.identifier(size)));
    let buffers = kernel.params.iter().map(|param| {
        let constant = if param.access == Access::Read { "const " } else { "" };
        format!("{constant}{} *{alone}{}", c_type(param.scalar), Names.identifier(&param.name))
    });
    sizes.chain(buffers).collect()
}

/// The bytes of a buffer in shared memory, up to where the next may begin.
pub(crate) fn bytes(scalar: Scalar, cells: i64) -> i64 {
    let size = i64::try_from(scalar.size()).unwrap_or(8);
    cells.max(1).saturating_mul(size).saturating_add(15) / 16 * 16
}

/// The bytes of shared memory of a block.
pub(crate) fn shared_bytes(launch: &Launch) -> i64 {
    launch.shared.iter().map(|shared| bytes(shared.scalar, shared.cells)).sum()
}

/// The grid of a launch, an extent for each axis.
fn grid(launch: &Launch) -> [Int; 3] {
    let mut extents = [Int::Lit(1), Int::Lit(1), Int::Lit(1)];
    match &launch.work {
        Work::Fill { cells, .. } => {
            extents[0] =
                (cells.clone() + Int::Lit(launch.threads[0] - 1)).floor_div(Int::Lit(launch.threads[0]));
        }
        Work::Blocks { grid, .. } => {
            for (axis, _, extent) in grid {
                extents[*axis as usize] = extent.clone();
            }
        }
    }
    extents
}

/// The head of the text: what it is, how to compile it, and what each launch is.
pub(crate) fn head(kernel: &Kernel, launches: &[Launch], function: &str, rounding: Rounding) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "// `{}` for a device: {}", kernel.name, launches_in_words(launches));
    for (number, launch) in (1..).zip(launches) {
        let [x, y, z] = grid(launch).map(|extent| extent.to_string());
        let [tx, ty, tz] = launch.threads;
        let shared = shared_bytes(launch);
        let _ = writeln!(
            text,
            "//   {number}. grid ({x}, {y}, {z}), block ({tx}, {ty}, {tz}), {shared} bytes of shared memory"
        );
    }
    let flags = match rounding {
        Rounding::Exact => "products and sums are not fused, whatever flags say",
        Rounding::Fused => "products and sums may be fused, as its theorem allows",
    };
    let _ = writeln!(
        text,
        "// `nvcc -arch=sm_90 -c FILE` compiles it, without `-use_fast_math`: {flags}.\n\
         // `{function}_launch` checks sizes and launches; pointers are the device's. Buffers do not overlap. It returns 0 if all is launched,\n\
         // 2 if sizes do not satisfy the requirements, 3 if a grid is too large, 4 if the device refuses."
    );
    for requirement in &kernel.requires {
        let _ = writeln!(text, "// Requires {requirement}.");
    }
    for requirement in &kernel.requires_all {
        let _ = writeln!(text, "// The caller promises {requirement}.");
    }
    text += "\n#ifndef ATL_DYNAMIC_SHARED\n\
             #define ATL_DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]\n#endif\n\n";
    text
}

fn launches_in_words(launches: &[Launch]) -> String {
    match launches.len() {
        1 => "one launch.".to_owned(),
        n => format!("{n} launches, one after the other."),
    }
}

/// The host's function.
pub(crate) fn launcher(
    kernel: &Kernel,
    launches: &[Launch],
    kernels: &[String],
    function: &str,
    terms: &mut Terms,
) -> String {
    let mut text = String::from("#ifndef __CUDACC_RTC__\n#ifndef ATL_LAUNCH\n");
    text += "#define ATL_LAUNCH(kernel, grid, block, shared, stream, ...) kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)\n";
    text += "#endif\n\n";
    let mut parameters = parameters(kernel, "");
    parameters.push("cudaStream_t stream".to_owned());
    let _ = writeln!(text, "extern \"C\" int {function}_launch({}) {{", parameters.join(", "));
    let extents = kernel.params.iter().flat_map(|param| &param.extents);
    let mut lengths: Vec<Int> = kernel.sizes.iter().cloned().map(Int::Var).collect();
    lengths.extend(extents.filter(|extent| !terms.is_nonnegative(extent)).cloned());
    let negative = lengths.into_iter().map(|length| Bool::lt(length, Int::Lit(0)));
    let unmet = kernel.requires.iter().cloned().map(Bool::negate);
    let mut checks: Vec<String> = Vec::new();
    for refused in negative.chain(unmet) {
        let check = format!("  if ({}) return 2;\n", terms.bool(&refused));
        if !checks.contains(&check) {
            checks.push(check);
        }
    }
    text += &checks.concat();
    let arguments: Vec<String> = kernel
        .sizes
        .iter()
        .chain(kernel.params.iter().map(|param| &param.name))
        .map(|name| Names.identifier(name))
        .collect();
    for (launch, name) in launches.iter().zip(kernels) {
        text += "  {\n";
        for (axis, extent) in Axis::ALL.into_iter().zip(grid(launch)) {
            let _ = writeln!(text, "    const long long atl_{} = {};", axis.name(), terms.int(&extent));
        }
        let bytes = shared_bytes(launch);
        let dynamic = if bytes > STATIC_SHARED { bytes } else { 0 };
        let [x, y, z] = launch.threads;
        text += "    if (atl_x > 2147483647 || atl_y > 65535 || atl_z > 65535) return 3;\n";
        text += "    if (atl_x > 0 && atl_y > 0 && atl_z > 0) {\n";
        if dynamic > 0 {
            let _ = writeln!(
                text,
                "      if (cudaFuncSetAttribute({name}, cudaFuncAttributeMaxDynamicSharedMemorySize, {dynamic}) != cudaSuccess) return 4;"
            );
        }
        let _ = writeln!(
            text,
            "      ATL_LAUNCH({name}, dim3(atl_x, atl_y, atl_z), dim3({x}, {y}, {z}), {dynamic}, stream, {});\n    }}\n  }}",
            arguments.join(", ")
        );
    }
    text += "  return cudaGetLastError() == cudaSuccess ? 0 : 4;\n}\n#endif\n";
    text
}
