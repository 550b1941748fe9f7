"""Random tables and random queries over them.

Every kind of column, key, condition and sum is drawn, and each so that a mistake shows: dates on both sides of 1970, texts that no column has,
conditions that never hold, keys of several tables, tables without rows, columns with empty fields that are not named but as the name of a
result.
"""

import random
from pathlib import Path

COLUMNS = {
    "a": "BIGINT",
    "b": "BIGINT",
    "c": "DECIMAL(12, 2)",
    "d": "DATE",
    "e": "DATE",
    "s": "VARCHAR",
    "t": "VARCHAR",
    "f": "DOUBLE",
    "g": "BOOLEAN",
    "u": "BIGINT",
}
# What stands for the empty fields of `u`, where that is said.
EMPTY = 7
COMPARED = ["=", "<>", "<", "<=", ">", ">="]


def table(rng: random.Random, name: str, folder: Path) -> str:
    """A small random table in a file, and how DuckDB reads it."""
    rows = rng.choice([0, 0, 1, 1, 2, 3, 5, 8, 13])
    keys = rng.choice([1, 2, 4])
    lines = [",".join(COLUMNS)]

    def day() -> str:
        return f"{rng.choice([1890, 1969, 1970, 1971, 1996, 2000, 2024])}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"

    for _ in range(rows):
        cents = rng.randint(-300, 300)
        fields = [
            rng.randint(-keys, keys),
            rng.randint(0, keys) * rng.choice([1, 1, 1000000007]),
            f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}",
            day(),
            day(),
            rng.choice(["x", "xy", "yx", "z"]),
            rng.choice(["y", "xy", "é"]),
            f"{rng.choice([0.0, -1.5, 0.25, 3.0, 1e-3])}e0".replace("0.001e0", "1e-3"),
            rng.choice(["true", "false"]),
            rng.choice(["", "", "1", "-2"]),
        ]
        lines.append(",".join(str(field) for field in fields))
    path = folder / f"{name}.csv"
    path.write_text("\n".join(lines) + "\n")
    types = ", ".join(f"'{column}': '{ty}'" for column, ty in COLUMNS.items())
    read = f"read_csv('{path}', header = true, columns = {{{types}}})"
    return f"create table {name} as select * from {read}"


def condition(rng: random.Random, names: list[str]) -> str:
    """A random condition over some tables."""
    r, q = rng.choice(names), rng.choice(names)
    compared = rng.choice(COMPARED)
    return rng.choice([
        f"{r}.a {compared} {rng.randint(-3, 3)}",
        f"{r}.c {compared} {rng.randint(-3, 3)}.{rng.randint(0, 9)}",
        f"{r}.a * {q}.c - 1 {compared} {q}.b",
        f"{r}.d {compared} date '1995-0{rng.randint(1, 9)}-15' + interval '{rng.randint(1, 30)}' month",
        f"{r}.d between '1969-12-31' and '1997-06-30'",
        f"{r}.d - {q}.e {compared} {rng.choice([0, 365, -9000])}",
        f"{r}.d - date '1970-01-01' {compared} 0",
        f"{r}.s {compared} '{rng.choice(['x', 'xy', 'a', 'zz'])}'",
        f"{r}.s {compared} {q}.t",
        f"{r}.s like '{rng.choice(['x%', '%y', '_', '%x%', '%', 'xy', '_y%'])}'",
        f"{r}.t not like '%y'",
        f"{r}.a in (1, {rng.randint(-2, 2)})",
        f"{r}.f {compared} {rng.choice(['0.25', '-1.5', '2'])}",
        f"{r}.g",
        f"not {r}.g",
        f"{r}.g = {rng.choice(['true', 'false'])}",
        f"not ({r}.a = {q}.a or {r}.d < {q}.d)",
        f"({r}.a = 1 and {q}.b = 0 or {r}.s = 'x')",
        f"({r}.a = {q}.b and {r}.s = 'x' or {r}.a = {q}.b and {q}.t = 'y')",
        f"({r}.s = 'nowhere' and {r}.a = {q}.a or {q}.b {compared} 1)",
        f"(year({r}.d) = year({q}.e) or {r}.s = 'nowhere')",
        f"extract(year from {r}.d) {compared} {rng.choice([1970, 1996])}",
        f"case when {r}.a < 0 then {r}.c else {q}.b end {compared} 1",
        f"case when {r}.s = 'nowhere' then 1 else {r}.a end {compared} 1",
        rng.choice(["1 = 1", "1 = 2", "1 not between 1 and 5", "not ('a' < 'b')", "(2 < 1 or 1 < 2)", "true", f"({r}.a = 1 and 1 = 2)"]),
    ])


def join(rng: random.Random, names: list[str]) -> list[str]:
    """Equations between tables: mostly one or two for each; in a circle; or in all alternatives of an `or`."""
    found = []
    for at, name in enumerate(names[1:], 1):
        other = rng.choice(names[:at])
        pairs = [
            (f"{name}.{column}", f"{rng.choice([other, other, rng.choice(names[:at])])}.{rng.choice(['t', 's']) if column == 's' else column}")
            for column in rng.sample(["a", "b", "c", "d", "s"], rng.choice([0, 1, 1, 1, 2, 2, 3]))
        ]
        equations = [f"{x} = {y}" if rng.random() < 0.5 else f"{y} = {x}" for x, y in pairs]
        if equations and rng.random() < 0.15:
            first, *rest = equations
            more = [condition(rng, names[: at + 1]) for _ in range(2)]
            equations = [f"({' or '.join(f'{first} and {one}' for one in more)})", *rest]
        found += equations
    if len(names) == 3 and rng.random() < 0.2:
        x, y, z = names
        found = [f"{x}.b = {y}.a", f"{y}.b = {z}.a", f"{z}.b = {x}.a"]
    return found


def key(rng: random.Random, names: list[str]) -> str:
    """A value by which rows are grouped."""
    r, q = rng.choice(names), rng.choice(names)
    return rng.choice([
        f"{r}.a", f"{r}.b", f"{r}.s", f"{q}.t", f"{r}.c", f"{r}.d", f"{q}.f", f"{r}.g",
        f"extract(year from {r}.d)", f"month({q}.d)", f"day({r}.e)",
        f"{r}.a * 2 + {q}.b", f"{r}.d - {q}.e", f"case when {r}.a < 1 then {q}.s else {r}.t end",
    ])


def sums(rng: random.Random, names: list[str], filled: list[str]) -> list[str]:
    """Some of what is added up."""
    r, q = rng.choice(names), rng.choice(names)
    values = [f"{r}.a", f"{r}.c", f"{r}.a * {q}.c", f"{r}.c * (1 - {q}.c) + {r}.b", f"case when {r}.s = 'x' then {q}.c else 2 end", f"{r}.f", f"{r}.d - {q}.e"]
    values += [f"{name}.u" for name in filled]
    found = [f"{name}({value})" for value in values for name in ("sum", "min", "max")]
    found += ["count(*)", f"count({r}.a)", f"min({q}.d)", f"max({r}.d)", f"min({r}.s)", f"max({q}.t)", f"avg({q}.a)", f"avg({q}.f)"]
    found += [f"max({r}.d) - min({q}.e)", f"min({r}.d) - date '1970-01-01'", f"max({r}.a) - min({r}.a)", f"sum({r}.a) - count(*)", f"2 * sum({q}.c) / count(*)", f"-max({r}.c)"]
    return rng.sample(found, rng.randint(1, 3))


def having(rng: random.Random, held: str) -> str:
    """A condition of groups, of this value of them."""
    if " - " in held and "d" in held:
        constant = rng.choice(["0", "365", "-9000"])
    elif held.startswith("case") or held.endswith((".s", ".t", ".s)", ".t)")):
        constant = "'xy'"
    elif held.endswith((".d", ".e")) or held.endswith((".d)", ".e)")) and held[:3] in ("min", "max"):
        constant = "date '1970-06-15'"
    else:
        constant = rng.choice(["1", "2.5", "-3"])
    joined = rng.choice(["", " and count(*) < 9", " or count(*) = 2", " and 1 = 2 or count(*) > 1"])
    return f" having {rng.choice(['', 'not '])}({held} {rng.choice(COMPARED)} {constant}){joined}"


def query(rng: random.Random, *, filled: bool) -> tuple[str, bool]:
    """A random query over R, S and T, and whether its rows have an order."""
    names = rng.sample(["R", "S", "T"], rng.randint(1, 3))
    conditions = join(rng, names) + [condition(rng, names) for _ in range(rng.choice([0, 0, 1, 2]))]
    rng.shuffle(conditions)
    where = f" where {' and '.join(conditions)}" if conditions else ""
    keys = list(dict.fromkeys(key(rng, names) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))))
    # A column that has empty fields may be what a column of the result is called.
    named = [f"{one} as {rng.choice(['u', 'k', one[:1] + 'x'])}{at}" if rng.random() < 0.3 else one for at, one in enumerate(keys)]
    if named and not filled and rng.random() < 0.3:
        named[0] = f"{keys[0]} as u"
    if keys and rng.random() < 0.3:
        distinct = rng.choice(["", "", "distinct "])
        places = ", ".join(f"{at}{rng.choice(['', ' desc'])}" for at in range(1, len(keys) + 1))
        order = f" order by {places}" if rng.random() < 0.5 else ""
        limit = rng.choice(["", " limit 3", " limit 2 offset 1"]) if order else ""
        return f"select {distinct}{', '.join(named)} from {', '.join(names)}{where}{order}{limit}", bool(order)
    added = sums(rng, names, names if filled else [])
    group = f" group by {', '.join(keys)}" if keys else ""
    # What a key settles.
    of_keys = [f"year({one})" for one in keys if one.endswith((".d", ".e")) and " " not in one] + [f"{one} * 3" for one in keys if one.endswith((".a", ".b")) and " " not in one]
    outputs = named + [one for one in of_keys if rng.random() < 0.4] + added
    if rng.random() < 0.4:
        # Sums of floating-point numbers are rounded in any order, and truth values are compared with nothing here.
        held = rng.choice([one for one in [*added, *keys, "count(*)"] if ".f" not in one and not one.endswith(".g")] or ["count(*)"])
        group += having(rng, held)
    return f"select {', '.join(outputs)} from {', '.join(names)}{where}{group}", False
