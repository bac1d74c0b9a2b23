"""Files in ``.keptmesh`` are read."""

import pytest

import pyrave


def test_a_triangle_is_read(tmp_path):
    file = tmp_path / "one.keptmesh"
    file.write_text("# keptmesh\n0 0 0 1 0 0 0 1 0\n")
    geometry = pyrave.load(file, strict=True).bodies["one"].links[0].geometries[0]
    assert geometry.mesh.faces.tolist() == [[0, 1, 2]]


def test_a_mistake_is_reported_with_its_line(tmp_path):
    file = tmp_path / "bad.keptmesh"
    file.write_text("# keptmesh\n0 0 0\n")
    with pytest.raises(pyrave.SceneError, match="3 numbers, expected 9"):
        pyrave.load(file)
