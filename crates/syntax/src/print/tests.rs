//! Printing and parsing again is the identity; so is formatting, up to white space.

use atl_diag::{FileId, Span};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::ast::{
    AccessKind, Argument, Attribute, BinaryOp, Binder, BinderOp, Block, Clause, CompareOp, Const, Def,
    ElementType, ExprKind, Format, FormatDecl, Import, Level, Monoid, Name, Param, Rounds, Schedule, Shared,
    Theorem, TypeKind, TypeParam, UnaryOp, Use,
};
use crate::{MAX_NESTING, format, lex, parse_expr, parse_file, parse_pattern, parse_steps};

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, NOWHERE)
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof!["[a-z]", "[a-z]_[0-9]", "[a-z]\\.[oi]", Just("max".to_owned()), Just("img".to_owned())]
        .prop_map(|text| Name::new(text, NOWHERE))
}

/// Names that differ.
fn names(count: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<Name>> {
    let differ =
        |names: &Vec<Name>| (1..names.len()).all(|k| names[..k].iter().all(|n| n.text != names[k].text));
    vec(name(), count).prop_filter("names that differ", differ)
}

fn scalar() -> impl Strategy<Value = ElementType> {
    let scalars = prop_oneof![Just("f32"), Just("i64"), Just("bool")];
    let semirings = option::of(prop_oneof![Just("min_plus"), Just("or_and")]);
    (semirings, scalars).prop_map(|(semiring, scalar)| ElementType {
        semiring: semiring.map(|text| Name::new(text, NOWHERE)),
        scalar: Name::new(scalar, NOWHERE),
        span: NOWHERE,
    })
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        any::<u64>().prop_map(ExprKind::Int),
        prop_oneof![Just("1.5"), Just("1e-3"), Just("2.25e10")].prop_map(|text| ExprKind::Float(text.into())),
        prop_oneof![Just("2"), Just("3.5")].prop_map(|text| ExprKind::Imaginary(text.into())),
        any::<bool>().prop_map(ExprKind::Bool),
        name().prop_map(|name| ExprKind::Name(name.text)),
    ]
    .prop_map(expr)
}

fn binder(bound: BoxedStrategy<Expr>) -> impl Strategy<Value = Binder> {
    let attribute =
        (name(), vec(leaf(), 0..2)).prop_map(|(name, args)| Attribute { name, args, span: NOWHERE });
    let lo_and_hi = (option::of(bound.clone()), bound);
    let range = option::weighted(0.8, lo_and_hi).prop_map(|range| match range {
        Some((lo, hi)) => (lo, Some(hi)),
        None => (None, None),
    });
    (name(), range, vec(attribute, 0..2)).prop_map(|(name, (lo, hi), attributes)| Binder {
        name,
        lo,
        hi,
        attributes,
        span: NOWHERE,
    })
}

/// Rounds of this many states, without a condition.
fn rounds(inner: BoxedStrategy<Expr>, states: usize) -> impl Strategy<Value = Rounds> {
    let many = |n: usize| vec(inner.clone(), n..=n);
    let lets = vec((names(1..=2), inner.clone()), 0..if states > 1 { 3 } else { 1 });
    (name(), names(states..=states), many(states), lets, many(states), inner.clone()).prop_map(
        |(index, names, inits, lets, steps, hi)| {
            let attributes = Vec::new;
            let index =
                Binder { name: index, lo: None, hi: Some(hi), attributes: attributes(), span: NOWHERE };
            let shared = |(names, value)| Shared { names, attributes: attributes(), value, span: NOWHERE };
            let lets = lets.into_iter().map(shared).collect();
            let states = names.into_iter().zip(inits).collect();
            Rounds { index, states, until: None, lets, steps, span: NOWHERE }
        },
    )
}

/// Iterations, scans and recursive tensors.
fn recurrences(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = ExprKind> {
    let boxed = inner.clone().prop_map(Box::new);
    let last = || option::of(boxed.clone());
    prop_oneof![
        (rounds(inner.clone(), 1), option::of(inner.clone()), last()).prop_map(|(rounds, until, body)| {
            ExprKind::Iterate { rounds: Box::new(Rounds { until, ..rounds }), body }
        }),
        (rounds(inner.clone(), 2), option::of(inner.clone()), last()).prop_map(|(rounds, until, body)| {
            ExprKind::Iterate { rounds: Box::new(Rounds { until, ..rounds }), body }
        }),
        (rounds(inner.clone(), 1), last())
            .prop_map(|(rounds, give)| ExprKind::Scan { rounds: Box::new(rounds), give }),
        (rounds(inner.clone(), 2), last())
            .prop_map(|(rounds, give)| ExprKind::Scan { rounds: Box::new(rounds), give }),
        (name(), scalar(), boxed.clone(), boxed.clone()).prop_map(|(name, of, value, body)| ExprKind::Rec {
            name,
            of,
            value,
            body
        }),
    ]
}

fn sums_in_a_monoid(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = ExprKind> {
    let op = prop_oneof![Just(BinderOp::Sum), Just(BinderOp::Prod)];
    (op, name(), vec(binder(inner.clone()), 1..3), inner)
        .prop_map(|(op, monoid, binders, body)| ExprKind::Fold { op, monoid, binders, body: Box::new(body) })
}

/// Programs; with `patterns`, also what only schedules have.
fn expressions(patterns: bool) -> BoxedStrategy<Expr> {
    let start = if patterns {
        prop_oneof![
            4 => leaf(),
            1 => Just(expr(ExprKind::Hole)),
            1 => "[a-z]".prop_map(|text| expr(ExprKind::Label(text))),
        ]
        .boxed()
    } else {
        leaf().boxed()
    };
    start.prop_recursive(6, 48, 3, move |inner| {
        let inner = inner.boxed();
        let boxed = inner.clone().prop_map(Box::new);
        let infix = prop_oneof![
            Just(BinaryOp::Or),
            Just(BinaryOp::And),
            Just(BinaryOp::Concat),
            Just(BinaryOp::Add),
            Just(BinaryOp::Sub),
            Just(BinaryOp::Mul),
            Just(BinaryOp::Div),
            Just(BinaryOp::Rem),
            Just(BinaryOp::BitOr),
            Just(BinaryOp::BitXor),
            Just(BinaryOp::BitAnd),
            Just(BinaryOp::Shl),
            Just(BinaryOp::Shr),
        ];
        let compare = prop_oneof![
            Just(CompareOp::Eq),
            Just(CompareOp::Ne),
            Just(CompareOp::Lt),
            Just(CompareOp::Le),
            Just(CompareOp::Gt),
            Just(CompareOp::Ge)
        ];
        let index = if patterns {
            let ends = (option::of(boxed.clone()), option::of(boxed.clone()));
            prop_oneof![
                3 => inner.clone(),
                1 => ends.prop_map(|(lo, hi)| expr(ExprKind::Range(lo, hi))),
            ]
            .boxed()
        } else {
            inner.clone()
        };
        let list = if patterns { vec(inner.clone(), 2..4) } else { vec(inner.clone(), 2..3) };
        let unary = prop_oneof![Just(UnaryOp::Neg), Just(UnaryOp::Not), Just(UnaryOp::BitNot)];
        let access = prop_oneof![Just(AccessKind::Plain), Just(AccessKind::Guarded)];
        prop_oneof![
            4 => (infix, boxed.clone(), boxed.clone()).prop_map(|(op, a, b)| ExprKind::Binary(op, a, b)),
            1 => (unary, boxed.clone()).prop_map(|(op, a)| ExprKind::Unary(op, a)),
            1 => (boxed.clone(), vec((compare, inner.clone()), 1..3))
                .prop_map(|(first, rest)| ExprKind::Compare(first, rest)),
            2 => (access, boxed.clone(), vec(index, 1..3))
                .prop_map(|(kind, base, indices)| ExprKind::Access { kind, base, indices }),
            1 => (name(), vec(inner.clone(), 0..3)).prop_map(|(callee, args)| ExprKind::Call { callee, args }),
            1 => (scalar(), boxed.clone()).prop_map(|(to, value)| ExprKind::Convert { to, value }),
            3 => (boxed.clone(), boxed.clone())
                .prop_map(|(predicate, body)| ExprKind::Guard { predicate, body }),
            2 => (0..BinderOp::ALL.len(), vec(binder(inner.clone()), 1..3), boxed.clone())
                .prop_map(|(op, binders, body)| ExprKind::Bind { op: BinderOp::ALL[op], binders, body }),
            2 => (name(), option::of(scalar()), boxed.clone(), boxed.clone()).prop_map(
                |(name, element, value, body)| {
                    let value = match element {
                        Some(element) => {
                            let kind = TypeKind::Tensor { element, extents: Vec::new(), format: None };
                            let ty = Box::new(Type { kind, span: NOWHERE });
                            Box::new(expr(ExprKind::Typed { ty, value }))
                        }
                        None => value,
                    };
                    ExprKind::Let { name, attributes: Vec::new(), value, body }
                },
            ),
            1 => (vec(name(), 2..4), boxed.clone(), boxed.clone())
                .prop_map(|(names, value, body)| ExprKind::LetParts { names, value, body }),
            // In a schedule, `in` after an iteration that has no value of its own would be a clause of
            // the step.
            2 => if patterns { inner.clone().prop_map(|e| e.kind).boxed() } else { recurrences(inner.clone()).boxed() },
            1 => if patterns { inner.prop_map(|e| e.kind).boxed() } else { sums_in_a_monoid(inner).boxed() },
            1 => ("[a-z]", boxed.clone())
                .prop_map(|(label, body)| ExprKind::Labelled { label: Name::new(label, NOWHERE), body }),
            1 => list.prop_map(move |elements| {
                if patterns { ExprKind::List(elements) } else { ExprKind::Tuple(elements) }
            }),
        ]
        .prop_map(expr)
        .boxed()
    })
    .boxed()
}

fn ty() -> impl Strategy<Value = Type> {
    let level =
        || (name(), vec(leaf(), 0..2)).prop_map(|(name, args)| Level { name, args, of: None, span: NOWHERE });
    let with_axes =
        || (level(), option::of(leaf())).prop_map(|(level, of)| Level { of: of.map(Box::new), ..level });
    let layout = (vec(leaf(), 2..4), vec(leaf(), 2..4)).prop_map(|(shape, stride)| ExprKind::Layout {
        shape: Box::new(expr(ExprKind::Tuple(shape))),
        stride: Box::new(expr(ExprKind::Tuple(stride))),
    });
    let format = prop_oneof![
        level().prop_map(Format::Named),
        vec(with_axes(), 1..3).prop_map(Format::Levels),
        layout.prop_map(|layout| Format::Layout(Box::new(expr(layout)))),
    ]
    .prop_map(Box::new);
    let list = option::of(name()).prop_map(|name| {
        let name = name.map(|name| Box::new(expr(ExprKind::Name(name.text))));
        expr(ExprKind::Range(name, None))
    });
    let extent = prop_oneof![3 => expressions(false), 1 => list];
    prop_oneof![
        1 => Just(TypeKind::Size),
        3 => (scalar(), vec(extent, 0..3), option::of(format))
            .prop_map(|(element, extents, format)| TypeKind::Tensor { element, extents, format }),
    ]
    .prop_map(|kind| Type { kind, span: NOWHERE })
}

/// A type, or several results.
fn results() -> impl Strategy<Value = Type> {
    let several = vec((option::of(name()), ty()), 2..4)
        .prop_map(|parts| Type { kind: TypeKind::Several(parts), span: NOWHERE });
    prop_oneof![3 => ty(), 1 => several]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let layout = (expressions(false), vec(leaf(), 2..3)).prop_map(|(first, rest)| {
        let shape = Box::new(expr(ExprKind::Tuple(vec![first, rest[0].clone()])));
        expr(ExprKind::Layout { shape, stride: Box::new(expr(ExprKind::Tuple(rest))) })
    });
    let value = prop_oneof![3 => expressions(true), 1 => layout];
    let argument =
        (option::of(name()), value).prop_map(|(name, value)| Argument { name, value, span: NOWHERE }).boxed();
    let word = prop_oneof![Just("by"), Just("at"), Just("in"), Just("as"), Just("with"), Just("first")];
    let clause = (word, vec(argument.clone(), 1..3)).prop_map(|(word, args)| {
        let args = if word == "first" { Vec::new() } else { args };
        Clause { word: Name::new(word, NOWHERE), args, span: NOWHERE }
    });
    // Without arguments, `first` alone is a clause: before another one it is a name.
    let is_written = |(_, args, clauses): &(Name, Vec<Argument>, Vec<Clause>)| {
        !args.is_empty() || clauses.len() < 2 || clauses[0].word.text != "first"
    };
    let head = (name(), vec(argument, 0..3), vec(clause, 0..3))
        .prop_filter("a flag before a clause is a name", is_written)
        .boxed();
    let plain = head.clone().prop_map(|head| step(head, Vec::new()));
    let any = plain.prop_recursive(3, 12, 3, move |inner| {
        let block = vec(inner, 0..3).prop_map(|steps| Block { steps, span: NOWHERE });
        (head.clone(), vec(block, 1..3)).prop_map(|(head, blocks)| step(head, blocks))
    });
    vec(any, 0..4)
}

fn step((name, args, clauses): (Name, Vec<Argument>, Vec<Clause>), blocks: Vec<Block>) -> Step {
    Step { name, args, clauses, blocks, span: NOWHERE }
}

fn no_format(ty: &Type) -> bool {
    !matches!(ty.kind, TypeKind::Tensor { format: Some(_), .. })
}

fn files() -> impl Strategy<Value = File> {
    let doc = || vec("[a-z ]{0,9}[a-z]", 0..2);
    // An equals sign behind a layout would be read as a comparison.
    let default = || option::of((0..99u64).prop_map(|n| expr(ExprKind::Int(n))));
    let param = || {
        (name(), results(), default()).prop_map(|(name, ty, default)| {
            let default = default.filter(|_| no_format(&ty) && !matches!(ty.kind, TypeKind::Several(_)));
            Param { name, ty, default, span: NOWHERE }
        })
    };
    // Conditions are split at `&&` by the parser, so none may be a conjunction.
    let conditions = || {
        let split = |condition: &Expr| !matches!(condition.kind, ExprKind::Binary(BinaryOp::And, ..));
        vec(expressions(false).prop_filter("conjunctions are split", split), 0..3)
    };
    let type_param = (name(), prop_oneof![Just("any"), Just("float"), Just("..")])
        .prop_map(|(name, bound)| TypeParam { name, bound: Name::new(bound, NOWHERE), span: NOWHERE });
    let type_params = vec(type_param, 0..3);
    let item = prop_oneof![
        "[a-z\"\\\\]{0,5}".prop_map(|path| Item::Import(Import { path, span: NOWHERE })),
        (name(), vec(name(), 1..3)).prop_map(|(module, names)| Item::Use(Use {
            module,
            names,
            span: NOWHERE
        })),
        (doc(), name(), ty().prop_filter("a constant has no format", no_format), expressions(false))
            .prop_map(|(doc, name, ty, value)| Item::Const(Const { doc, name, ty, value, span: NOWHERE })),
        (doc(), name(), name()).prop_map(|(doc, name, format)| {
            let format = Level { name: format, args: vec![], of: None, span: NOWHERE };
            Item::Format(FormatDecl { doc, name, format: Format::Named(format), span: NOWHERE })
        }),
        (
            (doc(), name(), names(1..=3), vec(scalar(), 3)),
            (expressions(false), expressions(false)),
            option::of((expressions(false), expressions(false)).prop_map(Box::new)),
            vec(name(), 0..3)
        )
            .prop_map(|((doc, name, names, types), (zero, add), product, laws)| {
                let fields = names.into_iter().zip(types).collect();
                Item::Monoid(Monoid { doc, name, fields, zero, add, product, laws, span: NOWHERE })
            }),
        ((doc(), name(), type_params), vec(param(), 0..3), results(), conditions(), expressions(false))
            .prop_map(|((doc, name, type_params), params, result, preconditions, body)| {
                let result = Some(result);
                Item::Function(Function {
                    doc,
                    name,
                    type_params,
                    params,
                    result,
                    preconditions,
                    body,
                    span: NOWHERE,
                })
            }),
        (doc(), name(), name(), steps()).prop_map(|(doc, name, of, steps)| Item::Schedule(Schedule {
            doc,
            name,
            of,
            steps,
            span: NOWHERE
        })),
        (doc(), name(), vec(name(), 0..3), steps()).prop_map(|(doc, name, params, steps)| Item::Def(Def {
            doc,
            name,
            params,
            steps,
            span: NOWHERE
        })),
        (doc(), name(), vec(param(), 0..3), expressions(false), expressions(false), conditions(), steps())
            .prop_map(|(doc, name, params, lhs, rhs, conditions, proof)| {
                Item::Theorem(Theorem { doc, name, params, lhs, rhs, conditions, proof, span: NOWHERE })
            }),
    ];
    vec(item, 0..4).prop_map(|items| File { items, span: NOWHERE })
}

fn same<T: PartialEq + std::fmt::Debug>(
    text: &str,
    parse: crate::Parse<T>,
    expected: &T,
) -> Result<(), TestCaseError> {
    prop_assert!(parse.diagnostics.is_empty(), "{text}\n{:?}", parse.diagnostics);
    prop_assert!(&parse.tree == expected, "{text}");
    Ok(())
}

const COMMENTS: [&str; 7] =
    [" // c1\n", "\n// c2\n", " /* c3 */ ", "\n/* c4 */", "\n\n", " /* c5\n*/\n", "\n\n// c6\n\n"];

proptest! {
    #![proptest_config(crate::tests::config(400))]

    #[test]
    fn expressions_print_and_parse(expr in expressions(false), width in option::of(10usize..80)) {
        let text = print_expr(&expr, Style { notation: Notation::Ascii, width });
        same(&text, parse_expr(FileId(0), &text), &expr)?;
        if width.is_none() {
            prop_assert!(!text.contains('\n'));
        }
    }

    #[test]
    fn patterns_print_and_parse(expr in expressions(true)) {
        let text = print_expr(&expr, Style::SOURCE);
        same(&text, parse_pattern(FileId(0), &text), &expr)?;
    }

    #[test]
    fn steps_print_and_parse(steps in steps()) {
        let text: String = steps.iter().map(|step| print_step(step, Style::SOURCE) + "\n").collect();
        same(&text, parse_steps(FileId(0), &text), &steps)?;
    }

    #[test]
    fn mathematics_prints(expr in expressions(true)) {
        prop_assert!(!print_expr(&expr, Style::MATH).is_empty());
    }

    #[test]
    fn files_print_parse_and_are_formatted(file in files()) {
        let text = print_file(&file, Style::SOURCE);
        same(&text, parse_file(FileId(0), &text), &file)?;
        let formatted = format(FileId(0), &text);
        prop_assert_eq!(formatted.as_ref(), Ok(&text));
    }

    /// Comments and line ends anywhere: formatting keeps the comments and the program, and a second time
    /// changes nothing.
    #[test]
    fn formatting_keeps_comments(
        file in files(),
        places in vec((0usize..200, 0usize..7), 0..6),
    ) {
        let printed = print_file(&file, Style::SOURCE);
        let (tokens, _) = lex(FileId(0), &printed);
        let mut text = String::new();
        let mut after_doc = false;
        for (index, token) in tokens.iter().enumerate() {
            // What is written after a documentation comment belongs to it.
            for &(_, what) in places.iter().filter(|(place, _)| *place == index && !after_doc) {
                text.push_str(COMMENTS[what]);
            }
            after_doc = token.kind == TokenKind::DocComment;
            text.push_str(&printed[token.range()]);
        }
        let comments = |text: &str| {
            let (tokens, _) = lex(FileId(0), text);
            let comments = tokens.iter().filter(|token| token.kind.is_comment());
            comments.map(|token| text[token.range()].trim_end().to_owned()).collect::<Vec<_>>()
        };
        let once = format(FileId(0), &text).map_err(|diagnostics| {
            TestCaseError::fail(format!("{text}\n{diagnostics:?}"))
        })?;
        prop_assert_eq!(comments(&once), comments(&text), "{}", once);
        let parse = parse_file(FileId(0), &once);
        prop_assert!(parse.tree == file, "{}", once);
        let twice = format(FileId(0), &once);
        prop_assert_eq!(twice.as_ref(), Ok(&once), "from\n{}", text);
    }
}

fn check(text: &str, ascii: &str, math: &str) {
    let parse = parse_pattern(FileId(0), text);
    assert!(parse.diagnostics.is_empty(), "{text}: {:?}", parse.diagnostics);
    assert_eq!(print_expr(&parse.tree, Style::LINE), ascii);
    assert_eq!(print_expr(&parse.tree, Style { notation: Notation::Math, width: None }), math);
}

#[test]
fn both_notations() {
    check(
        "gen i<n,j in 1..m{a[i,j]*2}",
        "gen i < n, j in 1..m { a[i, j] * 2 }",
        "⊞ i < n, 1 ≤ j < m. a[i, j]·2",
    );
    check("(sum k < K { a[k] }) / n", "sum k < K { a[k] } / n", "(∑ k < K. a[k]) / n");
    check("[0<=i&&i!=n]*x?[i/2]", "[0 <= i && i != n] * x?[i / 2]", "[0 ≤ i ∧ i ≠ n]·x?[⌊i / 2⌋]");
    check("a[i/2/3%4]", "a[i / 2 / 3 % 4]", "a[⌊⌊i / 2⌋ / 3⌋ mod 4]");
    check("ceil_div(n+1, 4) % k", "ceil_div(n + 1, 4) % k", "⌈(n + 1) / 4⌉ mod k");
    check("let x = a; x ++ b", "let x = a; x ++ b", "let x ≔ a; x ⧺ b");
    check("(4,8):(8,1)", "(4, 8):(8, 1)", "(4, 8):(8, 1)");
}

#[test]
fn parentheses_are_minimal() {
    let check = |text: &str, expected: &str| {
        let parse = parse_expr(FileId(0), text);
        assert!(parse.diagnostics.is_empty(), "{text}: {:?}", parse.diagnostics);
        assert_eq!(print_expr(&parse.tree, Style::LINE), expected);
    };
    check("((a + b)) + (c * d)", "a + b + c * d");
    check("a + (b + c)", "a + (b + c)");
    check("(a * b) / c", "a * b / c");
    check("a - (b - c) * -(d)", "a - (b - c) * -d");
    check("[p] * (a * b) + c", "[p] * a * b + c");
    check("([p] * a) * b", "([p] * a) * b");
    check("x * ([p] * y)", "x * [p] * y");
    check("(x * [p] * y) * z", "x * ([p] * y) * z");
    check("-([p] * a)", "-([p] * a)");
    check("(let x = 1; x) + 2", "(let x = 1; x) + 2");
    check("2 + (let x = 1; x)", "2 + let x = 1; x");
    check("(a < b) == c", "(a < b) == c");
    check("a < b == c", "a < b == c");
    check("!(a && b) || c", "!(a && b) || c");
    check("(gen i < n { a[i] })[j]", "gen i < n { a[i] }[j]");
}

#[test]
fn the_deepest_trees_print() {
    let deep = MAX_NESTING - 4;
    for text in [
        "-".repeat(deep / 2) + "x",
        "gen i < n { ".repeat(deep / 2) + "x" + &" }".repeat(deep / 2),
        "[p] * ".repeat(deep / 2) + "x",
        "let x = y; ".repeat(deep / 2) + "x",
        "x".to_owned() + &" + x".repeat(deep),
        "f(".repeat(deep / 2) + "x" + &")".repeat(deep / 2),
    ] {
        let parse = parse_expr(FileId(0), &text);
        assert!(parse.diagnostics.is_empty(), "{text}: {:?}", parse.diagnostics);
        let printed = print_expr(&parse.tree, Style::SOURCE);
        assert_eq!(parse_expr(FileId(0), &printed).tree, parse.tree);
        assert!(!print_expr(&parse.tree, Style::MATH).is_empty());
    }
}

#[test]
fn long_chains_print() {
    let x = || expr(ExprKind::Name("x".to_owned()));
    let chain =
        (0..2000).fold(x(), |sum, _| expr(ExprKind::Binary(BinaryOp::Add, Box::new(sum), Box::new(x()))));
    assert_eq!(print_expr(&chain, Style::LINE), "x".to_owned() + &" + x".repeat(2000));
}

#[test]
fn the_steps_of_the_language_page_parse_and_print_as_written() {
    for text in [
        "split L by k;",
        "tile L, M by k, l;",
        "reorder L, M, N;",
        "fuse L, M;",
        "fission bx/L.o;",
        "peel;",
        "peel L first;",
        "unroll L by k;",
        "vectorize x.i by 16;",
        "compute X at root;",
        "store X in heap;",
        "store X at L;",
        "inline X;",
        "stage a[i * 64..i * 64 + 64, ..] at L as X;",
        "pack a at L as X by (4, 8):(8, 1);",
        "slide X along L;",
        "rfactor L;",
        "rename L to M;",
        "assume 0 < N && N % 32 == 0;",
        "compress a as [dense, compressed];",
        "relayout X by (4, 8):(8, 1);",
        "rw split_sum with k = 8, l = n - 1 at gen y < _ { _ } backwards;",
        "rw let_bind around _ * e first;",
        "rw access_gen everywhere;",
        "rw sum_swap at 'inner;",
        "unfold transpose;",
        "simplify guards;",
        "both y, 64;",
    ] {
        let parse = parse_steps(FileId(0), text);
        assert!(parse.diagnostics.is_empty(), "{text}: {:?}", parse.diagnostics);
        let printed: Vec<String> = parse.tree.iter().map(|step| print_step(step, Style::SOURCE)).collect();
        assert_eq!(printed, [text]);
    }
}
