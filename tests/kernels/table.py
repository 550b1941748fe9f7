"""The tables of the book's page on kernels and formats: read, compared with what was found, and written."""

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "book" / "src" / "kernels-and-formats.md"
Cells = dict[tuple[str, str], str]


def tables(text: str) -> tuple[list[str], Cells]:
    """The lines of the page, and the cells of its tables by row and column."""
    lines, cells, columns = text.splitlines(), {}, []
    for line in lines:
        words = [word.strip() for word in line.strip("|").split("|")] if line.startswith("|") else []
        if not words or set(line) <= set("|- "):
            columns = [] if not words else columns
        elif words[0] == "kernel":
            columns = [word.strip("`") for word in words[1:]]
        elif columns:
            cells |= {(words[0], column): word for column, word in zip(columns, words[1:])}
    return lines, cells


def expected() -> Cells:
    """What the page says."""
    return tables(PAGE.read_text())[1]


def differences(found: Cells, complete: bool) -> list[str]:
    """Where the page says something else."""
    known = expected()
    wrong = [f"{row}, {column}: found {cell}, the book's table has {known.get((row, column), 'nothing')}"
             for (row, column), cell in found.items() if known.get((row, column)) != cell]
    missing = [f"{row}, {column}: in the book's table only" for row, column in known if (row, column) not in found]
    return wrong + (missing if complete else [])


def update(found: Cells, complete: bool) -> None:
    """Writes the tables below their headings; what was not looked at stays."""
    lines, cells = tables(PAGE.read_text())
    cells = found if complete else cells | found
    written, at = [], 0
    while at < len(lines):
        written.append(lines[at])
        at += 1
        if lines[at - 1].startswith("| kernel"):
            columns = [word.strip(" `") for word in lines[at - 1].strip("|").split("|")][1:]
            rows = dict.fromkeys(row for row, column in cells if column in columns and belongs(row, columns, cells))
            while at < len(lines) and lines[at].startswith("|"):
                at += 1
            written.append("|" + "---|" * (len(columns) + 1))
            written += [" | ".join([f"| {row}", *(cells.get((row, column), "") for column in columns)]) + " |" for row in rows]
    PAGE.write_text("\n".join(written) + "\n")


def belongs(row: str, columns: list[str], cells: Cells) -> bool:
    """Does the row have exactly these columns?"""
    return {column for name, column in cells if name == row} <= set(columns)
