"""One run of the command whose result is a file, compared exactly with what it should hold."""

import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
# One run takes a fraction of a second; whatever takes so long will not end.
TIME_LIMIT = 900
# Files of more bytes stay where they are while they are looked at.
MAPPED = 1 << 26


def compare(atl: str, words: list[str], out: Path, expected: np.ndarray) -> str | None:
    """Run the command; what is wrong, if anything."""
    out.unlink(missing_ok=True)
    done = subprocess.run([atl, *words], cwd=ROOT, capture_output=True, text=True, timeout=TIME_LIMIT)
    if done.returncode != 0:
        return f"exit code {done.returncode}\n{done.stderr.strip()}"
    found = np.load(out, mmap_mode="r" if out.stat().st_size > MAPPED else None)
    if found.shape != expected.shape:
        return f"the shape is {found.shape}, not {expected.shape}"
    return None if np.array_equal(found, expected) else f"found\n{found}\nexpected\n{expected}"
