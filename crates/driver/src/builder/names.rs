//! Names of bound variables: unique while a program is built, readable when it is printed.
//!
//! A closure's variable is called `y#17` until the whole body is known. Then each binder gets the name that
//! was asked for, or that with a number if a variable in scope has it; so what a closure meant is what the
//! text means.

use atl_syntax::ast::{Expr, ExprKind};
use std::sync::atomic::{AtomicU64, Ordering};

/// Stands between the name and the number, and in no name of the language.
const MARK: char = '#';

/// A name that no other variable has. The numbers never reach a text.
pub(super) fn fresh(wanted: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{wanted}{MARK}{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn wanted(inner: &str) -> &str {
    inner.split(MARK).next().unwrap_or(inner)
}

/// The body with readable names, none of which is one of `fixed`.
pub(super) fn readable(mut body: Expr, fixed: Vec<String>) -> Expr {
    Scope { fixed, bound: Vec::new() }.rename(&mut body);
    body
}

struct Scope {
    fixed: Vec<String>,
    /// The variables in scope: inner name, readable name.
    bound: Vec<(String, String)>,
}

impl Scope {
    fn enter(&mut self, inner: &mut String) {
        let base = wanted(inner).to_owned();
        let mut readable = base.clone();
        let mut number = 1u32;
        while self.fixed.contains(&readable) || self.bound.iter().any(|(_, taken)| *taken == readable) {
            readable = format!("{base}{number}");
            number += 1;
        }
        let inner = std::mem::replace(inner, readable.clone());
        self.bound.push((inner, readable));
    }

    fn rename(&mut self, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::Name(text) if text.contains(MARK) => {
                let found = self.bound.iter().find(|(inner, _)| inner == text);
                *text = found.map_or_else(|| wanted(text).to_owned(), |(_, readable)| readable.clone());
            }
            ExprKind::Unary(_, a) | ExprKind::Labelled { body: a, .. } => self.rename(a),
            ExprKind::Convert { value, .. } => self.rename(value),
            ExprKind::Binary(_, a, b) | ExprKind::Guard { predicate: a, body: b } => {
                self.rename(a);
                self.rename(b);
            }
            ExprKind::Compare(first, rest) => {
                self.rename(first);
                rest.iter_mut().for_each(|(_, e)| self.rename(e));
            }
            ExprKind::Access { base, indices, .. } => {
                self.rename(base);
                indices.iter_mut().for_each(|e| self.rename(e));
            }
            ExprKind::Call { args, .. } => args.iter_mut().for_each(|e| self.rename(e)),
            ExprKind::Let { name, value, body, .. } => {
                self.rename(value);
                if name.text.contains(MARK) {
                    self.enter(&mut name.text);
                    self.rename(body);
                    self.bound.pop();
                } else {
                    self.rename(body);
                }
            }
            ExprKind::Bind { binders, body, .. } => {
                for binder in binders.iter_mut() {
                    binder.lo.iter_mut().for_each(|e| self.rename(e));
                    binder.hi.iter_mut().for_each(|e| self.rename(e));
                    self.enter(&mut binder.name.text);
                }
                self.rename(body);
                self.bound.truncate(self.bound.len() - binders.len());
            }
            // The builder makes no others.
            _ => {}
        }
    }
}
