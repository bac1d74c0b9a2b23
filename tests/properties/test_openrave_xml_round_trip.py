"""Whatever a scene description holds can be written and read back."""

import io
import re

from hypothesis import HealthCheck, given, settings
from openrave_view import same, view
from scene_strategies import any_scenes, built_scenes, single_objects

import pyrave
from pyrave.formats import ReadContext, Resolver, WriteContext, read_scene
from pyrave.formats.openrave_xml.hooks import OpenRAVEXmlFormat
from pyrave.formats.openrave_xml.write.writer import openrave_xml_text

_OWN = re.compile("<pyrave>.*?</pyrave>", re.DOTALL)
thorough = settings(max_examples=100, suppress_health_check=list(HealthCheck))


def read(text):
    resolver = Resolver(data_roots=(), use_environment=False)
    context = ReadContext(resolver=resolver)
    return read_scene(io.BytesIO(text.encode()), [OpenRAVEXmlFormat()], context)


@thorough
@given(any_scenes() | single_objects())
def test_any_scene_reads_back_equal(scene):
    text, losses = openrave_xml_text(scene, WriteContext())
    told = [loss for loss in losses if "meshes that were not found" not in loss.message]
    assert {loss.code for loss in told} <= {"pyrave-only", "written-otherwise"}
    assert read(text) == scene
    assert openrave_xml_text(scene, WriteContext())[0] == text


@settings(thorough, max_examples=60)
@given(built_scenes())
def test_tags_alone_say_what_openrave_has_tags_for(scene):
    text, _ = openrave_xml_text(scene, WriteContext())
    same(view(scene), view(read(_OWN.sub("", text))))


@settings(thorough, max_examples=15)
@given(built_scenes())
def test_an_environment_is_saved_and_loaded_equal(tmp_path_factory, scene):
    env = pyrave.Environment()
    env.add_scene(scene)
    for number, expand in enumerate((False, True)):
        path = tmp_path_factory.mktemp("saved") / f"{number}.env.xml"
        env.save(path, expand=expand)
        again = pyrave.load(path)
        assert again.describe() == env.describe()
        codes = {problem.code for problem in again.problems}
        # a sensor of a simulation may have a name that no object can have
        known = {"unknown-interface", "unknown-tag", "simulation-conflict"}
        assert codes <= known | {"acts-nowhere"}
