"""``pyrave view``, with a viewer that does not wait."""

import pytest

SCENE = "scenes/minimal.env.xml"


@pytest.fixture
def opened(monkeypatch):
    """Viewers that the command waited for, as they were then."""
    pytest.importorskip("viser", reason="the extra viewer is not installed")
    from pyrave_viser.viewer import ViserViewer

    seen = []

    def main(viewer):
        replay = viewer.session.panels.replay
        seen.append((viewer.address, replay.motion, list(viewer.env.bodies.names)))
        viewer.close()
        return 0

    monkeypatch.setattr(ViserViewer, "main", main)
    return seen


def test_it_shows_a_scene_at_an_address(pyrave, opened):
    done = pyrave("view", SCENE, "--no-browser")
    assert done.code == 0, done.err
    ((address, motion, names),) = opened
    assert address in done.out
    assert motion == ""
    assert "planar3r" in names


def test_it_plays_what_was_planned(pyrave, opened, tmp_path):
    for name in ("way.xml", "way.bin"):
        way = tmp_path / name
        done = pyrave("plan", SCENE, "--goal", "-0.3 0.4 -0.2", "--out", way)
        assert done.code == 0, done.err
        done = pyrave("view", SCENE, "--no-browser", "--play", way)
        assert done.code == 0, done.err
        assert opened.pop()[1].startswith("Trajectory 1")


@pytest.mark.parametrize(
    ("name", "text"),
    [("missing.xml", "missing.xml"), ("wrong.xml", "wrong.xml:1: error: <robot>")],
)
def test_files_that_are_no_trajectory(pyrave, opened, tmp_path, name, text):
    (tmp_path / "wrong.xml").write_text("<robot/>")
    done = pyrave("view", SCENE, "--no-browser", "--play", tmp_path / name)
    assert done.code == 1
    assert text in done.err
    assert not opened
