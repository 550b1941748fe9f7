//! The laws of what is made from the basic operations: forms of divides and products, swizzles, coordinates, threads and values.

use super::laws;
use super::random::{Random, law, law_on, values};
use crate::functions::blocked_product::blocked_product;
use crate::functions::coalesce::{Tail, coalesce, merge};
use crate::functions::flat_divide::flat_divide;
use crate::functions::flat_product::flat_product;
use crate::functions::identity::identity;
use crate::functions::idx2crd::idx2crd;
use crate::functions::logical_divide::logical_divide_by;
use crate::functions::logical_product::logical_product_by;
use crate::functions::make_layout_tv::make_layout_tv;
use crate::functions::max_common::max_common;
use crate::functions::max_common_layout::max_common_layout;
use crate::functions::partition::partition;
use crate::functions::raked_product::raked_product;
use crate::functions::surjective::missing;
use crate::functions::tile_to_shape::tile_to_shape;
use crate::functions::tiled_divide::tiled_divide;
use crate::functions::tiled_product::tiled_product;
use crate::functions::zipped_divide::zipped_divide;
use crate::functions::zipped_product::zipped_product;
use crate::{Layout, Swizzle, Tiler, Tree, Value, Vector, compose, evaluate};

/// A tiler of the first modes.
fn tiler(random: &mut Random, rank: usize) -> Tiler {
    let entry = |random: &mut Random| match random.below(4) {
        0 => Tiler::Keep,
        1 => Tiler::Layout(random.layout()),
        _ => Tiler::Layout(Layout::mode(1 + random.below(6) as i64, 1).expect("a layout")),
    };
    Tiler::Modes((0..random.below(rank as u64 + 1)).map(|_| entry(random)).collect())
}

/// Zipped, tiled and flat forms have the values of one another; what is first and second comes from the logical form.
#[test]
fn forms_sort_the_modes_of_the_logical_form() {
    let mut notes = Vec::new();
    let holds = |random: &mut Random| {
        let a = random.layout();
        let tiler = tiler(random, a.rank());
        let Tiler::Modes(tiles) = &tiler else { return None };
        let divides = random.below(2) == 0;
        let (logical, zipped, tiled, flat) = if divides {
            let logical = logical_divide_by(&a, &tiler, &mut notes);
            let zipped = zipped_divide(&a, &tiler, &mut notes);
            (logical, zipped, tiled_divide(&a, &tiler, &mut notes), flat_divide(&a, &tiler, &mut notes))
        } else {
            let zipped = zipped_product(&a, &tiler);
            (logical_product_by(&a, &tiler), zipped, tiled_product(&a, &tiler), flat_product(&a, &tiler))
        };
        notes.clear();
        let (Ok(logical), Ok(zipped), Ok(tiled), Ok(flat)) = (logical, zipped, tiled, flat) else {
            return None;
        };
        let flattened = |layout: &Layout| layout.flatten();
        let same = flattened(&zipped) == flattened(&tiled) && flattened(&zipped) == flattened(&flat);
        let sorted = logical.modes().enumerate().all(|(k, mode)| {
            let second = zipped.sub(&[1, k]).expect("a mode");
            match tiles.get(k) {
                Some(Tiler::Layout(_)) => {
                    Ok(mode) == Layout::concat([zipped.sub(&[0, k]).expect("a mode"), second])
                }
                _ => mode == second,
            }
        });
        Some(same && sorted)
    };
    law(21, holds, "zipped, tiled and flat forms");
}

#[test]
fn blocked_and_raked_products_are_grids_of_copies() {
    let holds = |random: &mut Random| {
        let (a, b) = (random.layout(), random.layout());
        let (blocked, raked) = (blocked_product(&a, &b).ok()?, raked_product(&a, &b).ok()?);
        Some(laws::blocks(&a, &b, &blocked, false) && laws::blocks(&a, &b, &raked, true))
    };
    law(22, holds, "blocked and raked products");
}

#[test]
fn tails_are_kept_past_the_size() {
    let holds = |random: &mut Random| {
        let a = random.layout();
        let kept = Layout::flat(merge(a.flatten(), Tail::Keep)).expect("a layout");
        Some((0..3 * a.size()).all(|i| a.at(i) == kept.at(i)))
    };
    law(23, holds, "the tail-keeping form, up to three times the size");
}

#[test]
fn identities_compose_to_the_same() {
    let holds = |random: &mut Random| {
        let a = random.layout();
        let whole = Layout::mode(a.size(), 1).expect("a layout");
        let (least, most) = a.range();
        let same = least < 0 || {
            let identity = Layout::mode(most + 1, 1).expect("a layout");
            compose(&identity, &a).is_ok_and(|found| values(&found) == values(&a))
        };
        Some(compose(&a, &whole) == coalesce(&a) && same)
    };
    law(24, holds, "A o size = coalesce(A), id o B = B");
}

/// Strides from another module: the coordinate of `B(i)`; and a right operand into coordinates.
#[test]
fn coordinates_compose() {
    let holds = |random: &mut Random| {
        let (a, b) = (random.layout(), random.layout());
        let coordinates = identity(a.shape()).expect("a layout");
        let through = compose(&coordinates, &b).ok()?;
        if b.range().0 < 0 || b.range().1 >= a.size() {
            return None;
        }
        let right = (0..b.size()).all(|i| {
            let found = through.at(i).expect("in range").coordinate(a.shape());
            found == idx2crd(a.shape(), b.at(i).expect("in range")).ok()
        });
        // What is composed with the coordinates of `A` is `A` of what they are composed with.
        let back = crate::functions::composition::compose_by_basis(&a, &through);
        let back =
            back.map_or(true, |back| (0..b.size()).all(|i| back.at(i) == a.at(b.at(i).expect("in range"))));
        Some(right && back)
    };
    law(25, holds, "identity(S) o B, and A o (identity(S) o B)");
}

#[test]
fn common_vectors_are_common() {
    let (mut exact, mut shorter) = (0, 0);
    let holds = |random: &mut Random| {
        let a = random.layout();
        let b = if random.below(2) == 0 { a.clone() } else { random.layout() };
        let common = max_common_layout(&a, &b).ok()?;
        let past = max_common(&a, &b).expect("the longer one");
        let vector = evaluate(&format!("max_common_vector({a}, {b})")).expect("a number").value;
        let counts = |layout: &Layout, i: i64| common.at(i).and_then(|at| layout.at(at)) == Ok(i);
        // Both have these values below their sizes, and there are no more of them than by any choice of indices.
        let (of_a, of_b) = (a.table(64).expect("small"), b.table(64).expect("small"));
        let both = |v: &i64| of_a.iter().zip(&of_b).any(|pair| pair == (v, v));
        let most = (0..64).take_while(both).count() as i64;
        let inside = |i: i64| common.at(i).is_ok_and(|at| at < a.size() && at < b.size());
        exact += u32::from(common.size() == most && most > 1);
        shorter += u32::from(common.size() < past.size());
        Some(
            (0..common.size()).all(|i| counts(&a, i) && counts(&b, i) && inside(i))
                && (0..past.size()).all(|i| past.at(i).and_then(|at| a.at(at)) == Ok(i))
                && vector == Value::int(common.size())
                && common.size() <= most,
        )
    };
    law(26, holds, "max_common_layout");
    assert!(exact > 5_000 && shorter > 1_000, "{exact} {shorter}");
}

/// Threads and values fill the tile, and cut every tile of the data.
#[test]
fn threads_and_values_partition_the_data() {
    let holds = |random: &mut Random| {
        let extent = |random: &mut Random| 1 + random.below(3) as i64;
        let grid = |random: &mut Random| {
            let shape = Tree::Node(vec![Tree::Leaf(extent(random)), Tree::Leaf(extent(random))]);
            match random.below(2) {
                0 => Layout::column_major(shape).expect("a layout"),
                _ => Layout::row_major(shape).expect("a layout"),
            }
        };
        let (threads, held) = (grid(random), grid(random));
        let tv = make_layout_tv(&threads, &held).expect("compact layouts fill a tile");
        let tile = raked_product(&threads, &held).expect("compact layouts");
        let sides: Vec<i64> = tile.modes().map(|mode| mode.size()).collect();
        let (down, across) = (extent(random), extent(random));
        let shape = vec![Tree::Leaf(sides[0] * down), Tree::Leaf(sides[1] * across)];
        let data = Layout::column_major(Tree::Node(shape)).expect("a layout");
        let side = |n: i64| Tiler::Layout(Layout::mode(n, 1).expect("a layout"));
        let tiler = Tiler::Modes(vec![side(sides[0]), side(sides[1])]);
        let parts = partition(&data, &tiler, &tv, &mut Vec::new()).expect("it divides");
        let whole = |layout: &Layout| missing(layout, layout.size()).is_none();
        // The raked tile says which thread, and which of its values, is where.
        let inverse = (0..tv.size()).all(|i| tv.at(i).and_then(|place| tile.at(place)) == Ok(i));
        Some(whole(&tv) && inverse && whole(&parts) && parts.size() == data.size())
    };
    law_on(20_000, 27, holds, "partition by make_layout_tv");
}

#[test]
fn blocks_fill_their_shape() {
    let holds = |random: &mut Random| {
        let extent = |random: &mut Random| 1 + random.below(3) as i64;
        let block: Vec<i64> = (0..2).map(|_| extent(random)).collect();
        let shape: Vec<i64> = block.iter().map(|n| n * extent(random)).collect();
        let tree = |sides: &[i64]| Tree::Node(sides.iter().map(|n| Tree::Leaf(*n)).collect());
        let layout = Layout::row_major(tree(&block)).expect("a layout");
        let order = if random.below(2) == 0 { [0, 1] } else { [1, 0] };
        let filled = tile_to_shape(&layout, &tree(&shape), &order).expect("it divides");
        let sides: Vec<i64> = filled.modes().map(|mode| mode.size()).collect();
        Some(sides == shape && missing(&filled, filled.size()).is_none())
    };
    law_on(20_000, 28, holds, "tile_to_shape");
}

/// All small swizzles on all numbers that they reach.
#[test]
fn swizzles_are_involutions_that_keep_runs() {
    let mut tried = 0;
    for (bits, base, shift) in (0..4).flat_map(|b| (0..5).flat_map(move |m| (-5..6).map(move |s| (b, m, s))))
    {
        let Ok(swizzle) = Swizzle::try_new(bits, base, shift) else {
            assert!(i64::abs(shift) < bits, "Sw<{bits},{base},{shift}> is a swizzle");
            continue;
        };
        tried += 1;
        let of = |x: i64| swizzle.place(x);
        let (range, run) = (1 << (base + bits + i64::abs(shift)), swizzle.run());
        for x in 0..range {
            assert!(of(of(x)) == x && of(x) < range, "{swizzle} at {x}");
            assert_eq!(of(x) ^ of(range - 1 - x), of(x ^ (range - 1 - x)), "{swizzle} at {x}");
            assert_eq!(of(x - x % run) + x % run, of(x), "{swizzle} at {x}");
        }
    }
    assert!(tried > 170, "{tried}");
}

#[test]
fn vectors_add_and_print() {
    let sum = |text: &str| evaluate(text).expect(text).value.to_string();
    assert_eq!(sum("4:1@0+2@1"), "4:1@0+2@1");
    assert_eq!(sum("(2,2):(1@0+2@1,-1@0+1@1)"), "(2,2):(1@0+2@1,-1@0+1@1)");
    assert_eq!(sum("crd2idx((2,2):(1@0+2@1,-1@0+1@1), (1,1))"), "3@1");
    assert_eq!(Vector::basis(0, vec![1]).to_string(), "0");
    // An offset that is not aligned cuts the runs of a swizzle.
    assert_eq!(sum("max_common_vector(Sw<2,2,3> o 2 o 8:1, 8:1)"), "2");
}

/// All tiles, and all threads' parts, have the values of the layout, each once.
#[test]
fn tiles_and_threads_share_the_values_out() {
    let all = |text: &str| match evaluate(text).expect(text).value {
        Value::List(values) => values.iter().map(Value::to_string).collect::<Vec<String>>(),
        other => panic!("{text} is {other}"),
    };
    for layout in ["(8,6):(1,8)", "(8,6):(6,1)", "((2,4),6):((24,1),4)"] {
        let mut wanted = all(&format!("table({layout})"));
        wanted.sort_unstable();
        for (operation, parts) in [("local_tile", 4), ("local_partition", 12)] {
            let part = |k: i64| all(&format!("table({operation}({layout}, <4,3>, {k}))"));
            let mut found: Vec<String> = (0..parts).flat_map(part).collect();
            found.sort_unstable();
            assert_eq!(found, wanted, "{operation} of {layout}");
            assert!(evaluate(&format!("{operation}({layout}, <4,3>, {parts})")).is_err());
        }
    }
}

/// Tiles that a coordinate leaves open are those that it would name, one after the other.
#[test]
fn open_coordinates_leave_tiles_beside_each_other() {
    let all = |text: &str| match evaluate(text).expect(text).value {
        Value::List(values) => values,
        other => panic!("{text} is {other}"),
    };
    for layout in ["(8,6):(1,8)", "(8,6):(6,1)", "((2,4),6):((24,1),4)"] {
        for (open, closed) in [("(1,_)", ["(1,0)", "(1,1)"]), ("(_,1)", ["(0,1)", "(1,1)"])] {
            let tiles = |c: &str| all(&format!("table(local_tile({layout}, <4,3>, {c}))"));
            let named: Vec<Value> = closed.into_iter().flat_map(tiles).collect();
            assert_eq!(tiles(open), named, "{layout} at {open}");
        }
        let open = |c: &str| all(&format!("table(local_tile({layout}, <4,3>, {c}))"));
        assert_eq!(open("_"), all(&format!("table(zipped_divide({layout}, <4,3>))")));
    }
}

/// What to write instead is said where it is known.
#[test]
fn refusals_say_what_to_write() {
    let help = |text: &str| evaluate(text).expect_err(text).help.clone().unwrap_or_default();
    for text in ["(4):1", "(4,8):(1,(4))", "(M*N):1", "(4,8):(1,(M / 2))", "((4),8):(1,4)"] {
        assert!(help(text).contains("a tuple of one"), "{text}: {}", help(text));
    }
    for text in ["(4,8):1", "(4,(2,2)):(1,4)", "(M,4):1"] {
        assert!(!help(text).contains("a tuple of one"), "{text}: {}", help(text));
    }
    assert!(help("(M,N):(N,1) where M % 4 == 0 && N % 4 == 0").contains("commas"));
    let tiler = evaluate("coalesce((M,N):(1,M), <1,1>)").expect_err("a tiler").to_string();
    assert!(tiler.contains("`coalesce` takes no tiler, where a name of a size stands"), "{tiler}");
    let shown = |text: &str| evaluate(text).expect(text).value.to_string();
    assert_eq!(shown("cosize((M,N):(N+1,1))"), "(N+1)*M-1");
}

/// C++ as it stands in kernels means what the short notation does.
#[test]
fn spellings_of_cute_are_read() {
    for (spelled, short) in [
        ("Layout<Shape<_4,_2>, Stride<_1,_4>>", "(4,2):(1,4)"),
        ("Layout<Shape<Shape<_2,_2>,Int<3>>,Stride<Stride<_1,_2>,C<4>>>{}", "((2,2),3):((1,2),4)"),
        ("Layout<Shape<_4,_2>>{}", "(4,2):(1,4)"),
        ("make_layout(make_shape(4, Int<2>{}), make_stride(Int<2>{}, 1))", "(4,2):(2,1)"),
        ("make_layout(4:1, 2:8)", "(4:1, 2:8)"),
        ("Swizzle<2,0,3>{}", "Sw<2,0,3>"),
        (
            "composition(Swizzle<2,0,3>{}, Layout<Shape<_8,_4>,Stride<_4,_1>>{})",
            "Sw<2,0,3> o 0 o (8,4):(4,1)",
        ),
        ("composition(Sw<2,0,3>, Sw<0,0,0> o 3 o 8:1)", "Sw<2,0,3> o 3 o 8:1"),
        ("zipped_divide((8,6):(1,8), make_tile(Layout<_4,_1>{}, _))", "zipped_divide((8,6):(1,8), <4:1;_>)"),
        ("coalesce((2,2):(1,2), Step<_1>{})", "coalesce((2,2):(1,2), (1))"),
    ] {
        let of = |text: &str| evaluate(text).unwrap_or_else(|refusal| panic!("{text}: {refusal}")).value;
        assert_eq!(of(spelled), of(short), "{spelled}");
    }
    for wrong in
        ["Layout<>", "Int<4,2>", "Shape<4:1>", "Layout<_4,_2", "Swizzle<2,0,3>{", "Swizzle", "make_shape<4>"]
    {
        assert!(evaluate(wrong).is_err(), "{wrong}");
    }
}

/// The swizzle of a block is that of the blocks together, which is applied to the place of each cell.
#[test]
fn swizzled_blocks_are_repeated_behind_their_swizzle() {
    let of = |text: &str| match evaluate(text).expect(text).value {
        Value::List(values) => values.iter().map(Value::to_string).collect::<Vec<_>>(),
        other => panic!("{text} is {other}"),
    };
    let block = "(4,8):(8,1)";
    let plain = of(&format!("table(tile_to_shape({block}, (8,16)))"));
    let swizzle = Swizzle::try_new(2, 0, 3).expect("a swizzle");
    let wanted: Vec<String> =
        plain.iter().map(|value| swizzle.place(value.parse().expect("a number")).to_string()).collect();
    assert_eq!(of(&format!("table(tile_to_shape(composition(Sw<2,0,3>, {block}), (8,16)))")), wanted);
}
