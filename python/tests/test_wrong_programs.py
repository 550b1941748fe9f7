"""Three hundred wrong programs: each is refused with a code and a place, as the command refuses it."""

import json
import os
import pathlib
import random
import re
import subprocess

import pytest

import atl

ROOT = pathlib.Path(__file__).resolve().parents[2]
ATL = pathlib.Path(os.environ.get("ATL", ROOT / "target/debug/atl"))
TOKEN = re.compile(r"\s+|//[^\n]*|\w+|[^\w\s]")
WORDS = ["N", "i", "x", "gen", "sum", "let", "f32", "i32", "0", "1", "9223372036854775808", "+", "-", "*", "/", "?", "[", "]", "{", "}", ";", "<", ":"]

#: How many are wanted, and how many of them the command is asked about, too.
MANY, COMPARED = 300, 25


def changed(rng, text):
    """The text with one token removed, doubled, or replaced by another."""
    tokens = TOKEN.findall(text)
    places = [k for k, token in enumerate(tokens) if not token.isspace() and not token.startswith("//")]
    at = rng.choice(places)
    kind = rng.randrange(4)
    tokens[at] = ["", tokens[at] * 2, rng.choice(WORDS), tokens[rng.choice(places)]][kind]
    return "".join(tokens)


def programs():
    rng = random.Random(35)
    names = ["blur", "softmax", "matmul", "conv1d", "graphs", "diffuse", "sparse"]
    texts = [re.split(r"\nschedule ", (ROOT / f"examples/{name}.atl").read_text())[0] for name in names]
    texts = [text for text in texts if "import" not in text]
    while True:
        yield changed(rng, rng.choice(texts))


@pytest.fixture(scope="module")
def refused():
    """Programs that are wrong, with what is said of them."""
    found = []
    for text in programs():
        try:
            atl.compile(text, re.findall(r"^fn (\w+)", text, re.M)[-1])
        except atl.Refused as refusal:
            found.append((text, refusal))
        except IndexError:
            continue
        if len(found) == MANY:
            return found


def test_each_has_a_code_a_place_and_advice(refused):
    for text, refusal in refused:
        assert re.fullmatch(r"E\d{4}", refusal.code), text
        assert refusal.message and f"error[{refusal.code}]" in str(refusal), text
        span = refusal.span
        if span is not None:
            line = text.split("\n")[span.line - 1] if span.line <= text.count("\n") + 1 else ""
            assert 1 <= span.column <= len(line) + 2 and 0 <= span.start <= span.end <= len(text.encode()), text
        assert refusal.to_dict()["code"] == refusal.code
    assert sum(refusal.span is not None for _, refusal in refused) > MANY * 0.9
    assert len({refusal.code for _, refusal in refused}) > 15
    assert sum(bool(refusal.help) for _, refusal in refused) > MANY * 0.5


def test_the_command_says_the_same(refused, tmp_path):
    if not ATL.exists():
        pytest.skip("the command is not built: refusals are not compared with it")
    same = 0
    for text, refusal in refused[:: MANY // COMPARED]:
        (tmp_path / "p.atl").write_text(text)
        done = subprocess.run([ATL, "check", "--json", "p.atl"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        said = [d for found in said for d in found.get("diagnostics", [found]) if d.get("severity") == "error"]
        if not said:
            # The command takes a function that the package was not asked for last.
            continue
        ours = refusal.to_dict()
        assert said[0]["code"] == ours["code"], text
        assert (said[0]["primary"] or {}).get("start") == (ours["primary"] or {}).get("start"), text
        same += 1
    assert same > COMPARED // 2
