//! The example of the book's chapter is what happens.

use atl_streams::combinators::{Contract, Lead, Product};
use atl_streams::sources::{Compressed, Search};
use atl_streams::{Counter, Stream, for_each};
use std::rc::Rc;

fn stored(entries: &[(usize, i64)], probes: &Counter) -> impl Stream<Index = usize, Value = i64> + use<> {
    let (crd, values): (Vec<usize>, Vec<i64>) = entries.iter().copied().unzip();
    let places = 0..crd.len();
    Compressed::new(Rc::from(crd), places, Search::Gallop, probes.clone(), move |place| values[place])
}

#[test]
fn the_book_shows_the_states_of_a_product() {
    let probes = Counter::new();
    let row = stored(&[(1, 2), (4, 3), (7, 5), (9, 7)], &probes);
    let x = stored(&[(4, 10), (5, 20), (9, 100), (12, 1)], &probes);
    let mut product = Product::new(row, x, Lead::First, |a, b| a * b);
    let whole = product.clone();
    let mut table = String::from("|---|---|---|---|\n");
    while let Some(here) = product.position() {
        let (ready, value) = match here.ready {
            true => ("yes", format!(" {}", product.value())),
            false => ("no", String::new()),
        };
        table += &format!("| {} | {ready} |{value} | {} |\n", here.index, probes.total());
        product.advance();
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src/streams.md");
    let page = std::fs::read_to_string(page).expect("the chapter is there");
    assert!(page.contains(&format!("{table}\n")), "{table}");
    let mut sum = 0;
    let states = for_each(Contract::new(whole, ()), |(), value| sum += value);
    assert_eq!((states, sum), (4, 730));
}
