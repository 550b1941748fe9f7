//! Values of one pass stay one pass where a schedule splits, unrolls or batches the loops that they share.

use atl_driver::{Buffer, Compile, Program, backends};

const SOURCE: &str = "
    fn rows(x: i64[N, M]) -> (i64[N, M], i64[N], i64[N, 2]) {
        gen i < N {
            iterate j < M from y = gen k < M { i64(k) }, s = i64(i), n = i64(0) {
                gen k < M { y[k] * 3 + x[i, j] + s },
                s + x[i, j] * x[i, j],
                n + 1
            } in (y, s, gen e < 2 { s * 10 + n * i64(e) })
        }
    }
    schedule written of rows { rounding bitwise; }
    schedule split of rows { split i by 4; }
    schedule unrolled of rows { split i by 4; unroll i.i; }
    schedule tail of rows { split i by 4; peel; }
    schedule by_three of rows { split i by 3; split i.o by 2; parallel i.o.o; }
    schedule batched of rows { split i by 4; batch i.i; }
    schedule lanes of rows { split i by 4; vectorize i.i; batch i.i; }
    schedule pairs of rows { unroll j by 2; }
    schedule both of rows { split i by 2; unroll j by 2; }
";

/// What `rows` means.
fn expected(x: &[i64], n: usize, m: usize) -> [Vec<i64>; 3] {
    let (mut tensor, mut sums, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..n {
        let (mut y, mut s): (Vec<i64>, i64) = ((0..m as i64).collect(), i as i64);
        for j in 0..m {
            let x = x[i * m + j];
            y.iter_mut().for_each(|y| *y = *y * 3 + x + s);
            s += x * x;
        }
        tensor.extend(y);
        sums.push(s);
        ends.extend([s * 10, s * 10 + m as i64]);
    }
    [tensor, sums, ends]
}

#[test]
fn schedules_keep_one_pass() {
    let program = Program::parse("rows.atl", SOURCE).unwrap_or_else(|e| panic!("{e}"));
    let passes = [
        ("written", 1),
        ("split", 1),
        ("unrolled", 1),
        ("tail", 2),
        ("by_three", 1),
        ("batched", 1),
        ("lanes", 1),
        // The rounds that are left over are a loop of their own.
        ("pairs", 2),
        ("both", 2),
    ];
    for (schedule, passes) in passes {
        let scheduled = program.scheduled("rows", Some(schedule)).unwrap_or_else(|e| panic!("{e}"));
        let lowered = scheduled.lower().unwrap_or_else(|e| panic!("{schedule}: {e}"));
        let loops = lowered.kernel.to_string();
        let over_rounds = loops.lines().filter(|line| line.trim_start().starts_with("for j"));
        assert_eq!(over_rounds.count(), passes, "{schedule}\n{loops}");
        for backend in backends::TABLE.iter().filter(|backend| (backend.unavailable)().is_none()) {
            let kernel = lowered.compile(backend, Default::default()).unwrap_or_else(|e| panic!("{e}"));
            for (n, m) in [(0, 3), (1, 0), (1, 1), (3, 2), (4, 3), (7, 5), (13, 4)] {
                let x: Vec<i64> = (0..n * m).map(|k| (k * 7 % 11) as i64 - 3).collect();
                let of_rows = expected(&x, n, m);
                let x = Buffer::from_vec(x, &[n, m]).expect("n rows of m");
                let found = kernel.call(&[("x", x.view())], &[]).results().unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(found.len(), of_rows.len());
                for (found, expected) in found.iter().zip(of_rows) {
                    let at = format!("{schedule} on {}, N = {n}, M = {m}", backend.name);
                    assert_eq!(found.as_slice::<i64>().expect("integers"), expected, "{at}");
                }
            }
        }
    }
}
