//! Calls of functions with sparse parameters, and what their searches cost.

use crate::array::Array;
use crate::oracle::Arguments;
use atl_driver::Compile;
use atl_driver::Lowered;
use atl_driver::backends::{Options, interp};
use atl_driver::sparse::packed;
use atl_loops::interp::{self as run, Cells, Event, observe};
use atl_runtime::Tensor;

/// The arguments with each sparse parameter in the function's format, where all are given dense.
///
/// # Errors
/// One does not fit.
pub fn packed_arguments(lowered: &Lowered, dense: &Arguments) -> Result<Arguments, String> {
    let mut arguments = Arguments { sizes: dense.sizes.clone(), arrays: vec![] };
    for (name, array) in &dense.arrays {
        let Some(param) = lowered.signature.operand(name) else {
            arguments.arrays.push((name.clone(), array.clone()));
            continue;
        };
        let tensor = Tensor::Dense(array.to_buffer()?);
        let packed = packed(&lowered.signature, param, &tensor).map_err(|d| format!("{d:?}"))?;
        for (name, buffer) in packed.arrays {
            let param = lowered.function.params.iter().find(|p| p.name == name).ok_or("no such array")?;
            arguments.arrays.push((name, Array::from_view(param.ty.elem.scalar, &buffer.view())?));
        }
        for size in packed.sizes {
            if !arguments.sizes.contains(&size) {
                arguments.sizes.push(size);
            }
        }
    }
    Ok(arguments)
}

/// How many keys a back end looks at in the searches of these loops.
///
/// # Errors
/// The arguments do not fit, or the loops trap.
pub fn keys_looked_at(lowered: &Lowered, arguments: &Arguments) -> Result<u64, String> {
    let buffers = arguments.arrays.iter().map(|(_, a)| a.to_buffer()).collect::<Result<Vec<_>, _>>()?;
    let names = arguments.arrays.iter().map(|(name, _)| name.as_str());
    let views: Vec<_> = names.zip(buffers.iter().map(|b| b.view())).collect();
    let sizes: Vec<_> = arguments.sizes.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    let compiled = lowered.compile(&interp::BACKEND, Options::default()).map_err(|e| e.to_string())?;
    let bound = compiled.call(&views, &sizes).bind().map_err(|e| e.to_string())?;
    let inputs = lowered.kernel.params.iter().filter(|param| !param.access.is_output());
    let given = |name: &str| arguments.arrays.iter().find(|(own, _)| own == name).map(|(_, array)| array);
    let cells = inputs.map(|param| given(param.name.as_str()).map(cells).ok_or("an array is missing"));
    let cells = cells.collect::<Result<Vec<_>, _>>()?;
    let mut looked = 0;
    let mut count = |event: Event<'_>| {
        if let Event::Searched { looks, .. } = event {
            looked += looks;
        }
    };
    let run = observe(&lowered.kernel, bound.sizes(), &cells, run::Options::default(), &mut count);
    run.map_err(|e| e.to_string())?;
    Ok(looked)
}

/// An array as the interpreter of loops takes it.
fn cells(array: &Array) -> Cells {
    Cells::from_literals(array.scalar, &array.data)
}
