//! `atl certify`: the file for Rocq. What Rocq says of such files is asked by `proofs/test`, where it is installed.

use crate::common::Folder;

const PROGRAM: &str = "fn f(x: f32[N]) -> f32[N] where 1 <= N { gen i < N { x?[i - 1] + x[i] } }
schedule s of f { split i by 4; }
fn gather(a: i32[N], x: f32[N]) -> f32[N] {
    let p = gen i < N { a[i] + a[i] };
    gen j < N { x?[p[j]] }
}
schedule parts of gather { split p/i by 4; }
";

#[test]
fn the_file_states_the_program_and_the_schedule_and_proves_them_equal() {
    let folder = Folder::new("certify");
    folder.write("p.atl", PROGRAM);
    let said = folder.done("certify p.atl --schedule s -o f.v");
    assert!(said.starts_with("f.v: ") && said.contains("inferences"), "{said}");
    let text = folder.read("f.v");
    for part in [
        "Variable N_0 : Z.",
        "Hypothesis h_2 : (1 <=? N_0) = true.",
        "Definition source :=",
        "Theorem certified : teq [N_0] source scheduled.",
        "(Certificate.certified [Number N_0; ",
        "Definition kernel : statement V_f32 :=",
        "exists h', run ints kernel h = Some h'",
        "Print Assumptions computed.",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    folder.done("certify p.atl --schedule s -o again.v");
    assert_eq!(text, folder.read("again.v"), "the same file each time");
}

#[test]
fn a_file_says_whether_it_claims_something_of_loops() {
    let folder = Folder::new("certify_claims");
    folder.write("p.atl", PROGRAM);
    folder.done("certify p.atl --fn gather --derivation-only -o g.v");
    let text = folder.read("g.v");
    assert!(text.contains("nothing is said here of loops"), "{text}");
    assert!(text.ends_with("Print Assumptions certified.\n") && !text.contains("kernel"), "{text}");
    let said = folder.refused("certify p.atl --fn gather -o h.v", "E0806");
    assert!(said.contains("several scalar types") && said.contains("--derivation-only"), "{said}");
    assert!(!folder.path("h.v").exists());
}

#[test]
fn rounds_whose_states_change_where_they_are_are_exported_with_their_loops() {
    let folder = Folder::new("certify_states");
    folder.write("p.atl", "fn f(x: f64[N]) -> f64[N] { scan t < N from s = f64(0) { s + x[t] } give s }\n");
    folder.done("certify p.atl -o f.v");
    let text = folder.read("f.v");
    for part in
        ["(Replace \"out\" t_", "(EIterate ", "(Iterated (Begins true ", "Print Assumptions computed."]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    folder.write("q.atl", "fn f(x: f64[N]) -> f64[N] { rec y: f64 = gen t < N { x[t] + y?[t - 1] }; y }\n");
    let said = folder.refused("certify q.atl -o q.v", "E0806");
    assert!(said.contains("an iteration: ") && said.contains("--derivation-only"), "{said}");
}

#[test]
fn an_iteration_is_exported_with_its_induction_and_nothing_of_loops() {
    let folder = Folder::new("certify_rounds");
    folder.write(
        "p.atl",
        "fn f(x: f64[N]) -> f64 { iterate t < N from a = f64(0), b = f64(1) { (a + x[t], b * a) } in a - b }
schedule s of f { unroll t by 2; }
",
    );
    let said = folder.refused("certify p.atl --schedule s -o f.v", "E0806");
    assert!(said.contains("an iteration") && said.contains("--derivation-only"), "{said}");
    folder.done("certify p.atl --schedule s --derivation-only -o f.v");
    let text = folder.read("f.v");
    for part in ["(iterated N_0 ((scalar ", "(fst states_", "refine (induction (both (teq []) (teq []))"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn an_array_that_a_step_replaces_is_read_alike() {
    let folder = Folder::new("certify_replaced");
    folder.write("p.atl", PROGRAM);
    folder.done("certify p.atl --schedule parts --derivation-only -o g.v");
    assert!(folder.read("g.v").contains("rewrite ?(fun l => read_alike "), "as it reads `p`");
}

#[test]
fn what_has_no_words_is_refused_and_nothing_is_written() {
    let folder = Folder::new("certify_refused");
    folder.write(
        "p.atl",
        "fn f(x: f64[N]) -> (a: f64[N], b: f64[N]) { (gen i < N { x[i] }, gen i < N { -x[i] }) }\n",
    );
    let said = folder.refused("certify p.atl --derivation-only -o g.v", "E0806");
    assert!(said.contains("several results"), "{said}");
    assert!(!folder.path("g.v").exists());
}

#[test]
fn without_rocq_the_file_is_written_and_not_accepted() {
    let folder = Folder::new("certify_alone");
    folder.write("p.atl", PROGRAM);
    let words = ["certify", "p.atl", "--schedule", "s", "-o", "f.v", "--run"];
    let output = folder.command(&words).env("PATH", "").output().expect("the command runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error[E0807]"));
    assert!(folder.path("f.v").exists());
}
