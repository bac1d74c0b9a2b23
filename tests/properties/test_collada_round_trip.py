"""Whatever a scene description holds can be written as COLLADA and read back."""

import io

from hypothesis import HealthCheck, given, settings
from scene_strategies import any_scenes, built_scenes, single_objects

import pyrave
from pyrave.formats import ReadContext, Resolver, WriteContext, read_scene
from pyrave.scene import same
from pyrave_collada.hooks import ColladaFormat
from pyrave_collada.writing.document import collada_bytes

thorough = settings(max_examples=100, suppress_health_check=list(HealthCheck))


def read(data):
    resolver = Resolver(data_roots=(), use_environment=False)
    context = ReadContext(resolver=resolver)
    return read_scene(io.BytesIO(data), [ColladaFormat()], context)


# what is told of scenes that are as odd as these
ODD = {"missing-mesh", "swapped-limits", "likely-unit"}


@thorough
@given(any_scenes() | single_objects())
def test_any_scene_reads_back_equal(scene):
    data, _ = collada_bytes(scene, WriteContext())
    again = read(data)
    assert same(again, scene)
    assert {problem.code for problem in again.problems} <= ODD
    assert collada_bytes(scene, WriteContext())[0] == data


@settings(thorough, max_examples=15)
@given(built_scenes())
def test_an_environment_is_saved_and_loaded_equal(tmp_path_factory, scene):
    env = pyrave.Environment()
    env.add_scene(scene)
    for name in ("saved.dae", "saved.zae"):
        path = tmp_path_factory.mktemp("saved") / name
        env.save(path)
        assert same(pyrave.load(path).describe(), env.describe())
