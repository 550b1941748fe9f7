//! What the functions mean, in plain Rust: from the sizes and the arrays to the result.
//!
//! Loops over all indices, in double precision, and nothing shared with the compiler. An array is a closure over its cells.

/// Sizes in the function's order, arrays in that of its parameters.
pub(crate) type Meaning = fn(&[usize], &[&[f32]]) -> Vec<f64>;

/// The cells of a result, the last index the quickest.
fn cells<const R: usize>(shape: [usize; R], of: impl Fn([usize; R]) -> f64) -> Vec<f64> {
    let count = shape.iter().product();
    let mut found = Vec::with_capacity(count);
    for flat in 0..count {
        let (mut rest, mut at) = (flat, [0; R]);
        for (i, n) in at.iter_mut().zip(shape).rev() {
            *i = rest % n;
            rest /= n;
        }
        found.push(of(at));
    }
    found
}

pub(crate) fn blur(s: &[usize], a: &[&[f32]]) -> Vec<f64> {
    let (n, m) = (s[0], s[1]);
    cells([n, m], |[y, x]| {
        let rows = y.saturating_sub(1)..(y + 2).min(n);
        let sums = rows
            .map(|v| (x.saturating_sub(1)..(x + 2).min(m)).map(|u| f64::from(a[0][v * m + u])).sum::<f64>());
        sums.sum::<f64>() / 9.0
    })
}

pub(crate) fn matmul(s: &[usize], a: &[&[f32]]) -> Vec<f64> {
    let (m, k, n) = (s[0], s[1], s[2]);
    let product = |i: usize, j: usize, l: usize| f64::from(a[0][i * k + l]) * f64::from(a[1][l * n + j]);
    cells([m, n], |[i, j]| (0..k).map(|l| product(i, j, l)).sum())
}

/// A signal is a picture of one row.
pub(crate) fn conv1d(s: &[usize], a: &[&[f32]]) -> Vec<f64> {
    conv2d(&[s[0], s[1], 1, s[2], s[3], 1, s[4]], a)
}

pub(crate) fn conv2d(s: &[usize], a: &[&[f32]]) -> Vec<f64> {
    let (b, c, h, w, k, r, t) = (s[0], s[1], s[2], s[3], s[4], s[5], s[6]);
    let x = |n: usize, ch: usize, p: usize, q: usize| f64::from(a[0][((n * c + ch) * h + p) * w + q]);
    let weight = |f: usize, ch: usize, p: usize, q: usize| f64::from(a[1][((f * c + ch) * r + p) * t + q]);
    cells([b, k, h + 1 - r, w + 1 - t], |[n, f, p, q]| {
        let mut sum = 0.0;
        for ch in 0..c {
            for v in 0..r {
                for u in 0..t {
                    sum += x(n, ch, p + v, q + u) * weight(f, ch, v, u);
                }
            }
        }
        sum
    })
}

pub(crate) fn add(_: &[usize], a: &[&[f32]]) -> Vec<f64> {
    a[0].iter().zip(a[1]).map(|(x, y)| f64::from(*x) + f64::from(*y)).collect()
}

pub(crate) fn multiply_add(_: &[usize], a: &[&[f32]]) -> Vec<f64> {
    let pairs = a[0].iter().zip(a[1]).map(|(x, y)| f64::from(*x) * f64::from(*y));
    pairs.zip(a[2]).map(|(xy, z)| xy + f64::from(*z)).collect()
}

/// One axis after the other.
pub(crate) fn interpolate(s: &[usize], a: &[&[f32]]) -> Vec<f64> {
    let (q, p, e) = (s[0], s[1], s[2]);
    let weight = |i: usize, l: usize| f64::from(a[0][i * p + l]);
    let one = cells([e, q, p, p], |[e, i, m, n]| {
        (0..p).map(|l| weight(i, l) * f64::from(a[1][((e * p + l) * p + m) * p + n])).sum()
    });
    let two = cells([e, q, q, p], |[e, i, j, n]| {
        (0..p).map(|m| weight(j, m) * one[((e * q + i) * p + m) * p + n]).sum()
    });
    cells([e, q, q, q], |[e, i, j, k]| {
        (0..p).map(|n| weight(k, n) * two[((e * q + i) * q + j) * p + n]).sum()
    })
}

pub(crate) fn softmax(s: &[usize], a: &[&[f32]]) -> Vec<f64> {
    rows(s[1], a[0], |row| {
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = row.iter().map(|x| (x - top).exp()).sum();
        row.iter().map(|x| (x - top).exp() / total).collect()
    })
}

pub(crate) fn layer_norm(s: &[usize], a: &[&[f32]]) -> Vec<f64> {
    rows(s[1], a[0], |row| {
        let count = row.len() as f64;
        let mean = row.iter().sum::<f64>() / count;
        let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
        let scaled = |(j, x): (usize, &f64)| {
            (x - mean) / (variance + 0.00001).sqrt() * f64::from(a[1][j]) + f64::from(a[2][j])
        };
        row.iter().enumerate().map(scaled).collect()
    })
}

/// Row by row; rows without cells have none to show.
fn rows(m: usize, cells: &[f32], of: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let wide: Vec<f64> = cells.iter().copied().map(f64::from).collect();
    wide.chunks(m.max(1)).flat_map(of).collect()
}
