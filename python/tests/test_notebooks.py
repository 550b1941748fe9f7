"""The notebooks, executed from the first cell to the last and exported as pages."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

nbformat = pytest.importorskip("nbformat", reason="jupyter is not installed: the notebooks are not executed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: the notebooks are not executed")
nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed: the notebooks are not exported")
pytest.importorskip("ipykernel", reason="ipykernel is not installed: the notebooks are not executed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed: the notebooks are not executed")

NOTEBOOKS = sorted((pathlib.Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))
BROWSER = os.environ.get("CHROMIUM") or next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)

#: What each page looked like when somebody looked at it, in grey and small.
LOOKED_AT = pathlib.Path(__file__).resolve().parent / "pictures"

#: How many pictures of pixels, and how many of vectors, each shows.
PICTURES = {"graphs": (1, 0), "images": (1, 0), "layouts": (0, 4), "pde": (1, 0), "sparse": (2, 0)}


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def executed(request):
    notebook = nbformat.read(request.param, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "notebooks are kept without outputs"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(request.param.parent)}}).execute()
    return request.param.stem, notebook


def test_notebooks_show_what_they_say(executed):
    name, notebook = executed
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not any(output.output_type == "error" or output.get("name") == "stderr" for output in outputs), outputs
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    assert (kinds.count("image/png"), kinds.count("image/svg+xml")) == PICTURES[name]
    said = "".join(output.get("text", "") for output in outputs)
    assert {"images": "E0401", "layouts": "does not fit the mode", "pde": "largest error"}.get(name, "") in said
    assert name != "images" or "text/html" in kinds, "the derivation is a page"


def test_exported_pages_need_no_net(executed, tmp_path):
    name, notebook = executed
    page, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(notebook)
    assert not re.findall(r'(?:src|href)="https?://[^"]*\.(?:js|css|png|svg)"', page)
    if name == "images":
        frame = page[page.index("<iframe") :]
        assert "srcdoc=" in frame and "sandbox" in frame and "tile y, x by 64, 64" in frame
    if BROWSER is None:
        pytest.skip("there is no Chromium: no screenshot is looked at")
    seen, errors = screenshot(page, tmp_path)
    assert not errors, "the console has no errors"
    if os.environ.get("ATL_KEEP_PICTURES"):
        seen.save(LOOKED_AT / f"{name}.png")
    assert name != "images" or is_drawn(seen)
    differences = {path.stem: difference(seen, path) for path in LOOKED_AT.glob("*.png")}
    # Fonts differ between machines, and what they move is less than another page is.
    assert differences[name] < 12 and min(differences, key=differences.get) == name, differences


def is_drawn(seen):
    """Is the derivation drawn in its frame?"""
    return seen.crop((2, 128, 98, 182)).getextrema()[0] < 200


def screenshot(page, folder):
    """The page as Chromium shows it without a net, in grey and small; and the errors of its console."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed: no screenshot is looked at")
    (folder / "page.html").write_text(page)
    shot = folder / "page.png"
    switches = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--proxy-server=127.0.0.1:9", "--enable-logging=stderr"]
    # Frames are drawn before the picture is taken: time stands still while the page works, and a frame in
    # a process of its own would be forgotten.
    switches += ["--virtual-time-budget=10000", "--disable-site-isolation-trials", "--disable-features=IsolateSandboxedIframes"]
    done = subprocess.run(
        [BROWSER, *switches, f"--user-data-dir={folder}/profile", f"--screenshot={shot}", "--window-size=1000,2400", f"file://{folder}/page.html"],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return image.open(shot).convert("L").resize((100, 240)), [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def difference(seen, path):
    """How much two pictures differ, in levels of grey of 256, on average."""
    image = pytest.importorskip("PIL.Image")
    chops, stat = pytest.importorskip("PIL.ImageChops"), pytest.importorskip("PIL.ImageStat")
    return stat.Stat(chops.difference(seen, image.open(path).convert("L"))).mean[0]
