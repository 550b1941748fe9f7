//! Carried windows: the same results as without a schedule, under the interpreter that traps and in every
//! back end; and each element of a producer computed once for each run of the loop. `ATL_CASES` chooses
//! how many random chains of stages there are.

use atl_driver::backends::{Backend, c, cranelift, interp, loops};
use atl_driver::proof::{verify, windows};
use atl_driver::{Arguments, Buffer, Compile, Compiled, Lowered, Program};
use atl_loops::interp::{Cells, Event, Options, observe};
use atl_loops::{Kernel, Stmt};
use atl_testkit::choices::Choices;

fn parsed(text: &str) -> Program {
    Program::parse("f.atl", text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn lowered(program: &Program, schedule: Option<&str>) -> Lowered {
    let scheduled = program.scheduled("f", schedule).unwrap_or_else(|e| panic!("{e}"));
    scheduled.lower().unwrap_or_else(|e| panic!("{e}"))
}

/// The codes of the refusal of the schedule, or of the loops that it leaves.
fn refused(text: &str) -> Vec<String> {
    match parsed(text).scheduled("f", Some("s")).and_then(|s| s.lower()) {
        Ok(_) => panic!("it is carried\n{text}"),
        Err(failure) => failure.codes().iter().map(ToString::to_string).collect(),
    }
}

fn call(kernel: &Compiled, program: &Program, size: i64) -> Buffer {
    let mut arguments = Arguments::default();
    let f = program.function(Some("f"), None).expect("it is there");
    arguments.complete(program, f, size).unwrap_or_else(|e| panic!("{e}"));
    kernel.call(&arguments.arrays(), &arguments.sizes()).dense().unwrap_or_else(|e| panic!("at {size}: {e}"))
}

/// At these sizes, the schedule `s` gives what the function means, where iterations trap and compiled.
fn check(text: &str, sizes: &[i64]) {
    check_by(text, sizes, &[&loops::BACKEND, &cranelift::BACKEND]);
}

fn check_by(text: &str, sizes: &[i64], backends: &[&'static Backend]) {
    let program = parsed(text);
    let meaning = lowered(&program, None).compile(&interp::BACKEND, Default::default()).expect("interpreted");
    let scheduled = lowered(&program, Some("s"));
    assert!(forgets(&scheduled.kernel), "{}\n{text}", scheduled.kernel);
    rechecked(&scheduled);
    let compile = |backend: &&'static Backend| {
        let compiled = scheduled.compile(backend, Default::default());
        compiled.unwrap_or_else(|e| panic!("{e}\n{}", scheduled.kernel))
    };
    let compiled: Vec<Compiled> = backends.iter().map(compile).collect();
    for size in sizes {
        let expected = call(&meaning, &program, *size);
        for (kernel, backend) in compiled.iter().zip(backends) {
            let found = call(kernel, &program, *size);
            assert_eq!(found, expected, "{} at {size}\n{}\n{text}", backend.name, scheduled.kernel);
        }
    }
}

/// [`check`], and by the C compiler.
fn check_in_c(text: &str, sizes: &[i64]) {
    check_by(text, sizes, &[&loops::BACKEND, &cranelift::BACKEND, &c::BACKEND]);
}

/// What is proved of its windows, both checkers accept as it is written.
fn rechecked(scheduled: &Lowered) {
    let proofs = windows(scheduled).unwrap_or_else(|e| panic!("{e}"));
    assert!(!proofs.is_empty());
    for text in proofs {
        verify("window.atlp", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        atl_recheck::check(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
}

/// Is a window carried in it?
fn forgets(kernel: &Kernel) -> bool {
    let mut found = false;
    kernel.body.for_each(&mut |stmt| found |= matches!(stmt, Stmt::Forget { .. }));
    found
}

/// How often the kernel, of one input of so many cells, stores to the buffer.
fn stores(kernel: &Kernel, buffer: &str, size: i64, cells: usize) -> usize {
    let mut count = 0;
    let mut note = |event: Event<'_>| {
        if let Event::Stored { buf, .. } = event {
            count += usize::from(buf.as_str() == buffer);
        }
    };
    let input = Cells::F32((0..cells).map(|k| k as f32).collect());
    observe(kernel, &[size], &[input], Options::default(), &mut note)
        .unwrap_or_else(|e| panic!("{e}\n{kernel}"));
    count
}

/// A window of `width` elements that moves by `step`, of a producer with a boundary.
fn line(width: i64, step: i64, steps: &str) -> String {
    let reads: Vec<String> = (0..width).map(|k| format!("{}.0 * t[{step} * y + {k}]", k + 1)).collect();
    format!(
        "fn f(x: f32[{step} * N + {width}], N: size) -> f32[N] {{
            let t = gen i < {step} * N + {width} {{ x?[i - 1] * 2.0 + x[i] }};
            gen y < N {{ {} }}
        }}
        schedule s of f {{ {steps} }}",
        reads.join(" + ")
    )
}

const SIZES: &[i64] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 14, 15, 24, 37, 48, 70];

const WHOLE: &str = "compute t at y; carry t along y;";
const CHUNKS: &str = "split y by 7; compute t at y.i; parallel y.o; carry t along y.i;";
const PEELED: &str =
    "split y by 4; compute t at y.i; store t in register; unroll t/i; peel; carry t along y.i;";

#[test]
fn windows_of_every_width_step_and_place() {
    for width in 2..=5 {
        for step in 1..width.min(4) {
            for place in ["", "store t in stack;", "store t in register;"] {
                let steps = format!("compute t at y; {place} carry t along y;");
                check(&line(width, step, &steps), SIZES);
            }
            check(&line(width, step, CHUNKS), SIZES);
            check(&line(width, step, PEELED), SIZES);
        }
    }
}

#[test]
fn each_element_is_computed_once() {
    for (width, step) in [(2, 1), (3, 1), (5, 1), (5, 2), (5, 3)] {
        let kernel = lowered(&parsed(&line(width, step, WHOLE)), Some("s")).ready.kernel;
        for size in [0, 1, 2, 3, 20] {
            let found = stores(&kernel, "t", size, (step * size + width) as usize);
            let expected = if size == 0 { 0 } else { step * size + width - step };
            assert_eq!(found as i64, expected, "{width} by {step} at {size}\n{kernel}");
        }
    }
}

#[test]
fn windows_that_leave_nothing_behind_or_all_are_refused() {
    for (width, step) in [(1, 1), (2, 2), (3, 4)] {
        assert_eq!(refused(&line(width, step, WHOLE)), ["E0373"]);
    }
    assert_eq!(refused(&line(3, 1, "compute t at y; parallel y; carry t along y;")), ["E0373"]);
    assert_eq!(refused(&line(3, 1, "compute t at y; vectorize y by 8; carry t along y;")), ["E0373"]);
    assert_eq!(refused(&line(3, 1, "carry t along y;")), ["E0373"]);
    for (later, help) in [("parallel y;", "split the loop"), ("inline t;", "after those that move or inline")]
    {
        let text = line(3, 1, &format!("{WHOLE} {later}"));
        assert_eq!(refused(&text), ["E0413"], "{text}");
        let refusal = parsed(&text).scheduled("f", Some("s")).and_then(|s| s.lower()).err();
        assert!(refusal.is_some_and(|refusal| refusal.to_string().contains(help)), "{text}");
    }
}

/// Rows that depend on more than on where they are read.
#[test]
fn rows_that_do_not_come_again_are_refused() {
    let f = |row: &str, extent: &str| {
        format!(
            "fn f(x: f32[2 * N + 3], w: f32[N]) -> f32[N] {{
                gen y < N {{ let t = gen k < {extent} {{ {row} }}; t[0] + t[1] + t[2] }}
            }}
            schedule s of f {{ carry t along y; }}"
        )
    };
    check(&f("x[y + k]", "3"), &[0, 1, 2, 3, 8]);
    check(&f("[y + k > 2] * x[y + k] + x?[y + k - 2]", "3"), &[0, 1, 2, 3, 8]);
    for row in [
        "x[y + k] * w[y]",
        "[k > 0] * x[y + k]",
        "[y > 1] * x[y + k]",
        "x[y - k + 2]",
        "x[k]",
        "x[y]",
        "x[2 * y + k / 2]",
    ] {
        assert_eq!(refused(&f(row, "3")), ["E0373"], "{row}");
    }
    assert_eq!(refused(&f("x[y + k] + sum j < y { x[j] }", "3")), ["E0373"]);
    check(&f("sum j < 2 { x[y + k + j] }", "3"), &[0, 1, 2, 3, 8]);
}

/// Rows of a producer within a window of rows; then columns, too.
const IMAGE: &str = "
    fn f(x: f32[N + 2, N + 3], N: size) -> f32[N, N + 1] {
        let u = gen p < N + 2, q < N + 3 { x[p, q] * x[p, q] };
        let h = gen p < N + 2, j < N + 1 { u[p, j] + u[p, j + 1] * 3.0 + u[p, j + 2] };
        gen y < N, i < N + 1 { h[y, i] - h[y + 1, i] * 5.0 + h[y + 2, i] }
    }
    schedule s of f { STEPS }";

#[test]
fn windows_within_windows() {
    for steps in [
        "compute h at y; compute u at h/j; carry h along y; carry u along h/j;",
        "compute h at y; compute u at h/j; store u in register; carry u along h/j; carry h along y;",
        "compute h at y; compute u at y; carry u along y; carry h along y;",
        "split y by 5; parallel y.o; compute h at y.i; compute u at y.i; carry h along y.i; carry u along y.i;",
        "split y by 6; split y.i by 2; compute h at y.i.o; compute u at y.i.o; carry h along y.i.o; carry u along y.i.o; parallel y.o;",
    ] {
        check(&IMAGE.replace("STEPS", steps), &[0, 1, 2, 3, 5, 8, 13, 31]);
    }
}

/// Registers that hold vectors, in tiles of several rows, with the edges apart.
#[test]
fn rows_of_vectors() {
    let steps = |rows: &str| {
        format!(
            "split y by 12; split y.i by {rows}; split i by 8; reorder y.o, i.o, y.i.o, y.i.i, i.i;
             compute h at y.i.o; inline u; store h in register; peel; parallel y.o; unroll y.i.i, h/p;
             vectorize i.i by 8; vectorize h/j by 8; carry h along y.i.o;"
        )
    };
    check_in_c(&IMAGE.replace("STEPS", &steps("4")), SIZES);
    check_in_c(&IMAGE.replace("STEPS", &steps("2")), &[0, 1, 2, 11, 12, 13, 25, 40]);
    check_in_c(
        &IMAGE.replace(
            "STEPS",
            "compute h at y; inline u; vectorize i by 16; vectorize h/j by 16; carry h along y;",
        ),
        &[0, 1, 2, 3, 16, 33],
    );
    check_in_c(&line(5, 2, WHOLE), SIZES);
    check_in_c(&line(4, 1, PEELED), SIZES);
}

/// A window in a sum; one filled by threads, in lanes or in a loop that is written out; and one whose
/// cells are indices.
#[test]
fn other_loops_and_fills() {
    let f = |head: &str, body: &str, steps: &str| {
        format!("fn f({head}, N: size) -> {body} schedule s of f {{ {steps} }}")
    };
    let small: &[i64] = &[0, 1, 2, 3, 9];
    let sum = "f32 { sum y < N { let t = gen k < 3 { x[y + k] * x[y + k] }; t[0] * t[2] - t[1] } }";
    check(&f("x: f32[N + 2]", sum, "carry t along y;"), small);
    check(&f("x: f32[N + 2]", sum, "store t in register; unroll t/k; carry t along y;"), small);
    let blocks = "f32[N] {
        let t = gen i < N + 4 { x?[i - 1] + x[i] };
        gen i < N { t[i] - t[i + 2] + t[i + 4] } }";
    for steps in
        ["parallel t/i;", "vectorize t/i by 4;", "unroll t/i;", "store t in stack; vectorize t/i by 8;"]
    {
        let steps = format!("split i by 8; compute t at i.o; {steps} carry t along i.o;");
        check_in_c(&f("x: f32[N + 4]", blocks, &steps), &[0, 1, 7, 8, 9, 33]);
    }
    check(&f("x: f32[N + 4]", blocks, "compute t at i; unroll i; carry t along i;"), small);
    let gathered = "f32[N] { gen y < N {
        let t = gen k < 3 { c[y + k] * 2 };
        x?[t[0]] + x?[t[1]] * 3.0 + [t[2] < y] * x[0] } }";
    check(&f("c: i32[N + 2], x: f32[N]", gathered, "carry t along y;"), small);
    let square = "f32[N] { gen i < N { let t = gen a < 3, b < 3 { x[a, i + b] * 2.0 }; t[0, 0] - t[1, 1] * 3.0 + t[2, 2] } }";
    for store in ["", "store t in register; unroll t/a, t/b;"] {
        check_in_c(&f("x: f32[3, N + 2]", square, &format!("{store} carry t along i;")), small);
    }
}

/// `carry` keeps the rows of each copy of a loop for which it has a proof. The last chunk, whose length is no
/// number, computes all of its rows.
#[test]
fn copies_that_do_not_move_are_computed_anew() {
    let text = line(3, 1, "split y by 4; split y.i by 2; compute t at y.i.o; peel; carry t along y.i.o;");
    check(&text, SIZES);
}

/// Stages of a square, each of which reads the one before at five places; all are carried along its rows,
/// in vectors.
fn square_stages(count: usize) -> String {
    let step = |of: &str| {
        format!(
            "{of}?[i, j] * 2.0 + {of}?[i - 1, j] - {of}?[i + 1, j] * 3.0 + {of}?[i, j - 1] * 5.0 - {of}?[i, j + 1]"
        )
    };
    let (mut lets, mut of) = (String::new(), "x".to_owned());
    for k in 0..count {
        lets += &format!("    let t{k} = gen i < N, j < N {{ {} }};\n", step(&of));
        of = format!("t{k}");
    }
    let each = |what: &str| (0..count).rev().map(|k| what.replace('K', &k.to_string())).collect::<String>();
    format!(
        "fn f(x: f32[N, N]) -> f32[N, N] {{\n{lets}    gen i < N, j < N {{ {} }}\n}}\nschedule s of f {{\n\
         {}{}{}    vectorize j by 8;\n}}",
        step(&of),
        each("    compute tK at i;\n"),
        each("    carry tK along i;\n"),
        each("    vectorize tK/j by 8;\n"),
    )
}

/// Vectors between the ends of a carried row are those whose lanes read inside the row, however far to
/// the sides they read.
#[test]
fn carried_rows_read_any_distance_to_the_sides() {
    let sizes: Vec<i64> = (0..=44).collect();
    for (left, right) in [(1, 1), (2, 2), (0, 2), (3, 0), (7, 8), (8, 9), (9, 10), (2, 17)] {
        let read = |x: &str| format!("{x}?[i - 1, j] + 2 * {x}?[i, j - {left}] + 3 * {x}?[i, j + {right}]");
        let text = format!(
            "fn f(x: f32[N, N]) -> f32[N, N] {{ let a = gen i < N, j < N {{ {} }}; gen i < N, j < N {{ {} }} }}
            schedule s of f {{ compute a at i; carry a along i; vectorize j by 8; vectorize a/j by 8; }}",
            read("x"),
            read("a")
        );
        check(&text, &sizes);
    }
}

/// What comes again in a chain of windows is proved one window at a time: what the last one is of the
/// first would be exponential. Between the ends of a row no vector asks for its lanes.
#[test]
fn long_chains_are_carried() {
    let sizes = &[0, 1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 18, 25, 40];
    check_in_c(&square_stages(2), sizes);
    let text = square_stages(7);
    check(&text, &[0, 1, 3, 8, 9, 17, 18, 26]);
    let printed = lowered(&parsed(&text), Some("s")).kernel.to_string();
    let stores = printed.lines().filter(|line| line.contains("] = "));
    let without = stores.filter(|line| !line.contains("j + 1 <")).count();
    assert!(printed.matches("for j_end").count() >= 8 && without >= 8, "{without}\n{printed}");
}

/// One to three stages, each of a few reads of the one before, at random places and with nothing outside;
/// carried along rows, chunks or tiles, wherever a window moves.
fn chain(choices: &mut Choices) -> String {
    let stages = 1 + choices.below(3);
    let reads = |of: &str, at: &str, choices: &mut Choices| {
        let read = |choices: &mut Choices| {
            let (factor, offset) = (choices.of(&[1, 2, 3, -1]), choices.of(&[-2, -1, 0, 0, 1, 2]));
            format!("{factor}.0 * {of}?[{at} + {offset}]")
        };
        let read: Vec<String> = (0..1 + choices.below(3)).map(|_| read(choices)).collect();
        read.join(" + ")
    };
    let mut text = "fn f(x: f32[N]) -> f32[N] {\n".to_owned();
    let mut last = "x".to_owned();
    for k in 0..stages {
        text += &format!("    let t{k} = gen i < N {{ {} }};\n", reads(&last, "i", choices));
        last = format!("t{k}");
    }
    let at = choices.of(&["y", "y", "2 * y", "3 * y"]);
    text += &format!("    gen y < N {{ {} }}\n}}\nschedule s of f {{\n", reads(&last, at, choices));
    let (cut, along) = match choices.below(4) {
        0 => (String::new(), "y"),
        1 => ("split y by 7; parallel y.o;".to_owned(), "y.i"),
        2 => (format!("split y by 12; split y.i by {}; parallel y.o;", choices.of(&[2, 3, 4])), "y.i.o"),
        _ => ("split y by 4;".to_owned(), "y.o"),
    };
    text += &format!("    {cut}\n");
    for k in (0..stages).rev() {
        text += &format!("    try {{ compute t{k} at {along}; }}\n");
        match choices.below(4) {
            0 => text += &format!("    try {{ store t{k} in stack; }}\n"),
            1 => text += &format!("    store t{k} in register; try {{ unroll t{k}/i; }}\n"),
            2 => text += &format!("    try {{ vectorize t{k}/i by 4; }}\n"),
            _ => {}
        }
    }
    if choices.one_in(3) {
        text += "    peel;\n";
    }
    for k in 0..stages {
        text += &format!("    try {{ carry t{k} along {along}; }}\n");
    }
    text + "}\n"
}

#[test]
fn random_chains() {
    let (mut carried, mut refused) = (0, 0);
    let count: u64 = std::env::var("ATL_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(40);
    for seed in 0..count {
        let text = chain(&mut Choices::new(seed));
        let lowered = parsed(&text).scheduled("f", Some("s")).and_then(|s| s.lower());
        match lowered {
            Ok(lowered) if forgets(&lowered.kernel) => {
                check(&text, &[0, 1, 2, 3, 4, 5, 7, 8, 12, 13, 26, 70]);
                carried += 1;
            }
            Ok(_) => {}
            Err(_) => refused += 1,
        }
    }
    assert!(carried * 4 > count && refused * 2 < count, "{carried} were carried, and {refused} refused");
}

/// One to three stages of two dimensions, of every type: rows whose conditions depend on how far either
/// end is, in vectors of any length, carried along rows.
fn rows_in_chains(choices: &mut Choices) -> String {
    let ty = choices.of(&["u8", "i8", "u16", "i16", "i32", "u32", "i64", "f32", "f64"]);
    let (width, wide) = *choices.of(&[
        ("M", "M"),
        ("M", "M"),
        ("M + 3", "(M + 3)"),
        ("M + N", "(M + N)"),
        ("2 * M", "2 * M"),
        ("19", "19"),
        ("33", "33"),
    ]);
    let lanes = choices.of(&["2", "4", "8", "8", "16", "32"]);
    let cond = |choices: &mut Choices| {
        let c = choices.of(&["0", "1", "2", "3", "5", "8", "9", "17"]);
        match choices.below(12) {
            0 => format!("j < {wide} - {c}"),
            1 => format!("j == {wide} - {c}"),
            2 => format!("j != {wide} - {c}"),
            3 => format!("j == {c}"),
            4 => format!("j >= {c} && j + {c} < {wide}"),
            5 => format!("{wide} - j > {c} || j < {c}"),
            6 => format!("!({wide} - {c} <= j)"),
            7 => format!("i + j < {wide}"),
            8 => format!("2 * j < {wide} + {c}"),
            9 => format!("{wide} - {c} > j && j != {c}"),
            10 => format!("j < i + {c}"),
            _ => format!("j % 3 == 1 || {wide} <= j + {c}"),
        }
    };
    let factor = |choices: &mut Choices| *choices.of(&["2", "3", "5"]);
    let read = |of: &str, choices: &mut Choices| {
        let row = choices.of(&["i", "i", "i - 1", "i + 1", "i - 2"]);
        let column = choices.of(&["j", "j - 1", "j + 1", "j - 2", "j + 3", "j + 9", "j - 8", "j + 2"]);
        let cell = format!("{} * {of}?[{row}, {column}]", factor(choices));
        match choices.below(4) {
            0 => format!("[{}] * ({cell})", cond(choices)),
            1 => format!("select({}, {cell}, {of}?[i, j])", cond(choices)),
            _ => cell,
        }
    };
    let stages = 1 + choices.below(3);
    let mut text = format!("fn f(x: {ty}[N, {width}], M: size) -> {ty}[N, {width}] {{\n");
    let mut last = "x".to_owned();
    for k in 0..=stages {
        let mut reads = vec![format!("{last}?[i - 1, j] + {last}[i, j]")];
        reads.extend((0..1 + choices.below(3)).map(|_| read(&last, choices)));
        let cell = reads.join(" + ");
        if k < stages {
            text += &format!("    let t{k} = gen i < N, j < {width} {{ {cell} }};\n");
        } else {
            text += &format!("    gen i < N, j < {width} {{ {cell} }}\n}}\nschedule s of f {{\n");
        }
        last = format!("t{k}");
    }
    let along = match choices.below(4) {
        0 => {
            text += "    split i by 5; parallel i.o;\n";
            "i.i"
        }
        _ => "i",
    };
    let each = |what: &str| (0..stages).rev().map(|k| what.replace('K', &k.to_string())).collect::<String>();
    text += &each(&format!("    compute tK at {along};\n"));
    if choices.one_in(6) {
        text += "    peel;\n";
    }
    text += &each(&format!("    try {{ carry tK along {along}; }}\n"));
    text += &each(&format!("    vectorize tK/j by {lanes};\n"));
    text + &format!("    vectorize j by {lanes};\n}}\n")
}

#[test]
fn random_rows_in_chains() {
    let (mut carried, mut refused) = (0, 0);
    let count: u64 = std::env::var("ATL_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(8);
    for seed in 0..count {
        let text = rows_in_chains(&mut Choices::new(seed));
        match parsed(&text).scheduled("f", Some("s")).and_then(|s| s.lower()) {
            Ok(lowered) if forgets(&lowered.kernel) => {
                check(&text, &[0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 18, 19, 24, 25, 26, 33, 42, 51]);
                carried += 1;
            }
            Ok(_) => {}
            Err(_) => refused += 1,
        }
    }
    assert!(carried == count, "{carried} were carried, and {refused} refused");
}
