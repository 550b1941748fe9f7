//! `atl layout`.

use crate::common::Folder;
use atl_diag::codes::PAGES;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;

/// Runs the command with an expression, which has spaces.
fn layout(folder: &Folder, expression: &str, rest: &[&str]) -> (bool, String, String) {
    let args: Vec<&str> = ["layout", expression].into_iter().chain(rest.iter().copied()).collect();
    let output = folder.command(&args).output().expect("the command runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn values_are_printed_with_their_grid() {
    let folder = Folder::new("layout_prints");
    let (done, printed, _) = layout(&folder, "(6,2):(8,2) o (4,3):(3,1)", &[]);
    assert!(done, "{printed}");
    let wanted =
        "((2,2),3):((24,2),8)\n  size 12, rank 2, depth 2, values 0 to 42\n      0    1    2\n   +----+";
    assert!(printed.starts_with(wanted) && printed.contains("\n3  | 26 | 34 | 42 |\n"), "{printed}");
    let (_, printed, _) = layout(&folder, "(4,2):(2,1)", &["--json"]);
    assert_eq!(
        printed,
        "{\"result\":\"(4,2):(2,1)\",\"facts\":[\"size 8, rank 2, depth 1, values 0 to 7\"],\"notes\":[],\"operands\":[]}\n"
    );
    let (done, printed, _) = layout(&folder, "operations", &[]);
    assert!(done && printed.contains("\ncomplement(L[, M])  "), "{printed}");
}

#[test]
fn threads_and_banks_colour_the_grid() {
    let folder = Folder::new("layout_colours");
    let (_, printed, _) =
        layout(&folder, "((4,8),(2,2)):((32,1),(16,8))", &["--by", "thread", "--tile", "(16,8)"]);
    assert!(printed.contains("\n 1  |  T4 V0 |  T4 V1 |  T5 V0 |"), "{printed}");
    let (_, printed, _) = layout(&folder, "(2,2):(2,1)", &["--by", "bank", "--bytes", "64"]);
    assert!(printed.contains("|  0 b0 | 1 b16 |") && printed.contains("|  2 b0 | 3 b16 |"), "{printed}");
    let (_, printed, _) = layout(&folder, "(2,2):(1,0)", &["--by", "thread"]);
    assert!(printed.contains("T0 V0 …"), "{printed}");
    let (done, _, errors) = layout(&folder, "4:9", &["--by", "thread", "--tile", "(4,4)"]);
    assert!(
        !done && errors.contains("E0274") && errors.contains("reaches out of a tile of 16 places"),
        "{errors}"
    );
}

#[test]
fn drawings_are_whole_documents() {
    let folder = Folder::new("layout_draws");
    let rest = ["--svg", "a.svg", "--html", "a.html", "--before"];
    let (done, printed, errors) = layout(&folder, "logical_divide((4,6):(1,4), <2,3>)", &rest);
    assert!(done, "{printed}{errors}");
    let (svg, html) = (folder.read("a.svg"), folder.read("a.html"));
    assert!(svg.starts_with("<svg xmlns") && svg.ends_with("</svg>\n"), "{svg}");
    assert_eq!((svg.matches("<svg ").count(), svg.matches("<rect ").count()), (3, 48));
    assert!(html.starts_with("<!DOCTYPE html>") && html.matches("<svg ").count() == 2, "{html}");
    assert!(html.contains("&lt;2:1;3:1&gt;"), "a tiler has no drawing, and is named: {html}");
    let (done, printed, errors) = layout(&folder, "(4,8)", &["--svg", "shape.svg"]);
    assert!(done && folder.read("shape.svg").matches("<rect ").count() == 32, "{printed}{errors}");
    let (done, _, errors) = layout(&folder, "size(4)", &["--svg", "b.svg"]);
    assert!(!done && errors.contains("E0272"), "{errors}");
    let (done, _, errors) = layout(&folder, "4:1", &["--svg", "no/b.svg"]);
    assert!(!done && errors.contains("E0610"), "{errors}");
}

#[test]
fn requests_are_answered_line_by_line() {
    let folder = Folder::new("layout_batch");
    let mut requests = String::new();
    for n in 1..=500 {
        let _ = writeln!(
            requests,
            "{{\"op\": \"composition\", \"args\": [\"({n},4):(4,1)\", \"{n}:1\"]}}\n\nno request"
        );
    }
    folder.write("r.jsonl", &requests);
    let output = folder.command(&["layout", "--batch", "r.jsonl"]).output().expect("the command runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(printed.lines().count(), 1500);
    assert_eq!(printed.lines().nth(1497), Some("{\"result\": \"500:4\"}"));
    assert!(
        printed.lines().nth(1499).is_some_and(|line| line.starts_with("{\"line\": 1500, \"refused\": \"")),
        "{printed}"
    );
    let output = folder.command(&["layout", "--batch", "none.jsonl"]).output().expect("the command runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("E0601"));
}

/// The second request is written only when the first has its answer.
#[test]
fn requests_through_a_pipe_are_answered_one_by_one() {
    let folder = Folder::new("layout_pipe");
    let mut asked = folder.command(&["layout", "--batch", "-"]);
    let asked = asked.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = asked.spawn().expect("the command runs");
    let mut requests = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let hard = "{\"op\": \"tilings\", \"args\": [\"3037000500:1\", 2]}";
    for (request, wanted) in [
        ("{\"op\": \"size\", \"args\": [\"4:1\"]}".as_bytes(), "{\"result\": 4}"),
        (hard.as_bytes(), "{\"result\": [\"<2:1>\", \"<1:1>\"]}"),
        (b"\xff\xfe", "{\"line\": 3, \"refused\": \"the line is no text: its bytes are not UTF-8\"}"),
        (b"{\"op\": \"size\", \"args\": [\"5:1\"]}\r", "{\"result\": 5}"),
    ] {
        requests.write_all(request).and_then(|()| requests.write_all(b"\n")).expect("the command reads");
        assert_eq!(answers.next().expect("an answer").expect("a line"), wanted);
    }
    drop(requests);
    assert!(answers.next().is_none() && child.wait().expect("it ends").success());
}

/// The first command of each page is refused with its code, and the remedy works.
#[test]
fn pages_on_layouts_trigger_their_codes() {
    let folder = Folder::new("layout_pages");
    let mut pages = 0;
    for page in
        PAGES.iter().filter(|page| page.code.as_str().starts_with("E027") || page.code.as_str() == "E0280")
    {
        let commands: Vec<&str> =
            page.text.lines().filter_map(|line| line.strip_prefix("atl layout \"")).collect();
        let [bad, good] = commands.as_slice() else { continue };
        pages += 1;
        let (done, _, errors) = layout(&folder, bad.trim_end_matches('"'), &[]);
        assert!(!done && errors.contains(page.code.as_str()), "{bad}: {errors}");
        let (done, _, errors) = layout(&folder, good.trim_end_matches('"'), &[]);
        assert!(done, "{good}: {errors}");
    }
    // E0271 to E0280; those of index notation end at E0270.
    assert_eq!(pages, 10);
}

/// The pictures of the book's chapter are what its commands draw; `UPDATE_EXPECT=1` draws them anew.
#[test]
fn pictures_of_the_book_are_current() {
    let folder = Folder::new("layout_pictures");
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src");
    let page = fs::read_to_string(book.join("layouts.md")).expect("the chapter");
    let mut pictures = 0;
    for command in page.lines().filter(|line| line.starts_with("$ atl layout ") && line.contains(" --svg ")) {
        // Words in quotes hold spaces; what the page does with the text is of no interest.
        let command = command.split(" | ").next().unwrap_or(command);
        let words: Vec<&str> = command.split('"').enumerate().flat_map(words).skip(2).collect();
        let output = folder.command(&words).output().expect("the command runs");
        assert!(output.status.success(), "{command}");
        let name = words.last().expect("a file's name");
        let (path, drawn) = (book.join("pictures").join(name), folder.read(name));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&path, &drawn).expect("written");
        }
        assert!(fs::read_to_string(path).is_ok_and(|known| known == drawn), "{name} is drawn by {command}");
        assert!(page.contains(&format!("(pictures/{name})")), "{name} is on the page");
        pictures += 1;
    }
    assert!(pictures >= 3, "{pictures}");
}

/// The words of a part of a command line, of which every second part stood in quotes.
fn words((k, part): (usize, &str)) -> Vec<&str> {
    if k % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }
}
