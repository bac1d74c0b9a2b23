"""The package can be used, and its scene runs."""

from pyrave.testing import PluginContract


class TestPackage(PluginContract):
    plugin = "acme-kept"


def test_the_scene_runs_without_a_problem(scene):
    for _ in range(3):
        scene.step(0.01)
    assert not scene.problems
