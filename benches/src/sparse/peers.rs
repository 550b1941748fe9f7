//! SciPy, in a process of its own that has the arrays and runs a kernel on request.
//!
//! One idea: nothing of Python runs while something else is timed. The process sleeps until a line comes,
//! runs the kernel once, and says how many nanoseconds that took.

use super::cases::{Kernel, Question};
use crate::race::asked::Process;
use crate::race::{Author, Code, Contender, Remarks};
use atl_data::{load, save};
use atl_driver::{Buffer, Memory};
use atl_runtime::{Coordinates, Element, Growing, Tensor};
use std::path::{Path, PathBuf};

/// A folder that is removed when nobody needs it any more.
struct Folder(PathBuf);

/// SciPy's kernel of this tensor, and of the second one or the dense factor if it takes one. If SciPy is
/// missing, that is printed.
pub(crate) fn scipy<'a>(
    (format, kernel): Question,
    (tensor, second): (&Tensor, Option<&Tensor>),
    factor: Option<&Buffer>,
) -> Result<Option<Contender<'a>>, String> {
    let folder = std::env::temp_dir().join(format!("atl-benches-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let kept = Folder(folder.clone());
    for (tensor, prefix) in [Some(tensor), second].into_iter().flatten().zip(["", "second-"]) {
        let Tensor::Sparse(entries) = tensor else { return Err("the tensor is dense".to_owned()) };
        write(&entries.coordinates, &folder, prefix)?;
    }
    if let Some(factor) = factor {
        keep(&folder, "factor", factor)?;
    }
    let what = match kernel {
        Kernel::Factor => "factor",
        Kernel::Square => "square",
        Kernel::Columns => "columns",
        Kernel::Sum => "sum",
        Kernel::Triangles => "triangles",
    };
    let words = [what.as_ref(), format.as_ref(), folder.as_os_str()];
    let Some((mut process, name)) = Process::start("SciPy", "sparse/peers/with_scipy.py", &words)? else {
        return Ok(None);
    };
    let read = |file: &str| load(folder.join(file), None).map_err(|why| why.to_string());
    let output = match kernel {
        Kernel::Factor | Kernel::Triangles => Memory::Dense(read("result.npy")?),
        Kernel::Square | Kernel::Columns | Kernel::Sum => Memory::Arrays(vec![
            filled::<i64>(&read("pos.npy")?)?,
            filled::<i32>(&read("crd.npy")?)?,
            filled::<f64>(&read("vals.npy")?)?,
        ]),
    };
    Ok(Some(Contender {
        name,
        author: Author::Peer("SciPy".to_owned()),
        code: Code::Asked(Box::new(move || {
            let _ = &kept;
            process.run("")
        })),
        output,
        times: Vec::new(),
        work: [0.0; 2],
        remarks: Remarks::default(),
    }))
}

/// An array that was read, as one that a kernel fills.
fn filled<T: Element>(array: &Buffer) -> Result<Growing, String> {
    let mut growing = Growing::new(T::DTYPE);
    let cells = array.as_slice::<T>().map_err(|why| why.to_string())?;
    growing.fill(cells).map_err(|why| why.to_string())?;
    Ok(growing)
}

/// The tensor's arrays as files.
fn write(entries: &Coordinates, folder: &Path, prefix: &str) -> Result<(), String> {
    let numbers = |name: &str, list: &[usize]| {
        let name = &format!("{prefix}{name}");
        let list: Vec<i64> = list.iter().map(|x| *x as i64).collect();
        let buffer = Buffer::from_slice(&list, &[list.len()]).map_err(|why| why.to_string())?;
        keep(folder, name, &buffer)
    };
    numbers("shape", entries.shape())?;
    for (name, column) in ["rows", "columns"].iter().zip(entries.columns()) {
        numbers(name, column)?;
    }
    keep(folder, &format!("{prefix}values"), entries.values())
}

fn keep(folder: &Path, name: &str, buffer: &Buffer) -> Result<(), String> {
    save(folder.join(format!("{name}.npy")), buffer).map(drop).map_err(|why| why.to_string())
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Whether a file stays does not matter.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
