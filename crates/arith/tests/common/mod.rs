//! Sequents from text: `0<=i, i<n |- i/k < ceil_div(n,k)`.
//!
//! Variables get levels in order of appearance. `!`, `&&`, `||` and `<=>` make predicates,
//! comparisons chain (`0 <= i < n`), square brackets group predicates, `ceil_div`, `min` and `max` are functions.

use atl_kernel::{Cmp, Ctx, Ix, IxOp, Label, Pred};

/// A context, its variables, and a goal.
pub(crate) struct Sequent {
    pub(crate) ctx: Ctx,
    pub(crate) goal: Pred,
}

/// Read a sequent; the variables come first in the context.
pub(crate) fn sequent(text: &str) -> Sequent {
    let mut parser = Parser { rest: text, names: Vec::new() };
    let mut hyps = Vec::new();
    while !parser.eat("|-") {
        hyps.push(parser.pred());
        parser.eat(",");
    }
    let goal = parser.pred();
    assert_eq!(parser.rest.trim(), "", "left over in {text}");
    let mut ctx = Ctx::new();
    for name in &parser.names {
        ctx.push_index(Label::new(name));
    }
    hyps.into_iter().for_each(|p| ctx.push_hyp(p));
    Sequent { ctx, goal }
}

/// Read an index term in the context of a sequent without a goal.
#[allow(dead_code)]
pub(crate) fn term_in(hyps: &str, term: &str) -> (Ctx, Ix) {
    let s = sequent(&format!("{hyps} |- {term} == 0"));
    match s.goal {
        Pred::Cmp(_, a, _) => (s.ctx, a),
        _ => unreachable!("a comparison was parsed"),
    }
}

struct Parser<'a> {
    rest: &'a str,
    names: Vec<String>,
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn pred(&mut self) -> Pred {
        let p = self.disjunction();
        if self.eat("<=>") { Pred::iff(&p, &self.disjunction()) } else { p }
    }

    fn disjunction(&mut self) -> Pred {
        let mut p = self.conjunction();
        while self.eat("||") {
            p = Pred::or(p, self.conjunction());
        }
        p
    }

    fn conjunction(&mut self) -> Pred {
        let mut p = self.literal();
        while self.eat("&&") {
            p = Pred::and(p, self.literal());
        }
        p
    }

    fn literal(&mut self) -> Pred {
        if self.eat("!") {
            return Pred::not(self.literal());
        }
        if self.eat("false") {
            return Pred::False;
        }
        if self.eat("[") {
            let p = self.pred();
            assert!(self.eat("]"), "expected ] at {}", self.rest);
            return p;
        }
        let (mut left, mut all) = (self.sum(), Pred::True);
        loop {
            let (cmp, swap) = match () {
                _ if self.rest.trim_start().starts_with("<=>") => return all,
                _ if self.eat("<=") => (Cmp::Le, false),
                _ if self.eat("<") => (Cmp::Lt, false),
                _ if self.eat(">=") => (Cmp::Le, true),
                _ if self.eat(">") => (Cmp::Lt, true),
                _ if self.eat("==") => (Cmp::Eq, false),
                _ => return all,
            };
            let right = self.sum();
            let (a, b) = if swap { (right.clone(), left) } else { (left, right.clone()) };
            all = Pred::and(all, Pred::Cmp(cmp, a, b));
            left = right;
        }
    }

    fn sum(&mut self) -> Ix {
        let mut a = if self.eat("-") { Ix::ZERO - self.product() } else { self.product() };
        loop {
            if self.eat("+") {
                a = a + self.product();
            } else if !self.rest.trim_start().starts_with("->") && self.eat("-") {
                a = a - self.product();
            } else {
                return a;
            }
        }
    }

    fn product(&mut self) -> Ix {
        let mut a = self.factor();
        loop {
            let op = match () {
                _ if self.eat("*") => IxOp::Mul,
                _ if self.eat("/") => IxOp::Div,
                _ if self.eat("%") => IxOp::Mod,
                _ => return a,
            };
            a = Ix::bin(op, a, self.factor());
        }
    }

    fn factor(&mut self) -> Ix {
        if self.eat("(") {
            let a = self.sum();
            assert!(self.eat(")"), "expected ) at {}", self.rest);
            return a;
        }
        let end = self.rest.trim_start();
        let word: String =
            end.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '\'').collect();
        assert!(!word.is_empty(), "expected a term at {}", self.rest);
        self.eat(&word);
        if let Ok(n) = word.parse::<i64>() {
            return Ix::Lit(n);
        }
        let binary = ["ceil_div", "min", "max"].iter().position(|f| *f == word);
        let Some(function) = binary else {
            let level = self.names.iter().position(|n| *n == word).unwrap_or_else(|| {
                self.names.push(word);
                self.names.len() - 1
            });
            return Ix::free(level as u32);
        };
        assert!(self.eat("("));
        let a = self.sum();
        assert!(self.eat(","));
        let b = self.sum();
        assert!(self.eat(")"));
        [Ix::ceil_div, Ix::min, Ix::max][function](a, b)
    }
}
