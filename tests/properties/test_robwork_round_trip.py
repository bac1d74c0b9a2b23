"""Whatever a scene is, RobWork's files of it load, and are written again unchanged."""

import logging

import pyrave
from hypothesis import HealthCheck, given, settings
from pyrave.scene import same
from scene_strategies import any_scenes, built_scenes

thorough = settings(
    max_examples=20, deadline=None, suppress_health_check=list(HealthCheck)
)
SUFFIXES = (".wc.xml", ".dwc.xml")


def _twice(scene_path, folder, suffix):
    """Return what is read of a file, and of the file that is written of that."""
    once, again = folder / f"once{suffix}", folder / f"again{suffix}"
    first = pyrave.read(once)
    losses = pyrave.convert(once, again)
    return first, pyrave.read(again), losses


@thorough
@given(built_scenes())
def test_any_scene_is_written_and_read(tmp_path_factory, scene):
    folder = tmp_path_factory.mktemp("written")
    env = pyrave.Environment()
    env.add_scene(scene)
    for suffix in SUFFIXES:
        env.save(folder / f"once{suffix}")
        first, again, losses = _twice(scene, folder, suffix)
        assert losses == ()
        assert same(first, again)
