//! `atl tensor`.

use crate::common::Folder;

const MATRIX: &str = "%%MatrixMarket matrix coordinate real general\n3 4 4\n1 1 2\n1 4 1\n3 2 5\n3 3 -1\n";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("A.mtx", MATRIX);
    folder.write("x.csv", "1\n2\n3\n4\n");
    folder
}

/// Runs the command with an expression, which has spaces.
fn tensor(folder: &Folder, expression: &str, rest: &str) -> (bool, String, String) {
    let mut args = vec!["tensor", expression];
    args.extend(rest.split_whitespace());
    let output = folder.command(&args).output().expect("the command runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn expressions_are_computed_on_files_in_every_format() {
    let folder = folder("tensor_formats");
    for format in
        ["", "-f A:csr", "-f A:csc", "-f=A:ds:1,0", "-f A:uq", "-f A:dcsr", "-f A:dia", "-f A:bitmask"]
    {
        for backend in ["cranelift", "loops"] {
            let rest = format!("{format} -i A=A.mtx -i=x:x.csv --backend {backend}");
            let (done, printed, errors) = tensor(&folder, "y(i) = A(i,j) * x(j)", &rest);
            assert!(done && printed == "[6. 0. 7.]\n", "{rest}\n{printed}{errors}");
        }
    }
}

#[test]
fn results_go_to_files_and_scalars_are_set() {
    let folder = folder("tensor_files");
    for out in ["-o y.npy", "-o=y:y.npy", "-o y=y.npy"] {
        let rest = format!("-t f32 -i x=x.csv --set s=2 {out}");
        assert_eq!(tensor(&folder, "y(i) = s * x(i)", &rest).1, "");
        assert_eq!(folder.read_npy("y.npy").1, [2.0, 4.0, 6.0, 8.0]);
    }
    let (done, _, errors) = tensor(&folder, "y(i) = x(i)", "-i x=x.csv -o z=z.npy");
    assert!(!done && errors.contains("E0268"), "{errors}");
}

#[test]
fn forms_are_printed_in_the_order_asked_for() {
    let folder = folder("tensor_forms");
    let rest = "A x -f A:csr --print loops,program,derivation,c";
    let (done, printed, errors) = tensor(&folder, "ij,j->i", rest);
    let places = ["kernel out(", "fn out(", "theorem", "int32_t out("].map(|part| printed.find(part));
    assert!(done && places.iter().all(Option::is_some) && places.is_sorted(), "{printed}{errors}");
}

#[test]
fn arrays_that_do_not_fit_are_refused_in_the_words_of_the_expression() {
    let folder = folder("tensor_extents");
    for format in ["", "-f A:csr"] {
        let rest = format!("{format} -i A=A.mtx -i x=x.csv");
        let (done, _, errors) = tensor(&folder, "y(i) = A(i,j) * x(i)", &rest);
        assert!(!done && errors.contains("E0269") && errors.contains("the expression:1:19"), "{errors}");
    }
}

#[test]
fn operands_that_are_missing_are_named_in_the_expression() {
    let folder = folder("tensor_missing");
    let (done, _, errors) = tensor(&folder, "y(i) = A(i,j) * x(j)", "-f A:csr -i x=x.csv");
    assert!(!done && errors.contains("E0501") && errors.contains("the expression:1:8"), "{errors}");
}

#[test]
fn results_have_formats() {
    let folder = folder("tensor_results");
    for format in ["csr", "ds:1,0", "uq"] {
        let rest = format!("-f A:csr -f B:{format} -i A=A.mtx -o B=B.mtx --backend cranelift");
        let (done, _, errors) = tensor(&folder, "B(i,j) = 2 * A(i,j)", &rest);
        assert!(done && (format != "csr" || errors.is_empty()), "{errors}");
        let written = folder.read("B.mtx");
        let entries = ["1 1 4", "1 4 2", "2 2 0", "3 2 10", "3 3 -2"].map(|entry| written.contains(entry));
        assert_eq!(entries, [true, true, false, true, true], "{written}");
    }
}

#[test]
fn refused_schedules_are_a_warning_and_wrong_steps_a_refusal() {
    let folder = folder("tensor_refused");
    let (done, printed, errors) =
        tensor(&folder, "y(i) = A(i,j)", "-f A:[dense,hash(8)] -i A=A.mtx --print program");
    assert!(done && printed.contains("[3. 0. 4.]"), "{printed}{errors}");
    let (done, printed, errors) =
        tensor(&folder, "y(i) = A(i,j) * x(j)", "-f A:csb(2,2) -i A=A.mtx -i x=x.csv");
    assert!(done && printed == "[6. 0. 7.]\n", "{printed}{errors}");
    let (done, _, errors) = tensor(&folder, "y(i) = x(i)", "-s unroll -i x=x.csv");
    assert!(!done && errors.contains("E0306"), "{errors}");
}

#[test]
fn steps_are_looked_at_before_a_program_is_printed() {
    let folder = folder("tensor_steps");
    for (steps, code) in
        [("banana i", "E0301"), ("parallel q", "E0303"), ("split i by", "E0306"), ("vectorize j", "E0303")]
    {
        let args = ["tensor", "y(i) = A(i,j) * x(j)", "-f", "A:csr", "-s", steps];
        let output = folder.command(&args).output().expect("the command runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && output.stdout.is_empty() && errors.contains(code),
            "{steps}: {errors}"
        );
    }
}

#[test]
fn differences_go_over_what_is_stored_whatever_the_elements_are() {
    let folder = folder("tensor_differences");
    for (element, printed) in [("f64", "[[0. 0. 0. 0.]]"), ("u8", "[[0 0 0 0]]")] {
        let rest = format!("-f A:csr -f B:csr -t {element} --print loops");
        let (done, loops, errors) = tensor(&folder, "C(i,j) = A(i,j) - B(i,j)", &rest);
        assert!(done && !loops.contains("search") && errors.is_empty(), "{loops}{errors}");
        folder.write("P.mtx", "%%MatrixMarket matrix coordinate real general\n1 4 2\n1 1 2\n1 4 1\n");
        let rest = format!("-f A:csr -f B:csr -t {element} -i A=P.mtx -i B=P.mtx");
        let (done, found, errors) = tensor(&folder, "C(i,j) = A(i,j) - B(i,j)", &rest);
        assert!(done && found.starts_with(printed), "{found}{errors}");
    }
}
