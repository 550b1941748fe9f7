"""The coefficients of this crate's polynomials, by Remez' exchange algorithm.

    python3 minimax.py

needs mpmath. For each polynomial it prints the coefficients, lowest first, as the floats that Rust reads back, and the
largest error before the coefficients were rounded, in bits.
"""

import struct

from mpmath import atanh, cos, exp, linspace, log, lu_solve, matrix, mp, mpf, pi, sign, sqrt

mp.prec = 200


def minimax(f, weight, lo, hi, degree):
    """The polynomial p of this degree with the least maximum of |weight * (f - p)| on [lo, hi]."""
    n = degree + 2
    points = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * k / (n - 1)) for k in range(n)]
    for _ in range(12):
        rows = [[x**j for j in range(degree + 1)] + [(-1) ** k / weight(x)] for k, x in enumerate(points)]
        *solution, _ = lu_solve(matrix(rows), matrix([f(x) for x in points]))
        error = lambda x: weight(x) * (f(x) - sum(c * x**j for j, c in enumerate(solution)))
        grid = linspace(lo, hi, 1500)
        values = [error(x) for x in grid]
        best = []
        for x, value in zip(grid, values):
            if best and sign(best[-1][1]) == sign(value):
                if abs(value) > abs(best[-1][1]):
                    best[-1] = (x, value)
            else:
                best.append((x, value))
        while len(best) > n:
            best.pop(0 if abs(best[0][1]) < abs(best[-1][1]) else -1)
        if len(best) < n:
            break
        points = [x for x, _ in best]
    return solution, max(abs(value) for value in values)


def rounded(x, single):
    """The nearest float."""
    return struct.unpack("f", struct.pack("f", float(x)))[0] if single else float(x)


def series(value, total, terms):
    """`total` less `terms`, near zero without cancellation: both have been told to more digits than are lost."""
    with mp.workprec(600):
        return +(total(mpf(value)) - terms(mpf(value)))


def show(name, f, weight, lo, hi, degree, single):
    coefficients, error = minimax(f, weight, lo, hi, degree)
    print(f"{name}: error 2^{float(log(error, 2)):.1f}")
    for c in coefficients:
        print(f"    {rounded(c, single)!r},")


def main():
    half = log(mpf(2)) / 2 * mpf("1.0001")
    tail = lambda r: series(r or mpf(2) ** -90, exp, lambda r: 1 + r) / (r or mpf(2) ** -90) ** 2
    most = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2
    odd = lambda z: series(sqrt(z or mpf(2) ** -90), lambda s: 2 * atanh(s) / s, lambda s: 2) / (z or mpf(2) ** -90)
    for single, width, of_exp, of_log, bits in [(True, "f32", 4, 2, 24), (False, "f64", 9, 6, 53)]:
        show(f"exp {width}", tail, lambda r: r * r * exp(-r) + mpf(2) ** -40, -half, half, of_exp, single)
        show(f"log {width}", odd, lambda z: z / 2 + mpf(2) ** -40, mpf(0), most, of_log, single)
        # ln 2 in two parts, the first short enough that its product with an exponent is exact.
        spare = 12
        high = mp.floor(log(mpf(2)) * 2 ** (bits - spare)) / 2 ** (bits - spare)
        print(f"ln 2 {width}: {rounded(high, single)!r} + {rounded(log(mpf(2)) - high, single)!r}")
        print(f"1 / ln 2 {width}: {rounded(1 / log(mpf(2)), single)!r}")


main()
