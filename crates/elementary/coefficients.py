"""Writes src/coefficients.rs: the polynomials and the constants of this crate.

    python3 coefficients.py > src/coefficients.rs       all of them (two minutes; one, where gmpy2 is installed)
    python3 coefficients.py --check                     compares a few polynomials and all constants with the file

needs mpmath. Each polynomial approximates a tail, which is what is left of a function when its leading terms are taken
exactly: `sin r = r + r^3 S(r^2)`. The exchange algorithm of Remez makes the largest error least, where an error is weighted
by what the tail is multiplied by, over the result; so errors are relative to the result. The first coefficients matter
most: each is rounded, and the others are fitted again to what is then left.
"""

import pathlib
import struct
import sys

from mpmath import (
    asin, atan, atanh, cbrt, cos, diff, erf, erfc, exp, floor, linspace, log, lu_solve, matrix, mp, mpf, pi, sign, sin, sinh,
    sqrt, tanh,
)

mp.prec = 160


def single(x):
    """The nearest single number."""
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def double(x):
    """The nearest double number."""
    return float(x)


def value(coefficients, x):
    """The polynomial at `x`."""
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def nodes(lo, hi, count):
    """Numbers from `lo` to `hi`, closer together at the ends."""
    return [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * k / (count - 1)) for k in range(count)]


def alternating(points):
    """Of points with their errors, one for each run of one sign: that of the largest error."""
    chosen = []
    for x, e in points:
        if chosen and sign(chosen[-1][1]) == sign(e):
            if abs(e) > abs(chosen[-1][1]):
                chosen[-1] = (x, e)
        else:
            chosen.append((x, e))
    return chosen


def remez(f, weight, lo, hi, count, given=(), is_patient=False):
    """The coefficients after the given ones, `count` in all, with the least largest weighted error; and that error.

    It stops where no point is 2 % above the others; a patient search looks at more points and goes on.
    """
    first, free = len(given), count - len(given)
    grid = linspace(lo, hi, 1500) if is_patient else nodes(lo, hi, 401)
    grid = [(x, weight(x), f(x) - value(given, x)) for x in grid]
    inner = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (2 * k + 1) / (2 * free + 2)) for k in range(free + 1)]
    starts = nodes(lo, hi, free + 1) if is_patient else inner
    best, found = None, None
    for _ in range(12 if is_patient else 9):
        rows = [[x ** (first + j) for j in range(free)] + [(-1) ** k / weight(x)] for k, x in enumerate(starts)]
        try:
            *solution, level = lu_solve(matrix(rows), matrix([f(x) - value(given, x) for x in starts]))
        except ZeroDivisionError:
            break
        if any(c != c for c in solution):
            break
        errors = [(x, w * (g - value(solution, x) * x**first)) for x, w, g in grid]
        most = max(abs(e) for _, e in errors)
        if is_patient or best is None or most < best:
            best, found = most, list(solution)
        points = alternating(errors)
        while len(points) > free + 1:
            points.pop(0 if abs(points[0][1]) < abs(points[-1][1]) else -1)
        if len(points) <= free or not is_patient and most < abs(level) * mpf("1.02"):
            break
        starts = [x for x, _ in points]
    return found, best


def fitted(f, weight, lo, hi, count, rounded, fixed=2):
    """The rounded coefficients; as many as `fixed` are rounded one by one, and where none is, the search is patient."""
    lo, hi, given = mpf(lo), mpf(hi), []
    if fixed == 0:
        with mp.workprec(200):
            return [rounded(c) for c in remez(f, weight, lo, hi, count, is_patient=True)[0]]
    rest, least = remez(f, weight, lo, hi, count)
    for _ in range(min(fixed, count - 1)):
        attempt = given + [mpf(rounded(rest[0]))]
        others, error = remez(f, weight, lo, hi, count, tuple(attempt))
        if others is None or error > 16 * least:
            break
        given, rest = attempt, others
    return [rounded(c) for c in given + rest]


def near_zero(f):
    """`f`, which cancels near zero, by more digits; at zero, beside it."""

    def g(x):
        x = mpf(x)
        tiny = mpf(2) ** -70
        if abs(x) < tiny:
            x = -tiny if x < 0 else tiny
        with mp.workprec(700):
            return +f(x)

    return g


def of_root(f, power):
    """`f(s) / s^power` as a function of `z = s^2`, for what is left of an odd function."""
    return near_zero(lambda z: f(sqrt(z)) / sqrt(z) ** power)


def middle(k):
    """`erfc x exp(x^2) (1 + 2 x)` as a function of `t = (x - k) / (x + k)`."""

    def g(t):
        x = k * (1 + t) / (1 - t)
        return exp(x * x) * erfc(x) * (1 + 2 * x)

    return g


def slope_to(f, at):
    """`(f(t) - f(at)) / (t - at)`."""

    def g(t):
        t = mpf(t)
        if abs(t - at) < mpf(2) ** -60:
            t = at + mpf(2) ** -60
        with mp.workprec(600):
            return (f(t) - f(at)) / (t - at)

    return g


def polynomials():
    """Name, tail, weight, ends, how many coefficients of doubles and of singles; how many are rounded one by one."""
    ln_2, ln_10, wider = log(mpf(2)), log(mpf(10)), mpf("1.003")
    with mp.workprec(200):
        bound = log(mpf(2)) / 2 * mpf("1.0001")
    small = lambda n: mpf(2) ** -n
    half, quarter_turn, fourth = ln_2 / 2 * wider, (pi / 4 * mpf("1.01")) ** 2, mpf(4)
    atanh_end = mpf(".02945")
    of_log = of_root(lambda s: 2 * atanh(s) - 2 * s, 3)
    of_exp2 = near_zero(lambda r: (mpf(2) ** r - 1 - r * ln_2) / r**2)
    of_erf = near_zero(lambda z: (erf(sqrt(z)) / sqrt(z) - 2 / sqrt(pi)) / z)
    place = lambda x: (mpf(x) - fourth) / (mpf(x) + fourth)
    tail = near_zero(lambda r: (exp(r) - 1 - r) / r**2)
    return [
        ("EXP", tail, lambda r: r * r * exp(-r) + small(40), -bound, bound, 10, 5, 0),
        ("EXP2", of_exp2, lambda r: r * r * mpf(2) ** -r + small(30), -wider / 2, wider / 2, 10, 5, 2),
        ("EXP10", near_zero(lambda r: (mpf(10) ** r - 1 - r * ln_10) / r**2), lambda r: r * r * mpf(10) ** -r + small(30),
         -mpf(".15052") * wider, mpf(".15052") * wider, 10, 5, 2),
        ("EXPM1", tail, lambda r: abs(r) + small(30), -half, half, 11, 6, 2),
        ("LOG", of_log, lambda z: z / 2 + small(40), 0, atanh_end, 7, 3, 2),
        ("SIN", of_root(lambda s: sin(s) - s, 3), lambda z: z + small(40), 0, quarter_turn, 6, 3, 2),
        ("COS", near_zero(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2), lambda z: z * z * mpf("1.4") + small(40), 0,
         quarter_turn, 6, 3, 2),
        ("ATAN", of_root(lambda s: atan(s) - s, 3), lambda z: z + small(40), 0, mpf(".1717"), 12, 5, 2),
        ("ASIN", of_root(lambda s: asin(s) - s, 3), lambda z: z + small(40), 0, mpf(".2501"), 13, 5, 2),
        ("SINH", of_root(lambda s: sinh(s) - s, 3), lambda z: z + small(40), 0, mpf("1.001"), 8, 4, 2),
        ("TANH", of_root(lambda s: tanh(s) - s, 3), lambda z: z + small(40), 0, mpf(".3030"), 11, 5, 2),
        ("CBRT", cbrt, lambda x: 1 / cbrt(x), 1, 2, 6, 4, 2),
        ("ERF", of_erf, lambda z: z + small(30), 0, mpf("1.001"), 12, 0, 2),
        ("ERFC", slope_to(middle(fourth), mpf(0)), lambda t: abs(t) + small(20), place(".49"), place(28), 23, 0, 2),
        ("ERFC_SLOPE", lambda t: diff(middle(fourth), t), lambda t: mpf(1), place(".49"), place(28), 5, 0, 2),
        ("LOG_CLOSER", of_root(lambda s: 2 * atanh(s) - 2 * s - 2 * s**3 / 3, 5), lambda z: z * z / 2 + small(40), 0,
         atanh_end, 9, 0, 2),
        ("EXP2_FOR_SINGLE", of_exp2, lambda r: r * r * mpf(2) ** -r + small(30), -wider / 2, wider / 2, 6, 0, 2),
        ("LOG_FOR_SINGLE", of_log, lambda z: z / 2 + small(40), 0, atanh_end, 5, 0, 2),
        ("ERF_FOR_SINGLE", lambda z: of_erf(z) * z + 2 / sqrt(pi) - 1, lambda z: mpf(1), 0, mpf("1.001"), 8, 0, 2),
        ("ERFC_FOR_SINGLE", middle(fourth), lambda t: mpf(1), place(".49"), place("10.2"), 12, 0, 2),
    ]


def in_parts(x, count, rounded):
    """`x` as the sum of floats, each the nearest to what is left."""
    parts = []
    for _ in range(count):
        parts.append(rounded(x))
        x -= mpf(parts[-1])
    return parts


def short(x, bits, rounded):
    """`x` in two parts, the first with twelve bits to spare: its product with an exponent is exact."""
    unit = mpf(2) ** (bits - 12 - int(floor(log(x, 2))) - 1)
    head = floor(x * unit) / unit
    return [rounded(head), rounded(x - head)]


def constants():
    """Name and the parts, of doubles and of singles."""
    with mp.workprec(1400):
        ln_2, ln_10 = log(mpf(2)), log(mpf(10))
        whole = [
            ("CBRT_2", cbrt(mpf(2)), 1), ("CBRT_4", cbrt(mpf(4)), 1), ("ERFC_MIDDLE", exp(mpf(16)) * erfc(mpf(4)) * 9, 2),
            ("LN_10", ln_10, 2), ("LN_2", ln_2, 2), ("LOG2_10", ln_10 / ln_2, 1), ("PER_LN_10", 1 / ln_10, 2),
            ("PER_LN_2", 1 / ln_2, 2), ("PI", +pi, 2), ("PI_HALF", pi / 2, 3), ("PI_QUARTER", pi / 4, 2),
            ("TWO_OVER_PI", 2 / pi, 1), ("TWO_OVER_SQRT_PI", 2 / sqrt(pi), 2), ("TWO_THIRDS", mpf(2) / 3, 2),
        ]
        rows = [(name, in_parts(x, n, double), in_parts(x, n, single)) for name, x, n in whole]
        for name, x in [("LN_2_SHORT", ln_2), ("LOG10_2_SHORT", ln_2 / ln_10)]:
            rows.append((name, short(x, 53, double), short(x, 24, single)))
        return sorted(rows)


def digits_of_two_over_pi():
    """128 zeros, then the binary digits, in words."""
    words = [0, 0]
    with mp.workprec(1400):
        x = 2 / pi
        for _ in range(20):
            x *= mpf(2) ** 64
            words.append(int(floor(x)))
            x -= words[-1]
    return words


HEAD = """\
//! The polynomials and the constants. `coefficients.py` writes this file.
//!
//! Coefficients come lowest first. A constant is the sum of its parts, each the nearest float to what is left; that whose name
//! ends in `SHORT` has a short first part.
#![allow(clippy::approx_constant, clippy::excessive_precision, clippy::unreadable_literal)]

/// What doubles need, and what singles need.
pub(crate) struct Both {
    pub(crate) double: &'static [f64],
    pub(crate) single: &'static [f64],
}
"""


def literal(x):
    """The float as Rust reads it."""
    return repr(x)


def items(floats):
    """A list over several lines, as rustfmt has it."""
    line = "[" + ", ".join(map(literal, floats)) + "]"
    if len(line) <= 60:
        return line
    return "[\n" + "".join(f"        {literal(x)},\n" for x in floats) + "    ]"


def both(name, of_double, of_single):
    return f"\npub(crate) const {name}: Both = Both {{\n    double: &{items(of_double)},\n    single: &{items(of_single)},\n}};\n"


def alone(name, floats):
    lines = "".join(f"    {literal(x)},\n" for x in floats)
    return f"\npub(crate) const {name}: &[f64] = &[\n{lines}];\n"


def text_of(row):
    name, f, weight, lo, hi, doubles, singles, fixed = row
    of_double = fitted(f, weight, lo, hi, doubles, double, fixed)
    if singles:
        return both(name, of_double, fitted(f, weight, lo, hi, singles, single, fixed))
    return alone(name, of_double)


def digits_text():
    lines = "".join(f"    0x{w >> 48:04x}_{w >> 32 & 0xffff:04x}_{w >> 16 & 0xffff:04x}_{w & 0xffff:04x},\n" for w in digits_of_two_over_pi())
    return f"\n/// 128 zeros, then the binary digits of `2/pi`.\npub const TWO_OVER_PI_BITS: [u64; 22] = [\n{lines}];\n"


def check():
    """Does the file hold what is found now? The quick polynomials only."""
    here = pathlib.Path(__file__).parent / "src/coefficients.rs"
    squeeze = lambda text: "".join(text.split()).replace(",]", "]").replace(",}", "}")
    file = squeeze(here.read_text())
    quick = ["EXP", "LOG", "SIN", "CBRT", "LOG_FOR_SINGLE"]
    texts = [both(*row) for row in constants()] + [digits_text()]
    texts += [text_of(row) for row in polynomials() if row[0] in quick]
    others = [text for text in texts if squeeze(text) not in file]
    for text in others:
        print(f"src/coefficients.rs has others than these:\n{text}", file=sys.stderr)
    return len(others)


def main():
    if "--check" in sys.argv:
        sys.exit(check())
    print(HEAD, end="")
    for row in constants():
        print(both(*row), end="")
    print(digits_text(), end="")
    for row in polynomials():
        print(text_of(row), end="", flush=True)


main()
