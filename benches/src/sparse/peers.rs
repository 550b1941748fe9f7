//! SciPy, in a process of its own that has the arrays and runs a kernel whenever it is asked to.
//!
//! One idea: nothing of Python runs while something else is timed. The process sleeps until a line comes, runs the kernel
//! once, and says how many nanoseconds that took.

use super::cases::{Kernel, Question};
use crate::race::{Author, Code, Contender, Output, Remarks};
use atl_driver::Buffer;
use atl_runtime::{Coordinates, Element, Growing, Tensor, load, save};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Names the Python that has SciPy; the repository's own if it is not set.
const PYTHON: &str = "ATL_PEERS_PYTHON";

/// A waiting process. It ends when nothing can be asked any more.
struct Asked {
    child: Child,
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    folder: PathBuf,
}

/// SciPy's kernel of this tensor, and of the second one or the dense factor if it takes one. If SciPy is missing, that is printed.
pub(crate) fn scipy<'a>(
    (format, kernel): Question,
    (tensor, second): (&Tensor, Option<&Tensor>),
    factor: Option<&Buffer>,
) -> Result<Option<Contender<'a>>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let python = std::env::var_os(PYTHON).map_or_else(|| root.join(".venv/bin/python"), PathBuf::from);
    if !python.exists() {
        println!("  skipped: SciPy, for there is no {PYTHON} and no .venv; see benches/README.md");
        return Ok(None);
    }
    let folder = std::env::temp_dir().join(format!("atl-benches-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
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
    let mut child = Command::new(&python)
        .arg(root.join("benches/sparse/peers/with_scipy.py"))
        .args([what.as_ref(), format.as_ref(), folder.as_os_str()])
        .env("OMP_NUM_THREADS", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|why| format!("{}: {why}", python.display()))?;
    let ask = child.stdin.take();
    let answers = BufReader::new(child.stdout.take().ok_or("no answers")?);
    let mut asked = Asked { child, ask, answers, folder };
    let name = asked.answer()?;
    if let Some(why) = name.strip_prefix("skipped: ") {
        println!("  skipped: SciPy: {why}");
        return Ok(None);
    }
    let read = |file: &str| load(asked.folder.join(file), None).map_err(|why| why.to_string());
    let output = match kernel {
        Kernel::Factor | Kernel::Triangles => Output::Dense(read("result.npy")?),
        Kernel::Square | Kernel::Columns | Kernel::Sum => Output::Arrays(vec![
            filled::<i64>(&read("pos.npy")?)?,
            filled::<i32>(&read("crd.npy")?)?,
            filled::<f64>(&read("vals.npy")?)?,
        ]),
    };
    Ok(Some(Contender {
        name,
        author: Author::Peer("SciPy".to_owned()),
        code: Code::Asked(Box::new(move || asked.run())),
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
    save(folder.join(format!("{name}.npy")), buffer).map_err(|why| why.to_string())
}

impl Asked {
    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|why| format!("SciPy does not answer: {why}"))?;
        match line.trim() {
            "" => Err("SciPy's process ended".to_owned()),
            words => Ok(words.to_owned()),
        }
    }

    fn run(&mut self) -> Result<Duration, String> {
        let ask = self.ask.as_mut().ok_or("nobody to ask")?;
        writeln!(ask).map_err(|why| format!("SciPy cannot be asked: {why}"))?;
        let nanoseconds = self.answer()?;
        nanoseconds.parse().map(Duration::from_nanos).map_err(|_| format!("SciPy answered `{nanoseconds}`"))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.ask = None;
        // It has nothing to save: whether it ends well does not matter, nor does a file that stays.
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
