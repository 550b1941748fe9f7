//! Reading statements.

use super::ParseError;
use super::cursor::Parser;
use crate::intersection::{Intersection, IntersectionStrategy, Partner, Sequence};
use crate::lanes::Vectors;
use crate::search::How;
use crate::text::lex::Token;
use crate::{
    Axis, Bool, Init, Int, LoopKind, Name, ReduceOp, Run, Scalar, Share, Stmt, Storage, StoreMode, Swizzle,
};

impl Parser {
    pub(super) fn block(&mut self) -> Result<Stmt, ParseError> {
        self.expect("{")?;
        self.block_rest()
    }

    /// A block after its brace.
    pub(super) fn block_rest(&mut self) -> Result<Stmt, ParseError> {
        let mut stmts = Vec::new();
        while !self.eat("}") {
            stmts.push(self.nested(Parser::stmt)?);
        }
        Ok(Stmt::seq(stmts))
    }

    fn stmt(&mut self) -> Result<Stmt, ParseError> {
        let Token::Word(word) = self.peek() else { return self.expected("a statement") };
        // What follows a word tells a statement from a store to a buffer of that name.
        let is_store = matches!(
            self.peek_second(),
            Token::Punct("[" | "=" | ":=" | "+=" | "*=" | "min=" | "max=" | "||=" | "&&=")
        );
        match word.as_str() {
            _ if is_store => self.store(),
            "for" | "parallel" | "vector" | "unroll" | "search" | "meet" | "until" | "unless" | "block"
            | "thread" => self.for_loop(),
            "if" => self.conditional(),
            "alloc" => self.alloc(),
            "reset" => {
                self.advance();
                Ok(Stmt::Reset { buf: self.name()?, init: self.init()? })
            }
            "forget" => {
                self.advance();
                let buf = self.name()?;
                self.expect("[")?;
                let lo = self.int()?;
                self.expect("..")?;
                let hi = self.int()?;
                self.expect("]")?;
                Ok(Stmt::Forget { buf, lo, hi })
            }
            "push" => {
                self.advance();
                let buf = self.name()?;
                self.expect("=")?;
                Ok(Stmt::Push { buf, value: self.val()? })
            }
            "visit" => self.visit(),
            "intersect" => self.intersection(),
            word if let Some((scalar, lanes)) = vector_type(word) => self.vectors(scalar, lanes),
            "merge" => self.merge(),
            "prefetch" => {
                self.advance();
                let (buf, index) = self.cell()?;
                Ok(Stmt::Prefetch { buf, index })
            }
            _ => self.expected("a statement"),
        }
    }

    fn for_loop(&mut self) -> Result<Stmt, ParseError> {
        let (mut kind, mut how) = (LoopKind::Serial, None);
        if self.eat_word("parallel") {
            kind = LoopKind::Parallel(if self.eat("(") { self.share()? } else { Share::Static });
        } else if self.eat_word("unroll") {
            kind = LoopKind::Unroll;
        } else if self.eat_word("block") {
            kind = LoopKind::Block(self.axis()?);
        } else if self.eat_word("thread") {
            kind = LoopKind::Thread(self.axis()?);
        } else if self.eat_word("vector") {
            kind = LoopKind::Vector { width: if self.eat("(") { Some(self.width()?) } else { None } };
        } else if self.eat_word("until") {
            self.expect("(")?;
            kind = LoopKind::EarlyExit(self.name()?);
            self.expect(")")?;
        } else if self.eat_word("unless") {
            self.expect("(")?;
            kind = LoopKind::Unless(self.name()?);
            self.expect(")")?;
        } else if self.eat_word("search") {
            let all = self.eat_word("all");
            let along = if self.eat("(") { Some(self.along()?) } else { None };
            how = Some(How { all, along, strategy: None });
        } else if self.eat_word("meet") {
            let is_merge = self.eat_word("merge");
            let strategy = if is_merge { IntersectionStrategy::Merge } else { IntersectionStrategy::BySizes };
            self.expect("(")?;
            how = Some(How { all: false, along: Some(self.along()?), strategy: Some(strategy) });
        }
        if !self.eat_word("for") {
            return self.expected("`for`");
        }
        let var = self.name()?;
        let (lo, hi) = self.range()?;
        let body = self.block()?;
        let Some(how) = how else { return Ok(Stmt::for_loop(var, lo, hi, kind, body)) };
        match Stmt::search(&var, (&lo, &hi), &how, &body) {
            Some(search) => Ok(search),
            None => self.expected("a condition `key == sought && ..` as all that the search does"),
        }
    }

    fn visit(&mut self) -> Result<Stmt, ParseError> {
        self.advance();
        let var = self.name()?;
        if !self.eat_word("of") {
            return self.expected("`of`");
        }
        Ok(Stmt::Visit { var, buf: self.name()?, body: Box::new(self.block()?) })
    }

    fn intersection(&mut self) -> Result<Stmt, ParseError> {
        self.advance();
        let strategy = if self.eat("(") { self.merging()? } else { IntersectionStrategy::BySizes };
        let first = self.sequence()?;
        self.expect(",")?;
        let mut partners = vec![self.partner()?];
        while self.eat(",") {
            partners.push(self.partner()?);
        }
        let intersection = Intersection { first, partners, strategy };
        Ok(Stmt::Intersection { intersection, body: Box::new(self.block()?) })
    }

    fn vectors(&mut self, scalar: Scalar, lanes: u32) -> Result<Stmt, ParseError> {
        self.advance();
        if !self.eat_word("for") {
            return self.expected("`for`");
        }
        let var = self.name()?;
        let (lo, hi) = self.range()?;
        let vectors = Vectors { var, lo, hi, lanes, scalar };
        Ok(Stmt::Vectors { vectors, body: Box::new(self.block()?) })
    }

    fn merging(&mut self) -> Result<IntersectionStrategy, ParseError> {
        if !self.eat_word("merge") {
            return self.expected("`merge`");
        }
        self.expect(")")?;
        Ok(IntersectionStrategy::Merge)
    }

    /// A sequence of an intersection behind the first.
    fn partner(&mut self) -> Result<Partner, ParseError> {
        let sequence = self.sequence()?;
        let rest = if self.eat_word("if") { Some(self.bool()?) } else { None };
        Ok(Partner { sequence, rest })
    }

    /// One of the sequences of an intersection.
    fn sequence(&mut self) -> Result<Sequence, ParseError> {
        let var = self.name()?;
        let (lo, hi) = self.range()?;
        if !self.eat_word("at") {
            return self.expected("`at`");
        }
        Ok(Sequence { var, lo, hi, key: self.int()? })
    }

    fn merge(&mut self) -> Result<Stmt, ParseError> {
        self.advance();
        let keys = if self.eat("(") { self.comma_separated(")", Parser::name)? } else { vec![self.name()?] };
        if !self.eat_word("of") {
            return self.expected("`of`");
        }
        let mut runs = vec![self.run()?];
        while self.eat(",") {
            runs.push(self.run()?);
        }
        Ok(Stmt::Merge { keys, runs, body: Box::new(self.block()?) })
    }

    /// One of the runs of a merge.
    fn run(&mut self) -> Result<Run, ParseError> {
        let place = self.name()?;
        let (lo, hi) = self.range()?;
        if !self.eat_word("at") {
            return self.expected("`at`");
        }
        self.expect("(")?;
        let key = self.comma_separated(")", Parser::int)?;
        if !self.eat_word("as") {
            return self.expected("`as`");
        }
        let has = self.name()?;
        let cond = if self.eat_word("if") { self.bool()? } else { Bool::Lit(true) };
        Ok(Run { place, lo, hi, key, has, cond })
    }

    fn share(&mut self) -> Result<Share, ParseError> {
        if !self.eat_word("dynamic") {
            return self.expected("`dynamic`");
        }
        self.expect(")")?;
        Ok(Share::Dynamic)
    }

    fn axis(&mut self) -> Result<Axis, ParseError> {
        self.expect("(")?;
        let Some(axis) = Axis::ALL.into_iter().find(|axis| self.eat_word(axis.name())) else {
            return self.expected("`x`, `y` or `z`");
        };
        self.expect(")")?;
        Ok(axis)
    }

    fn along(&mut self) -> Result<Name, ParseError> {
        let var = self.name()?;
        self.expect(")")?;
        Ok(var)
    }

    fn width(&mut self) -> Result<u32, ParseError> {
        let width = match self.peek() {
            Token::Digits(digits) => digits.parse().ok(),
            _ => None,
        };
        let Some(width) = width else { return self.expected("a number of lanes") };
        self.advance();
        self.expect(")")?;
        Ok(width)
    }

    fn conditional(&mut self) -> Result<Stmt, ParseError> {
        self.advance();
        let cond = self.bool()?;
        let then = Box::new(self.block()?);
        let otherwise = if self.eat_word("else") { Some(Box::new(self.block()?)) } else { None };
        Ok(Stmt::If { cond, then, otherwise })
    }

    fn alloc(&mut self) -> Result<Stmt, ParseError> {
        self.advance();
        let storage = if self.eat_word("heap") {
            Storage::Heap
        } else if self.eat_word("stack") {
            Storage::Stack
        } else if self.eat_word("register") {
            Storage::Register
        } else if self.eat_word("touched") {
            Storage::Touched
        } else if self.eat_word("shared") {
            Storage::Shared(self.swizzle()?)
        } else {
            return self.expected("`heap`, `stack`, `register`, `touched` or `shared`");
        };
        let scalar = self.scalar()?;
        let buf = self.name()?;
        let extents = self.extents()?;
        let init = self.init()?;
        Ok(Stmt::Alloc { buf, scalar, extents, storage, init, body: Box::new(self.block()?) })
    }

    /// `swizzle(B, M, S)`, or nothing.
    fn swizzle(&mut self) -> Result<Swizzle, ParseError> {
        if !self.eat_word("swizzle") {
            return Ok(Swizzle::IDENTITY);
        }
        self.expect("(")?;
        let bits = self.int()?.constant();
        self.expect(",")?;
        let base = self.int()?.constant();
        self.expect(",")?;
        let shift = self.int()?.constant();
        let numbers = bits.zip(base).zip(shift);
        match numbers.and_then(|((bits, base), shift)| Swizzle::try_new(bits, base, shift).ok()) {
            Some(swizzle) => self.expect(")").map(|()| swizzle),
            None => self.expected("the numbers of a swizzle"),
        }
    }

    fn init(&mut self) -> Result<Init, ParseError> {
        if self.eat_word("uninit") {
            return Ok(Init::Uninit);
        }
        self.expect("=")?;
        Ok(Init::Value(self.val()?))
    }

    /// A cell of a buffer; the only one of a buffer of rank 0.
    fn cell(&mut self) -> Result<(Name, Int), ParseError> {
        let buf = self.name()?;
        let mut index = Int::Lit(0);
        if self.eat("[") {
            index = self.int()?;
            self.expect("]")?;
        }
        Ok((buf, index))
    }

    fn store(&mut self) -> Result<Stmt, ParseError> {
        let (buf, index) = self.cell()?;
        let Token::Punct(assignment) = *self.peek() else { return self.expected("an assignment") };
        let mode = match assignment {
            "=" => StoreMode::Set,
            ":=" => StoreMode::Replace,
            "+=" => StoreMode::Reduce(ReduceOp::Add),
            "*=" => StoreMode::Reduce(ReduceOp::Mul),
            "min=" => StoreMode::Reduce(ReduceOp::Min),
            "max=" => StoreMode::Reduce(ReduceOp::Max),
            "||=" => StoreMode::Reduce(ReduceOp::Or),
            "&&=" => StoreMode::Reduce(ReduceOp::And),
            _ => return self.expected("an assignment"),
        };
        self.advance();
        Ok(Stmt::Store { buf, index, value: self.val()?, mode })
    }
}

/// The element type and the number of lanes that the name of a vector type says: `f32x8`.
fn vector_type(word: &str) -> Option<(Scalar, u32)> {
    let (scalar, lanes) = word.split_once('x')?;
    Some((Scalar::parse(scalar)?, lanes.parse().ok()?))
}
