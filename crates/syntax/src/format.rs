//! The formatter.
//!
//! It changes white space only: the tokens and comments of the result are those of the text, in the same
//! order, so a formatted program is the same program. A text with errors is left alone.

use atl_diag::{Diagnostic, FileId};

use crate::layout::{Comment, Piece, Shape, lay_out};
use crate::parser::parse_file;
use crate::token::{Token, TokenKind};

/// The longest line, in characters, that the canonical layout makes where it can.
pub const WIDTH: usize = 100;

/// The text in canonical layout; what is wrong with it, if something is.
pub fn format(file: FileId, text: &str) -> Result<String, Vec<Diagnostic>> {
    let parse = parse_file(file, text);
    if parse.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(parse.diagnostics);
    }
    let pieces = pieces(text, &parse.tokens);
    Ok(lay_out(&pieces, Shape::File, Some(WIDTH)))
}

/// The tokens with their comments; the last piece is the end of the text.
fn pieces(text: &str, tokens: &[Token]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut leading: Vec<Comment> = Vec::new();
    // What the white space since the last token or comment held.
    let mut line_ends = 0usize;
    let ends_line = |index: usize| match tokens.get(index + 1) {
        None => true,
        Some(next) => next.kind == TokenKind::Whitespace && text[next.range()].contains('\n'),
    };
    for (index, token) in tokens.iter().enumerate() {
        let written = &text[token.range()];
        if token.kind == TokenKind::Whitespace {
            line_ends = written.matches('\n').count();
            continue;
        }
        let blank_before = line_ends > 1;
        if token.kind.is_comment() {
            let comment = Comment {
                text: written.trim_end().to_owned(),
                ends_line: token.kind != TokenKind::BlockComment || ends_line(index),
                blank_before,
            };
            match pieces.last_mut() {
                Some(piece) if line_ends == 0 && leading.is_empty() => piece.trailing.push(comment),
                _ => leading.push(comment),
            }
        } else {
            let leading = std::mem::take(&mut leading);
            pieces.push(Piece { leading, blank_before, ..Piece::new(token.kind, written) });
        }
        line_ends = 0;
    }
    pieces.push(Piece { leading, ..Piece::new(TokenKind::End, "") });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let formatted = format(FileId(0), text).expect("the text is right");
        assert_eq!(formatted, expected, "\n{formatted}");
        let again = format(FileId(0), &formatted).expect("formatted text is right");
        assert_eq!(again, formatted, "not idempotent:\n{again}");
    }

    #[test]
    fn the_examples_of_the_language_are_canonical() {
        let text = "\
// 3x3 box blur, zero outside the image
fn blur(img: f32[N, M]) -> f32[N, M] {
    let bx = gen y < N, x < M { img?[y, x - 1] + img[y, x] + img?[y, x + 1] };
    gen y < N, x < M { bx?[y - 1, x] + bx[y, x] + bx?[y + 1, x] }
}

fn relax(d: min_plus<f32>[V], w: min_plus<f32>[V, V]) -> min_plus<f32>[V] where 0 < V, V % 2 == 0 {
    gen v < V { sum u < V { d[u] * w[u, v] } }
}

schedule tiled of blur {
    tile y, x by 64, 64; // directives: sequences of theorems with familiar names
    compute bx at x.o;
    peel;
    vectorize x.i by 16;

    rw access_gen with k = 8, l = -1 at gen y < N { _ } backwards;
    relayout bx by (4, 8):(8, 1);
    stage a[0..4, ..] at bx/y as t;
    assume (0 < N) && M == 1;
    // comments stand as far out as their steps
    peel i;
    repeat {
        // until nothing changes
        either {
            peel;
        } or {
            split i by 8;
        }

        try {}
    }
    simplify;
}
";
        check(text, text);
    }

    #[test]
    fn arrays_and_brackets_on_the_right_stay_as_they_are() {
        let text = "\
fn f(a: f32[N]) -> f32[N] {
    let k = [[1.0, -2.0], [3.0, 4.0]]; // weights
    gen i < N { a[i] * k[0, 1] * [i == 1] + [a[i]][0] * [i < 2] / 2 }
}
";
        check(text, text);
        // A long array takes several lines, which stay as they are.
        let numbers: Vec<String> = (0..80).map(|n| format!("{n}.5")).collect();
        let long = format!("fn f() -> f32[80] {{ [{}] }}", numbers.join(", "));
        let formatted = format(FileId(0), &long).expect("the text is right");
        assert!(formatted.lines().count() > 3, "{formatted}");
        check(&formatted, &formatted);
    }

    #[test]
    fn loops_of_lets_that_are_called_like_clauses() {
        let text = "\
schedule s of f {
    split by/i by 4;
    rename at/x.o to first;
    parallel by/i.o, x;
}
";
        check(text, text);
    }

    #[test]
    fn monoids_and_what_scans_give() {
        let text = "\
/// The lesser of two.
monoid least on (v: f64, i: i32) {
    zero (inf, -1);
    add (min(a.v, b.v), a.0 + b.i);
    laws associative, commutative;
}

semiring dual on (v: f64, d: f64) {
    zero (0, 0);
    one (1, 0);
    add (a.v + b.v, a.d + b.d);
    mul (a.v * b.v, a.v * b.d + a.d * b.v);
    laws commutative;
}

fn f(x: (v: f64[N], i: i32[N])) -> (f64[N], f64[N]) {
    let s = sum i < N in least { x[i] };
    let p = prod i < N in dual { x[i] };
    scan t < N from a = s.v, b = a { b, a } give (a, b)
}
";
        check(text, text);
    }

    #[test]
    fn white_space_is_made_canonical() {
        check(
            "import   \"a.atl\"\nformat csr=[dense,compressed] ;fn f( a:f32[ N ]as csr,k :size )->f32[N]{gen i<N{[0<=i<N-k]*a[i+k]-(-a [i])*f32(i)}}",
            "import \"a.atl\"\nformat csr = [dense, compressed];\n\nfn f(a: f32[N] as csr, k: size) -> f32[N] {\n    gen i < N { [0 <= i < N - k] * a[i + k] - (-a[i]) * f32(i) }\n}\n",
        );
    }

    #[test]
    fn comments_stay_with_their_tokens() {
        let text = "\
/// What it does.
fn f(
    a: f32[N], // the input
    // the amount
    k: size,
) -> f32[N] {
    // first

    // second
    let b = a; // trailing
    /* block */ gen i < N { b[i] + /* inline */ 1 }
    // last
}
// the end
";
        check(text, text);
    }

    #[test]
    fn long_lines_break_before_operators_and_inside_brackets() {
        check(
            "fn f(a: f32[N]) -> f32[N] { gen i < N { alphaalphaalphaalphaalphaalpha[i] * betabetabetabetabeta[i] + gammagammagammagamma[i] } }",
            "\
fn f(a: f32[N]) -> f32[N] {
    gen i < N {
        alphaalphaalphaalphaalphaalpha[i] * betabetabetabetabeta[i] + gammagammagammagamma[i]
    }
}
",
        );
    }

    #[test]
    fn texts_with_errors_are_left_alone() {
        assert!(format(FileId(0), "fn f(").is_err());
    }
}
