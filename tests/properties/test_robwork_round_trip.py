"""Whatever a scene is, RobWork's files of it load, and are written again unchanged."""

from hypothesis import HealthCheck, given, settings
from scene_strategies import built_scenes

import pyrave
from pyrave.scene import same

thorough = settings(max_examples=20, suppress_health_check=list(HealthCheck))
SUFFIXES = (".wc.xml", ".dwc.xml")


@thorough
@given(built_scenes())
def test_any_scene_is_written_and_read(tmp_path_factory, scene):
    """The second file is RobWork's through and through: from then on nothing changes.

    The first may hold what only reading shows to be of no use, such as an end of a
    device that nothing moves.
    """
    folder = tmp_path_factory.mktemp("written")
    env = pyrave.Environment()
    env.add_scene(scene)
    for suffix in SUFFIXES:
        first, second, third = (folder / f"{n}{suffix}" for n in "123")
        env.save(first)
        names = [body.name for body in env.bodies if body.links]
        assert [body.name for body in pyrave.load(first).bodies] == names
        pyrave.convert(first, second)
        assert pyrave.convert(second, third) == ()
        assert same(pyrave.read(second), pyrave.read(third))
