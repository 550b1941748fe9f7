//! Which statement a line of the text form shows.
//!
//! The printer gives every statement a line, and a closing line to those that hold others. So the lines follow from the
//! statements alone, and the text needs no marks. Other printers number statements in the same order.

use crate::{Kernel, Stmt};

impl Kernel {
    /// For each line of the text form the number of its statement, in the order of [`Stmt::for_each`]; none for the
    /// heading and the last line.
    pub fn statements_by_line(&self) -> Vec<Option<usize>> {
        let heading = 1 + self.params.len() + self.requires.len() + self.requires_all.len() + 1;
        let mut lines = vec![None; heading];
        walk(&self.body, &mut 0, &mut lines);
        lines.push(None);
        lines
    }
}

fn walk(stmt: &Stmt, next: &mut usize, lines: &mut Vec<Option<usize>>) {
    let number = Some(*next);
    *next += 1;
    match stmt {
        Stmt::Seq(stmts) => stmts.iter().for_each(|stmt| walk(stmt, next, lines)),
        Stmt::For { body, .. }
        | Stmt::Alloc { body, .. }
        | Stmt::Visit { body, .. }
        | Stmt::Vectors { body, .. }
        | Stmt::Intersection { body, .. }
        | Stmt::Merge { body, .. } => {
            lines.push(number);
            walk(body, next, lines);
            lines.push(number);
        }
        // The condition has lines of its own.
        Stmt::Search { body, .. } => {
            lines.extend([number, number]);
            walk(body, next, lines);
            lines.extend([number, number]);
        }
        Stmt::If { then, otherwise, .. } => {
            lines.push(number);
            walk(then, next, lines);
            if let Some(otherwise) = otherwise {
                lines.push(number);
                walk(otherwise, next, lines);
            }
            lines.push(number);
        }
        Stmt::Reset { .. }
        | Stmt::Forget { .. }
        | Stmt::Store { .. }
        | Stmt::Push { .. }
        | Stmt::Prefetch { .. } => lines.push(number),
    }
}

#[cfg(test)]
mod tests {
    use crate::cases::{appending_case, lanes_case, merging_case, random_case, searches_case};
    use crate::{Stmt, parse_kernel};

    #[test]
    fn lines_are_of_the_statements_that_they_show() {
        let text = "\
kernel f(N)
  out f32 y[N]
  requires 0 < N
{
  y[0] = 0.0f32
  for i in 1..N {
    if i < 3 {
      y[i] = 1.0f32
    } else {
      y[i] = 2.0f32
    }
  }
}
";
        let n = Some;
        let expected = [None, None, None, None, n(1), n(2), n(3), n(4), n(3), n(5), n(3), n(2), None];
        assert_eq!(parse_kernel(text).unwrap().statements_by_line(), expected);
    }

    #[test]
    fn every_line_is_counted_and_stores_are_found() {
        let cases = (0..200)
            .map(random_case)
            .chain((0..10).map(appending_case))
            .chain((0..40).map(searches_case))
            .chain((0..20).map(lanes_case));
        let kernels = cases.chain((0..10).map(merging_case)).map(|case| case.kernel);
        for kernel in kernels {
            let text = kernel.to_string();
            let numbers = kernel.statements_by_line();
            assert_eq!(numbers.len(), text.lines().count(), "{text}");
            let mut stmts = Vec::new();
            kernel.body.for_each(&mut |stmt| stmts.push(stmt));
            for (line, number) in text.lines().zip(numbers) {
                let stmt = number.map(|number| stmts[number]);
                if let Some(Stmt::For { var, .. }) = stmt {
                    assert!(line.contains(&format!("for {var} in ")) || line.trim() == "}", "{line}");
                }
                let stores = [" = ", ":= ", "+= ", "*= ", "min= ", "max= ", "||= ", "&&= "];
                if let Some(Stmt::Store { buf, .. }) = stmt {
                    assert!(
                        line.trim().starts_with(buf.as_str()) && stores.iter().any(|op| line.contains(op))
                    );
                }
            }
        }
    }
}
