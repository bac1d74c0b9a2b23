"""The notebooks run from top to bottom and show what their pages say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

_FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(_FOLDER.glob("*.ipynb"))

pytestmark = pytest.mark.slow


def outputs_of(cells):
    """The last output of each code cell, MIME type -> data."""
    return [
        cell.outputs[-1].get("data", {})
        for cell in cells
        if cell.cell_type == "code" and cell.outputs
    ]


@pytest.fixture
def execute(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONWARNINGS", "default")

    def execute(book):
        nbformat.validate(book)
        place = {"metadata": {"path": str(tmp_path)}}
        nbclient.NotebookClient(
            book, timeout=300, kernel_name="python3", resources=place
        ).execute()
        return outputs_of(book.cells)

    return execute


@pytest.fixture
def run(execute):
    nbformat = pytest.importorskip("nbformat")
    return lambda name: execute(nbformat.read(_FOLDER / name, 4))


def test_they_are_found_and_hold_no_outputs():
    assert [path.name for path in NOTEBOOKS] == [
        "planning.ipynb",
        "scene-to-ik.ipynb",
        "urdf-to-scan.ipynb",
    ]
    nbformat = pytest.importorskip("nbformat")
    for path in NOTEBOOKS:
        assert not outputs_of(nbformat.read(path, 4).cells), path.name


def test_from_a_urdf_to_a_scan(run, tmp_path):
    shown = run("urdf-to-scan.ipynb")
    texts = [one.get("text/plain", "") for one in shown]
    assert any("241 rays" in text for text in texts)
    assert any("'box'" in text and "'ball'" in text for text in texts)
    # the plot, two pictures, and what the camera saw, which has a card besides
    assert [t for t in texts if "Picture" in t] == ["<Picture: 640 x 420 pixels>"] * 2
    assert sum("image/png" in one for one in shown) == 5
    points = next(text for text in texts if text.startswith("(("))
    assert int(re.match(r"\(\((\d+), 3\), '4.0 s'\)", points)[1]) > 1000
    seen = next(text for text in texts if "of the ball" in text)
    count, nearest = re.match(r"'(\d+) pixels of the ball, (.*) m away", seen).groups()
    assert int(count) > 5000
    # depth of the ball's centre along the view of the lens, turned by -0.2 rad,
    # and its radius before that
    view = np.array([np.cos(0.2), -np.sin(0.2)])
    depth = view @ (np.array([1.0, -0.7]) - 0.15 * view)
    assert float(nearest) == pytest.approx(depth - 0.25, abs=0.005)
    assert texts[-1] == "'depth'"
    made = {path.name for path in tmp_path.iterdir()}
    assert {"turret.png", "turret.ply", "depth.png"} <= made


def test_from_a_scene_to_inverse_kinematics(run):
    shown = run("scene-to-ik.ipynb")
    texts = [one.get("text/plain", "") for one in shown]
    assert any("solutions, there may be more" in text for text in texts)
    # each solution reaches the goal
    assert "True" in texts
    free = next(text for text in texts if "hit nothing" in text)
    count, all_of_them = re.match(r"'(\d+) of (\d+)", free).groups()
    assert 1 <= int(count) <= int(all_of_them)
    assert any("no solution: " in text for text in texts)
    assert any("<IkPath: 51 goals" in text for text in texts)
    # above the mug, by what the line left
    assert re.sub(r"\s", "", texts[-1]).replace("-0.", "0.") == "array([0.,0.,0.15])"


def test_a_plan(run):
    shown = run("planning.ipynb")
    texts = [one.get("text/plain", "") for one in shown]
    plans = [text for text in texts if "<PlanResult" in text]
    found = [": motion" in text for text in plans]
    assert found == [True, True, False, False, True]
    assert "collides" in plans[2]
    assert "'joint1' at 9 is 6.03 above its limit" in plans[3]
    assert any("<Execution: arrived" in text for text in texts)
    # verified once more
    assert "()" in texts
    leaning = next(text for text in texts if "leans by" in text)
    assert 0 < float(leaning.split()[2]) <= 0.15
    assert sum("svg+xml" in one.get("text/html", "") for one in shown) == 3


def test_a_viewer_in_a_notebook(execute, tmp_path):
    """`env.show()` is a frame, with its address in text; no browser is opened."""
    pytest.importorskip("viser")
    nbformat = pytest.importorskip("nbformat")
    (tmp_path / "browser").write_text("#!/bin/sh\ntouch opened\n")
    (tmp_path / "browser").chmod(0o755)
    code = nbformat.v4.new_code_cell
    book = nbformat.v4.new_notebook(
        cells=[
            code(
                f"import os\nos.environ['BROWSER'] = '{tmp_path}/browser'\n"
                "os.environ['DISPLAY'] = ':1'\nimport pyrave\n"
                "env = pyrave.load('scenes/minimal.env.xml')\n"
                "env.show(port=0, height=333)"
            ),
            code(
                "from urllib.request import urlopen\n"
                "urlopen(env.viewers[0].address).status"
            ),
            code("env.viewers[0].close()\nenv.viewers"),
        ]
    )
    frame, status, closed = execute(book)
    address = re.fullmatch(
        r"<viewer viser at (http://localhost:\d+)>", frame["text/plain"]
    )[1]
    assert f'src="{address}" width="100%" height="333"' in frame["text/html"]
    assert status["text/plain"] == "200"
    assert closed["text/plain"] == "()"
    assert not (tmp_path / "opened").exists()
