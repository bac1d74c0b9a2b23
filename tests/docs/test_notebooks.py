"""The notebooks run from top to bottom and show what their pages say."""

from __future__ import annotations

from pathlib import Path

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
def run(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONWARNINGS", "default")

    def execute(name):
        book = nbformat.read(_FOLDER / name, 4)
        nbformat.validate(book)
        place = {"metadata": {"path": str(tmp_path)}}
        nbclient.NotebookClient(
            book, timeout=300, kernel_name="python3", resources=place
        ).execute()
        return outputs_of(book.cells)

    return execute


def test_they_are_found_and_hold_no_outputs():
    assert [path.name for path in NOTEBOOKS] == [
        "scene-to-ik.ipynb",
        "urdf-to-scan.ipynb",
    ]
    nbformat = pytest.importorskip("nbformat")
    for path in NOTEBOOKS:
        assert not outputs_of(nbformat.read(path, 4).cells), path.name


def test_from_a_urdf_to_a_scan(run, tmp_path):
    shown = run("urdf-to-scan.ipynb")
    texts = [one.get("text/plain", "") for one in shown]
    assert any("121 rays" in text or "241 rays" in text for text in texts)
    assert any("'box'" in text and "'ball'" in text for text in texts)
    assert any("image/png" in one for one in shown)
    assert "data:image/png" in shown[-2]["text/html"]
    assert {"turret.png", "turret.ply"} <= {path.name for path in tmp_path.iterdir()}


def test_from_a_scene_to_inverse_kinematics(run, tmp_path):
    shown = run("scene-to-ik.ipynb")
    texts = [one.get("text/plain", "") for one in shown]
    assert any("solutions" in text for text in texts)
    assert any("no solution: " in text for text in texts)
    assert any("<PlanResult: motion" in text for text in texts)
    # the tool has arrived
    assert texts[-2] == "True"
    assert (tmp_path / "way.png").exists()
