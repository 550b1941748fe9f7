//! Published vectors: cases with the answers of a reference implementation.
//!
//! `ATL_LAYOUT_VECTORS` names the file, `{"ops": {"coalesce": [{"a": …, "r": …}, …], …}}`. Without it the test says that it was
//! skipped. Where the reference breaks its own law or refuses, `x` is the exact answer and `null` means refusal; where there
//! is no `x`, an answer of ours must satisfy the law.

use super::laws;
use crate::functions::{self, MOST_VALUES};
use crate::value::Args;
use crate::{Composed, Kind, Layout, Result, Swizzle, Tiler, Value, evaluate};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// A case, and what it is called.
struct Case<'j> {
    operation: &'j str,
    fields: &'j Json,
}

impl Case<'_> {
    fn text(&self, field: &str) -> Option<String> {
        match self.fields.get(field)? {
            Json::String(text) => Some(text.clone()),
            Json::Number(n) => Some(n.to_string()),
            _ => None,
        }
    }

    fn value(&self, field: &str) -> Option<Value> {
        let text = self.text(field)?;
        Some(evaluate(&text).unwrap_or_else(|why| panic!("{text}: {why}")).value)
    }

    fn layout(&self, field: &str) -> Layout {
        let value = self.value(field).expect("the field is there");
        Args::new(&[value]).layout(0).expect("a layout")
    }

    fn ints(&self, field: &str) -> Option<Vec<i64>> {
        let Json::Array(values) = self.fields.get(field)? else { return None };
        let number = |value: &Json| value.as_i64();
        values.iter().map(number).collect()
    }

    fn ours(&self, operation: &str, fields: &[&str]) -> Result<Value> {
        let values: Vec<Value> = fields.iter().filter_map(|field| self.value(field)).collect();
        functions::by_name(operation).expect("an operation").call(&values, &mut Vec::new())
    }
}

/// Without the strides of modes of extent 1, which are arbitrary, and without an offset, which the vectors have beside the layout.
fn bare(value: &Value) -> Value {
    let (Value::Layout(layout) | Value::Composed(Composed { swizzle: Swizzle::IDENTITY, layout, .. })) =
        value
    else {
        return value.clone();
    };
    let mut extents = layout.shape().leaves().into_iter();
    let stride = layout.stride().map(&mut |d| if extents.next() == Some(&1) { 0 } else { *d });
    Layout::try_new(layout.shape().clone(), stride).expect("a layout").into()
}

/// Compares our answer with the case's; how the case was settled.
fn settle(case: &Case<'_>) -> std::result::Result<&'static str, String> {
    let operands: &[&str] = match case.operation {
        "coalesce_by" => &["a", "profile"],
        "crd2idx" => &["a", "crd"],
        "idx2crd" => &["a", "i"],
        "composition" | "logical_divide" | "logical_product" | "blocked_product" | "raked_product"
        | "max_common" => &["a", "b"],
        "composition_by" | "logical_divide_by" | "zipped_divide" | "tiled_divide" | "tiled_product" => {
            &["a", "tiler"]
        }
        "complement" => &["a", "m"],
        "slice" => &["a", "crd"],
        "swizzle" => &["sw", "start"],
        _ => &["a"],
    };
    if case.operation == "predicates" {
        return predicates(case);
    }
    let ours = case.ours(case.operation, operands);
    let shown = || ours.as_ref().map_or_else(|why| format!("refused: {why}"), Value::to_string);
    let wrong = |wanted: &str| Err(format!("{wanted} is wanted, and ours is {}", shown()));
    let erroneous = case.text("e");
    let wanted = if erroneous.is_some() {
        "x"
    } else if case.fields.get("v").is_some() && case.operation != "max_common" {
        "v"
    } else {
        "r"
    };
    if let Some(wanted) = case.value(wanted) {
        let same = ours.as_ref().is_ok_and(|ours| bare(ours) == bare(&wanted));
        if !same {
            return wrong(&wanted.to_string());
        }
        let table = case.ints("t").filter(|_| erroneous.is_none());
        if let (Some(table), Ok(Value::Layout(layout))) = (table, &ours)
            && layout.table(MOST_VALUES) != Ok(table)
        {
            return wrong("the table");
        }
        if case.operation == "slice" {
            let offset = case.ours("slice_offset", operands).map_err(|why| why.to_string())?;
            return if Some(offset) == case.value("off") { Ok("equal") } else { wrong("the offset") };
        }
        if case.operation == "max_common" {
            return common(case, &ours);
        }
        return Ok("equal");
    }
    if let Some(table) = case.ints("t").filter(|_| erroneous.is_none()) {
        let same = ours.as_ref().is_ok_and(|ours| *ours == Value::ints(table.clone()));
        return if same { Ok("equal") } else { wrong("the table") };
    }
    match (case.fields.get("x"), &ours) {
        (_, Err(why)) if why.kind != Kind::TooLarge => Ok("refused"),
        (Some(Json::Null), Ok(_)) => wrong("refusal"),
        (_, Ok(Value::Layout(layout))) if lawful(case, layout) => Ok("answered lawfully"),
        _ => wrong("a lawful answer"),
    }
}

/// The vector is as long as the layout; ours, which stays below both sizes, is a part of it.
fn common(case: &Case<'_>, whole: &Result<Value>) -> std::result::Result<&'static str, String> {
    let Ok(Value::Layout(whole)) = whole else { return Err("no layout".to_owned()) };
    let (a, b) = (case.layout("a"), case.layout("b"));
    if case.text("v") != Some(whole.size().to_string()) {
        return Err(format!("the vector has {} entries", whole.size()));
    }
    let inside = |i: &i64| whole.at(*i).is_ok_and(|at| at < a.size() && at < b.size());
    let wanted = (0..whole.size()).take_while(inside).count() as i64;
    match case.ours("max_common_vector", &["a", "b"]) {
        Ok(ours) if ours != Value::int(wanted) => Err(format!("{ours} entries are common, not {wanted}")),
        Ok(_) if wanted < whole.size() => Ok("equal past the size"),
        Ok(_) => Ok("equal"),
        Err(why) => Err(why.to_string()),
    }
}

fn predicates(case: &Case<'_>) -> std::result::Result<&'static str, String> {
    for (name, field, operands) in [
        ("congruent", "congruent", ["a", "b"].as_slice()),
        ("compatible", "compatible", &["a", "b"]),
        ("weakly_congruent", "weakly", &["a", "b"]),
        ("rank", "rank", &["a"]),
        ("depth", "depth", &["a"]),
        ("size", "size", &["a"]),
    ] {
        let ours = match case.ours(name, operands) {
            Ok(Value::Bool(answer)) => i64::from(answer).to_string(),
            other => other.map_err(|why| why.to_string())?.to_string(),
        };
        if Some(&ours) != case.text(field).as_ref() {
            return Err(format!("{name} is {ours}"));
        }
    }
    Ok("equal")
}

/// Does an answer satisfy the operation's law, where the reference has none?
fn lawful(case: &Case<'_>, ours: &Layout) -> bool {
    let a = case.layout("a");
    match case.operation {
        "complement" => laws::complements(&a, ours),
        "max_common" => {
            let b = case.layout("b");
            (0..ours.size()).all(|i| ours.at(i).is_ok_and(|at| a.at(at) == Ok(i) && b.at(at) == Ok(i)))
        }
        "logical_product" => laws::multiplies(&a, &case.layout("b"), ours),
        "blocked_product" | "raked_product" => {
            let raked = case.operation == "raked_product";
            laws::blocks(&a, &case.layout("b"), ours, raked)
        }
        _ => {
            let Some(Value::Tiler(Tiler::Modes(tiles))) = case.value("tiler") else { return false };
            by_mode(case.operation, &a, &tiles, ours)
        }
    }
}

/// The same for a tiler, of which the cases have layouts in one level.
fn by_mode(operation: &str, a: &Layout, tiles: &[Tiler], ours: &Layout) -> bool {
    let modes: Vec<Layout> = a.modes().collect();
    let (tile, rest): (Vec<Layout>, Vec<Layout>) = match operation {
        "composition_by" | "logical_divide_by" => (ours.modes().collect(), Vec::new()),
        "zipped_divide" => match ours.modes().collect::<Vec<_>>().as_slice() {
            [tile, rest] => (tile.modes().collect(), rest.modes().collect()),
            _ => return false,
        },
        _ => (
            ours.modes().next().map_or_else(Vec::new, |t| t.modes().collect()),
            ours.modes().skip(1).collect(),
        ),
    };
    (0..modes.len()).all(|k| {
        let pair = || Layout::concat([tile[k].clone(), rest[k].clone()]).expect("a layout");
        match (tiles.get(k), operation) {
            (None, "composition_by" | "logical_divide_by") => tile[k] == modes[k],
            (Some(Tiler::Keep), "composition_by" | "logical_divide_by") => tile[k] == modes[k],
            (None | Some(Tiler::Keep), _) => rest[k] == modes[k],
            (Some(Tiler::Layout(t)), "composition_by") => laws::composes(&modes[k], t, &tile[k]),
            (Some(Tiler::Layout(t)), "logical_divide_by") => laws::divides(&modes[k], t, &tile[k]),
            (Some(Tiler::Layout(t)), "tiled_product") => laws::multiplies(&modes[k], t, &pair()),
            (Some(Tiler::Layout(t)), _) => laws::divides(&modes[k], t, &pair()),
            (Some(Tiler::Modes(_)), _) => false,
        }
    })
}

#[test]
fn published_vectors_are_answered() {
    let Some(path) = std::env::var_os("ATL_LAYOUT_VECTORS") else {
        eprintln!("skipped: ATL_LAYOUT_VECTORS names no file of vectors");
        return;
    };
    let text = std::fs::read_to_string(path).expect("the vectors can be read");
    let json = serde_json::from_str::<Json>(&text).expect("the vectors are JSON");
    let Some(Json::Object(operations)) = json.get("ops") else { panic!("the vectors have operations") };
    let (mut counts, mut failed) = (BTreeMap::<(&str, &str), usize>::new(), Vec::new());
    for (operation, cases) in operations {
        let Json::Array(cases) = cases else { panic!("cases are a list") };
        for fields in cases {
            match settle(&Case { operation, fields }) {
                Ok(how) => *counts.entry((operation, how)).or_default() += 1,
                Err(why) => failed.push(format!("{operation}: {fields:?}\n    {why}")),
            }
        }
    }
    for ((operation, how), count) in &counts {
        println!("{operation}: {count} {how}");
    }
    assert!(
        failed.is_empty(),
        "{} cases fail, first\n{}",
        failed.len(),
        failed[..failed.len().min(20)].join("\n")
    );
}
