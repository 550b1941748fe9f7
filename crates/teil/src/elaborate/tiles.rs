//! Tiles of vectors in registers: how many rows and vectors of a product are added up at once.
//!
//! The one idea: what a tile and what it leaves over cost is counted, in products and loads, for any number
//! of rows and cells, and the cheapest is taken.

/// The registers that a tile's sums may fill; others hold what is multiplied.
const SUMS: usize = 20;

/// How many rows and how many vectors of each are added up at once.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Tile {
    pub(super) rows: usize,
    pub(super) vectors: usize,
}

/// The cheapest tile of these numbers of rows and of cells; of several, the largest.
pub(super) fn tile(rows: usize, cells: usize, lanes: usize) -> Tile {
    let most = (cells / lanes).clamp(1, 8);
    let all =
        (1..=most).flat_map(|vectors| (1..=rows.min(SUMS / vectors)).map(move |rows| Tile { rows, vectors }));
    let cost = |tile: &Tile| (tile.cost(rows, cells, lanes), SUMS - tile.rows * tile.vectors);
    let cheapest = all.map(|tile| (cost(&tile), tile)).reduce(|a, b| if b.0 < a.0 { b } else { a });
    cheapest.map_or(Tile { rows: 1, vectors: 1 }, |(_, tile)| tile)
}

/// As many rows as are cheapest where each is this number of vectors and none is divided; of several numbers,
/// the largest.
pub(super) fn whole_rows(rows: usize, vectors: usize) -> usize {
    let most = (SUMS / vectors.max(1)).clamp(1, rows.max(1));
    let cost = |some: &usize| rows / some * block(*some, vectors) + block(rows % some, vectors);
    (1..=most).rev().min_by_key(cost).unwrap_or(1)
}

/// The cycles that one term of this number of sums takes, doubled.
fn block(rows: usize, vectors: usize) -> usize {
    match rows * vectors {
        0 => 0,
        products => products.max(rows + vectors).max(8),
    }
}

impl Tile {
    /// The cycles that one term of all sums takes, doubled: two products or two loads are done in one, and of
    /// eight products that wait for one another's results all are under way at a time. Vectors that are left
    /// over are masked.
    fn cost(self, rows: usize, cells: usize, lanes: usize) -> usize {
        let (blocks, left) = (cells / lanes / self.vectors, cells / lanes % self.vectors);
        let left = left + usize::from(!cells.is_multiple_of(lanes));
        let of_rows = |rows: usize| blocks * 2 * block(rows, self.vectors) + 3 * block(rows, left);
        rows / self.rows * of_rows(self.rows) + of_rows(rows % self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::{SUMS, Tile, tile, whole_rows};

    #[test]
    fn tiles_fill_registers_and_leave_little_over() {
        assert_eq!(tile(8, 64, 8), Tile { rows: 5, vectors: 4 });
        assert_eq!(tile(12, 144, 8), Tile { rows: 6, vectors: 3 });
        assert_eq!(tile(16, 256, 16), Tile { rows: 10, vectors: 2 });
        assert_eq!(tile(1, 1, 8), Tile { rows: 1, vectors: 1 });
        for n in 1..=20 {
            for lanes in [8, 16] {
                let tile = tile(n, n * n, lanes);
                assert!(tile.rows * tile.vectors <= SUMS && tile.rows <= n, "{n}, {lanes}: {tile:?}");
                // No tile of one vector and one row is cheaper.
                let plain = Tile { rows: 1, vectors: 1 };
                assert!(tile.cost(n, n * n, lanes) <= plain.cost(n, n * n, lanes), "{n}, {lanes}: {tile:?}");
            }
        }
    }
    #[test]
    fn whole_rows_leave_little_over() {
        assert_eq!(
            [(19, 3), (17, 3), (361, 3), (13, 2)].map(|(rows, vectors)| whole_rows(rows, vectors)),
            [5, 6, 6, 9]
        );
        assert_eq!(
            [(0, 0), (0, 3), (1, 1), (7, 30)].map(|(rows, vectors)| whole_rows(rows, vectors)),
            [1, 1, 1, 1]
        );
        for (rows, vectors) in (1..=400).flat_map(|rows| (1..=SUMS).map(move |vectors| (rows, vectors))) {
            let some = whole_rows(rows, vectors);
            assert!(some * vectors <= SUMS && some <= rows, "{rows}, {vectors}: {some}");
        }
    }
}
