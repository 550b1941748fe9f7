//! Offsets and swizzles after a layout: an operation takes them into account, or is refused; none leaves them out.

use super::random::{Random, law_on};
use crate::functions::TABLE;
use crate::stride::{Stride, Vector};
use crate::{Layout, Swizzle, Tiler, Value, evaluate};

/// Operations that say which index comes where, applied to `@`: what comes after the layout stays after it.
const REARRANGING: &[(&str, &str)] = &[
    ("coalesce", "coalesce(@)"),
    ("coalesce", "coalesce(@, (1))"),
    ("composition", "@ o 2:1"),
    ("composition", "composition(@, <2>)"),
    ("exact_composition", "exact_composition(@, 2:3)"),
    ("filter", "filter(@)"),
    ("flat_divide", "flat_divide(@, <2>)"),
    ("flatten", "flatten(@)"),
    ("get", "get(@, 0)"),
    ("group", "group(@, 0, 1)"),
    ("local_partition", "local_partition(@, 2:1, 1)"),
    ("local_partition", "local_partition(@, <2>, 1)"),
    ("local_tile", "local_tile(@, <2>, 0)"),
    ("logical_divide", "logical_divide(@, 2:1)"),
    ("partition", "partition(@, <2>, 2:1)"),
    ("slice", "slice(@, _)"),
    ("slice", "slice(@, 0)"),
    ("tiled_divide", "tiled_divide(@, <2>)"),
    ("zipped_divide", "zipped_divide(@, <2>)"),
];

/// Operations on the values, each of which is compared with the values below.
const OF_VALUES: &[&str] = &[
    "bank_conflicts",
    "crd2idx",
    "equal",
    "injective",
    "max_common_vector",
    "predicate",
    "slice_offset",
    "table",
    "transactions",
    "vector_width",
];

/// Operations on the shape, or on the shape of an argument; what comes after a layout does not matter.
const OF_SHAPES: &[&str] = &[
    "column_major",
    "compatible",
    "congruent",
    "depth",
    "idx2crd",
    "identity",
    "rank",
    "row_major",
    "shape",
    "size",
    "weakly_congruent",
];

/// Operations that take a layout alone.
const ALONE: &[(&str, &str)] = &[
    ("blocked_product", "blocked_product(@, 2:1)"),
    ("complement", "complement(@)"),
    ("contiguous", "contiguous(@)"),
    ("cosize", "cosize(@)"),
    ("dice", "dice(@, 1)"),
    ("flat_product", "flat_product(@, <2:1>)"),
    ("left_inverse", "left_inverse(@)"),
    ("logical_product", "logical_product(@, 2:1)"),
    ("longest_right_inverse", "longest_right_inverse(@)"),
    ("make_layout_tv", "make_layout_tv(@, 2:1)"),
    ("max_common", "max_common(@, 2:1)"),
    ("max_common_layout", "max_common_layout(@, 2:1)"),
    ("max_common_layout", "max_common_layout(2:1, @)"),
    ("nullspace", "nullspace(@)"),
    ("permutes", "permutes(@, 0, 2)"),
    ("quasi_inverse", "quasi_inverse(@)"),
    ("raked_product", "raked_product(2:1, @)"),
    ("right_inverse", "right_inverse(@)"),
    ("stride", "stride(@)"),
    ("surjective", "surjective(@)"),
    ("tiled_product", "tiled_product(@, <2:1>)"),
    ("tilings", "tilings(@, 2)"),
    ("zipped_product", "zipped_product(@, <2:1>)"),
    // Where a tile is expected.
    ("logical_divide", "logical_divide(8:1, @)"),
    ("partition", "partition(8:1, <8>, @)"),
    ("local_partition", "local_partition(8:1, @, 0)"),
    // As a mode beside others.
    ("size", "size((@, 2:1))"),
];

/// Numbers in a row, and a block whose swizzle and offset stay.
const OTHERS: &[&str] = &["recognise", "swizzle", "tile_to_shape"];

fn of(text: &str) -> crate::Result<Value> {
    evaluate(text).map(|found| found.value)
}

fn numbers(text: &str) -> Vec<i64> {
    match of(&format!("table({text})")).unwrap_or_else(|why| panic!("{text}: {why}")) {
        Value::List(values) => {
            values.iter().map(|value| value.to_string().parse().expect("a number")).collect()
        }
        other => panic!("{text} has the table {other}"),
    }
}

#[test]
fn every_operation_is_tried() {
    for function in TABLE {
        let name = function.name;
        let named = |list: &[(&str, &str)]| list.iter().any(|(known, _)| *known == name);
        let count = u32::from(named(REARRANGING))
            + u32::from(named(ALONE) && !named(REARRANGING) && name != "size")
            + u32::from(OF_VALUES.contains(&name))
            + u32::from(OF_SHAPES.contains(&name))
            + u32::from(OTHERS.contains(&name));
        assert_eq!(count, 1, "{name} stands in one list");
    }
}

/// `f(k + L) = k + f(L)`, and the swizzle of it; of coordinates too. Where `f(L)` is refused, so is the other.
#[test]
fn what_comes_after_a_layout_stays() {
    let swizzle = Swizzle::try_new(2, 1, 2).expect("a swizzle");
    let (mut tried, mut of_coordinates) = (0, 0);
    let holds = |random: &mut Random| {
        let layout = random.layout();
        if layout.range().0 < 0 {
            return None;
        }
        let (_, form) = REARRANGING[random.below(REARRANGING.len() as u64) as usize];
        let with = |operand: String| form.replace('@', &operand);
        let k = 1 + random.below(40) as i64;
        let plain = with(layout.to_string());
        if of(&plain).is_err() {
            return Some(
                of(&with(format!("({k} + {layout})"))).is_err()
                    && of(&with(format!("(Sw<2,1,2> o {k} o {layout})"))).is_err(),
            );
        }
        tried += 1;
        let wanted = numbers(&plain);
        let moved: Vec<i64> = wanted.iter().map(|n| n + k).collect();
        let swizzled: Vec<i64> = moved.iter().map(|n| swizzle.place(*n)).collect();
        // Along a direction, an offset in another direction.
        let vectors = layout
            .to_vectors()
            .stride()
            .map(&mut |d| Vector::basis(d.terms().first().map_or(0, |t| t.1), vec![0]));
        let vectors = Layout::try_new(layout.shape().clone(), vectors).expect("a layout");
        if layout.stride().leaves().iter().any(|d| **d != 0) {
            of_coordinates += 1;
            let found = of(&format!("table({})", with(format!("({k}@0+7@1 + {vectors})"))));
            let wanted = moved.iter().map(|n| {
                Vector::basis(*n, vec![0]).plus(&Vector::basis(7, vec![1])).expect("small").to_string()
            });
            let Ok(Value::List(found)) = found else { panic!("{form} of {vectors}: {found:?}") };
            assert!(found.iter().map(Value::to_string).eq(wanted), "{form} of {vectors}");
        }
        Some(
            numbers(&with(format!("({k} + {layout})"))) == moved
                && numbers(&with(format!("(Sw<2,1,2> o {k} o {layout})"))) == swizzled,
        )
    };
    law_on(20_000, 41, holds, "f(k + L) = k + f(L)");
    assert!(tried > 10_000 && of_coordinates > 5_000, "{tried} {of_coordinates}");
}

#[test]
fn what_takes_a_layout_alone_refuses_an_offset() {
    for (_, form) in ALONE {
        let with = |operand: &str| of(&form.replace('@', operand));
        assert!(with("(4):(1)").is_ok() || with("4:1").is_ok(), "{form} of a layout");
        for operand in ["(9 + 4:1)", "(Sw<1,0,1> o 9 o 4:1)", "(Sw<1,0,1> o 4:1)", "(9@0 + 4:1@0)"] {
            assert!(with(operand).is_err(), "{form} of {operand} is {:?}", with(operand));
        }
        let why = with("(9 + 4:1)").expect_err("refused").to_string();
        assert!(why.contains("a layout with an offset"), "{form}: {why}");
    }
}

#[test]
fn slices_are_the_values_at_their_coordinates() {
    let holds = |random: &mut Random| {
        let layout = random.layout();
        let Value::List(all) = of(&format!("table({layout})")).expect("a table") else { return None };
        // One mode is fixed, the others stay.
        let rank = layout.rank();
        let fixed = random.below(rank as u64) as usize;
        let size = |mode: usize| layout.sub(&[mode]).map_or(1, |mode| mode.size());
        if rank < 2 {
            return None;
        }
        let digit = random.below(size(fixed) as u64) as i64;
        let coordinate: Vec<String> =
            (0..rank).map(|k| if k == fixed { digit.to_string() } else { "_".to_owned() }).collect();
        let below: i64 = (0..fixed).map(size).product();
        let at = |i: i64| i / below % size(fixed) == digit;
        let wanted: Vec<i64> = (0..)
            .zip(&all)
            .filter(|(i, _)| at(*i))
            .map(|(_, v)| v.to_string().parse().expect("a number"))
            .collect();
        Some(numbers(&format!("slice({layout}, ({}))", coordinate.join(","))) == wanted)
    };
    law_on(20_000, 42, holds, "slice(L, c)(open part) = L(c)");
}

/// Answers that an offset changes, by hand.
#[test]
fn offsets_are_taken_into_account() {
    for (expression, wanted) in [
        ("vector_width(slice((8,4):(1,9),(_,1)), 4)", "1"),
        ("vector_width(slice((8,4):(1,12),(_,1)), 4)", "4"),
        ("transactions(slice((32,32):(1,33),(_,1)), 4)", "5"),
        ("transactions(slice((32,32):(1,32),(_,1)), 4)", "4"),
        ("bank_conflicts(slice((32,32):(32,1),(_,1)), 4)", "32"),
        ("max_common_vector(slice((8,4):(1,9),(_,1)), 8:1)", "1"),
        ("max_common_vector(slice((8,4):(1,12),(_,1)), 8:1)", "4"),
        ("10:1 o slice(logical_divide(10:1, 4:1), (_,2))", "8 + (4):(1)"),
        ("crd2idx(7 + (4,2):(1,4), (1,1))", "12"),
        ("crd2idx(2@0 + (4,2):(1@0,1@1), (1,1))", "3@0+1@1"),
        ("slice_offset(7 + (4,2):(1,4), (_,1))", "11"),
        ("slice_offset(identity((4,2)), (_,1))", "1@1"),
        ("table(7 + 3:2)", "[7,9,11]"),
        ("table(7@1 + 2:2@1)", "[7@1,9@1]"),
        ("predicate(slice(identity((10,6)), (9,_)), (8,6))", "[false,false,false,false,false,false]"),
        ("predicate(3 + 4:1, 5)", "[true,true,false,false]"),
        ("injective(Sw<2,0,3> o 5 o (8,4):(4,1))", "true"),
        ("injective(5 + (2,2):(1,1))", "false"),
        ("equal(5 + (2,3):(1,2), 5 + 6:1)", "true"),
        ("equal(5 + 6:1, 4 + 6:1)", "false"),
        ("equal(Sw<1,0,1> o 0 o 4:1, 4:1)", "false"),
        ("equal(Sw<1,0,1> o 0 o 2:1, Sw<1,0,3> o 0 o 2:1)", "true"),
        ("tile_to_shape(3 + (2,2):(1,2), (4,2))", "3 + ((2,2),(2,1)):((1,4),(2,0))"),
        ("Sw<2,0,3> o slice((8,4):(4,1), (_,1))", "Sw<2,0,3> o 1 o (8):(4)"),
        ("Sw<2,0,3> o 2 o 3 + 4:1", "Sw<2,0,3> o 5 o 4:1"),
        ("Sw<0,0,0> o 3 o 4:1", "3 + 4:1"),
        ("Sw<0,0,0> o 0 o 4:1", "4:1"),
        ("1 + 2 + 4:1", "3 + 4:1"),
        ("slice(identity((4,3)), 1)", "1@0 + ():()"),
        ("table(1@0 + ():())", "[1@0]"),
        ("1@0 + (3,2):(0,0)", "1@0 + (3,2):(0,0)"),
        ("1@0+2@1 + identity((2,2))", "1@0+2@1 + (2,2):(1@0,1@1)"),
        ("1@0+2@1+(2,2):(1@0,1@1)", "1@0+2@1 + (2,2):(1@0,1@1)"),
        ("-1@0 + (1@0 + identity((2)))", "(2):(1@0)"),
    ] {
        let found = of(expression).unwrap_or_else(|why| panic!("{expression}: {why}")).to_string();
        assert_eq!(found, wanted, "{expression}");
    }
    let Value::List(inside) =
        of("predicate(slice(zipped_divide(identity((10,6)), <4,4>), (_,(2,1))), (10,6))").expect("a slice")
    else {
        panic!("a list")
    };
    assert_eq!(inside.iter().filter(|inside| **inside == Value::Bool(true)).count(), 4);
    for wrong in [
        "5 + 4",
        "5 + identity(4)",
        "1@0 + 4:1",
        "5 + <2>",
        "5 + (Sw<1,0,1> o 4:1)",
        "4611686018427387903 + 4611686018427387903 + 4:1",
    ] {
        assert!(of(wrong).is_err(), "{wrong}");
    }
}

/// `(A o (k + B))(i) = A(k + B(i))`, and it is refused only where a digit overflows or does not divide.
#[test]
fn compositions_begin_at_an_offset() {
    let (mut carried, mut cancelled) = (0, 0);
    let holds = |random: &mut Random| {
        let (a, b) = (random.layout(), random.layout());
        let (least, most) = b.range();
        if least < 0 || most >= a.size() {
            return None;
        }
        let k = random.below((a.size() - most) as u64) as i64;
        let wanted: Vec<i64> =
            b.table(64).expect("small").iter().map(|at| a.at(k + at).expect("small")).collect();
        match of(&format!("{a} o {k} + {b}")) {
            Ok(_) => Some(numbers(&format!("{a} o {k} + {b}")) == wanted),
            // A refusal where the layout alone composes is for a carry, and then some value would be wrong.
            Err(_) => {
                let Ok(plain) = crate::compose(&a, &b) else { return None };
                let start = a.at(k).expect("small");
                carried += 1;
                // Carries through two digits that cancel are refused too.
                cancelled += u32::from(plain.table(64).expect("small").iter().map(|n| n + start).eq(wanted));
                None
            }
        }
    };
    law_on(20_000, 43, holds, "(A o (k + B))(i) = A(k + B(i))");
    assert!(carried > 100 && cancelled < carried / 50, "{carried} {cancelled}");
}

/// The thread's coordinate is where the threads' layout has its number, and the tile has the shape of that layout.
#[test]
fn threads_hold_what_their_layout_says() {
    let mut other_than_compact = 0;
    let holds = |random: &mut Random| {
        let threads = random.layout();
        let modes: Vec<Layout> = threads.modes().collect();
        if modes.len() > 2 || threads.range().0 < 0 {
            return None;
        }
        let (t0, t1) = (modes.first().map_or(1, Layout::size), modes.get(1).map_or(1, Layout::size));
        let (r0, r1) = (1 + random.below(3) as i64, 1 + random.below(3) as i64);
        let (m, n) = (t0 * r0, t1 * r1);
        let data = if random.below(2) == 0 { [1, m + random.below(3) as i64] } else { [n, 1] };
        let values = threads.table(64).expect("small");
        let thread = *values.get(random.below(values.len() as u64) as usize)?;
        // Any place of the thread will do if there are several: those of one digit are tried first.
        let at: Vec<i64> =
            (0..).zip(&values).filter(|(_, value)| **value == thread).map(|(i, _)| i).collect();
        let held = |index: i64| -> Vec<i64> {
            let (c0, c1) = (index % t0, index / t0);
            (0..r1)
                .flat_map(|j| (0..r0).map(move |i| (i, j)))
                .map(|(i, j)| (c0 + t0 * i) * data[0] + (c1 + t1 * j) * data[1])
                .collect()
        };
        other_than_compact += u32::from(at.first() != Some(&thread));
        let shape = if modes.len() == 2 {
            format!("({m},{n}):({},{})", data[0], data[1])
        } else {
            format!("({m}):({})", data[0])
        };
        let text = format!("local_partition({shape}, {threads}, {thread})");
        let found = numbers(&text);
        let wanted =
            |index: i64| if modes.len() == 2 { held(index) } else { held(index)[..r0 as usize].to_vec() };
        let missing = values.iter().max().map_or(1, |most| most + 1);
        assert!(
            of(&format!("local_partition({shape}, {threads}, {missing})")).is_err(),
            "{threads} has no thread {missing}"
        );
        Some(at.iter().any(|index| wanted(*index) == found))
    };
    law_on(20_000, 44, holds, "local_partition by a layout of threads");
    assert!(other_than_compact > 1_000, "{other_than_compact}");
    // A worked example: in a row-major layout of 8 by 4 threads, thread 5 stands at (1,1).
    let shown = of("local_partition((32,32):(32,1), (8,4):(4,1), 5)").map(|value| value.to_string());
    assert_eq!(shown, Ok("33 + (4,8):(256,4)".to_owned()));
    assert!(matches!(of("<8,4>"), Ok(Value::Tiler(Tiler::Modes(_)))));
}
