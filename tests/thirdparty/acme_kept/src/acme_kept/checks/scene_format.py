"""Files in ``.keptscene`` are read and written."""

import pytest

import pyrave


def test_boxes_come_back(tmp_path):
    file = tmp_path / "two.keptscene"
    file.write_text("# keptscene\nleft 0 1 0 0.1 0.2 0.3\nright 0 -1 0 1 1 1\n")
    env = pyrave.load(file, strict=True)
    assert env.bodies.names == ("left", "right")
    assert env.bodies["left"].aabb[1] == pytest.approx([0.1, 0.2, 0.3])
    env.save(tmp_path / "again.keptscene")
    again = pyrave.load(tmp_path / "again.keptscene", strict=True)
    assert again.bodies["left"].aabb[0] == pytest.approx([0.0, 1.0, 0.0])


def test_a_mistake_is_reported_with_its_line(tmp_path):
    file = tmp_path / "bad.keptscene"
    file.write_text("# keptscene\nleft 0 1\n")
    with pytest.raises(pyrave.SceneError, match="expected a name and six numbers") as e:
        pyrave.load(file)
    assert e.value.line == 2
