"""Adding, removing, resetting, engines, meshes, rays."""

import gc
import inspect
import re
import typing
import weakref

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, NameConflictError, NotFoundError, StateError
from pyrave.interfaces import INTERFACE_TYPES
from pyrave.plugins.contracts import interface_base
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    LinkDescription,
    MeshReference,
)


def block(env, name="block"):
    body = env.create("kinbody", "")
    box = GeometryDescription(Box((0.1, 0.1, 0.1)))
    body.init(BodyDescription(name, (LinkDescription("base", geometries=(box,)),)))
    return body


def test_bodies_are_added_by_name_in_order(env):
    first, second = block(env, "b"), block(env, "a")
    env.add(first)
    env.add(second)
    assert env.bodies.names == ("b", "a")
    assert env.bodies["a"] is env.bodies[1] is second
    assert list(env.bodies) == [first, second]
    with pytest.raises(NameConflictError, match="in the environment already"):
        env.add(first)
    third = block(env, "a")
    with pytest.raises(NameConflictError, match=r"'a' already.*rename=True"):
        env.add(third)
    env.add(third, rename=True)
    assert third.name == "a1"
    with pytest.raises(StateError, match="remove it to rename"):
        third.name = "c"
    with pytest.raises(StateError, match="remove it first"):
        third.init(third.describe())
    env.remove("a1")
    third.name = "c"
    env.add(third)
    assert env.bodies.names == ("b", "a", "c")


@pytest.mark.parametrize("name", ["", "two words", "tab\t", "line\n"])
def test_names_without_meaning_are_refused(env, name):
    body = block(env)
    with pytest.raises(NameConflictError, match="not valid"):
        body.name = name
    body._name = name
    with pytest.raises(NameConflictError, match="not valid"):
        env.add(body)
    assert len(env.bodies) == 0


def test_what_belongs_elsewhere_is_refused(env, spies):
    other = pyrave.Environment()
    with pytest.raises(ArgumentError, match="another environment"):
        env.add(block(other))
    with pytest.raises(ArgumentError, match="set_controller"):
        env.add(env.create("controller", "SpyController"))
    body = block(env)
    with pytest.raises(NotFoundError, match="no body 'block'"):
        env.remove(body)
    with pytest.raises(NotFoundError, match="no object 'nothing'"):
        env.remove("nothing")
    with pytest.raises(NotFoundError):
        env.remove(env.create("trajectory", ""))


def test_removing_a_body_ends_grabs_both_ways(env):
    a, b, c = (block(env, name) for name in "abc")
    for body in (a, b, c):
        env.add(body)
    a.grab(b)
    b.grab(c)
    env.remove(b)
    assert a.grabbed == b.grabbed == ()


def test_sensors_and_modules_can_be_removed_after_a_new_name(crowded):
    sensor, module = crowded.sensors["stand"], crowded.modules[0]
    sensor.name = module.name = "other"
    crowded.remove(sensor)
    crowded.remove(module)
    assert crowded.sensors.names == ("arm:eye",)
    assert not sensor.power
    assert module.calls[-1] == "destroy"
    with pytest.raises(NotFoundError, match="no module 'other'"):
        crowded.remove(module)
    with pytest.raises(NotFoundError, match="no stand-alone sensor 'other'"):
        crowded.remove(sensor)


def test_a_sensor_that_fails_to_switch_is_not_half_added(env, spies):
    class Dead(spies.sensor):
        contract = 2

        def configure(self, command, blocking=False):
            raise RuntimeError("no power")

    env.register("sensor", "Dead", Dead)
    with pytest.raises(pyrave.PluginError, match="no power"):
        env.add(env.create("sensor", "Dead"))
    assert len(env.sensors) == 0


def test_a_module_whose_main_raises_is_not_added(env, spies):
    class Bad(spies.module):
        contract = 1

        def main(self, args):
            raise RuntimeError(args)

    env.register("module", "Bad", Bad)
    with pytest.raises(pyrave.PluginError, match="why"):
        env.add(env.create("module", "Bad"), args="why")
    assert len(env.modules) == 0


def test_names_of_modules_are_numbered(env):
    for _ in range(2):
        env.add(env.create("module", "SpyModule"))
    assert env.modules.names == ("SpyModule", "SpyModule1")
    with pytest.raises(NameConflictError):
        env.add(env.modules[0])


def test_reset_empties_the_world_and_resets_the_modules(crowded):
    crowded.step(0.01)
    body = crowded.bodies["block"]
    module = crowded.modules[0]
    crowded.reset()
    assert len(crowded.bodies) == len(crowded.robots) == len(crowded.sensors) == 0
    assert crowded.modules[0] is module
    assert module.calls[-1] == "reset"
    assert crowded.simulation_time == 0
    assert crowded.published.bodies == ()
    assert crowded.describe().plugins == ()
    crowded.add(body)
    crowded.step(0.01)


def test_engines_hear_of_every_body(crowded, xml):
    engine, checker = crowded.physics_engine, crowded.collision_checker
    for spy in (engine, checker):
        spy.calls.clear()
    crowded.add(block(crowded, "late"))
    crowded.remove("late")
    assert engine.calls == checker.calls == [("add", "late"), ("remove", "late")]
    crowded.physics_engine = "SpyEngine"
    assert engine.calls[-1] == "destroy"
    assert crowded.physics_engine.calls == ["init"]
    crowded.collision_checker = ""
    assert checker.calls[-1] == "destroy"


def test_gravity_goes_with_the_world_not_the_engine(env):
    np.testing.assert_allclose(env.gravity, (0, 0, -9.797930195020351))
    env.gravity = (0, 1, 2)
    env.physics_engine = "SpyEngine"
    assert env.physics_engine.get_gravity().tolist() == [0, 1, 2]
    env.gravity = (3, 1, 2)
    assert env.physics_engine.get_gravity().tolist() == [3, 1, 2]
    got = env.gravity
    got[:] = 0
    assert env.gravity.tolist() == [3, 1, 2]
    with pytest.raises(ArgumentError, match="gravity"):
        env.gravity = (1, 2)


def test_unknown_interfaces_and_types_are_explained(env):
    with pytest.raises(pyrave.InterfaceNotFoundError) as caught:
        env.create("sensor", "SpySenso 1 2")
    assert "did you mean 'SpySensor'" in str(caught.value)
    assert "BaseLaser2D" in caught.value.available
    with pytest.raises(ArgumentError, match="sensr"):
        env.create("sensr", "SpySensor")
    made = env.create("problem", "spymodule a b")
    assert (made.interface_id, made.args) == ("SpyModule", ("a", "b"))


def test_rays_follow_bodies_that_move_go_and_are_switched_off(env):
    body = block(env)
    env.add(body)
    down = ((0, 0, 5), [(0, 0, -1)])
    np.testing.assert_allclose(env.raycast(*down).distance, 4.9)
    body.transform = (1, 0, 0, 0, 0, 0, 1)
    np.testing.assert_allclose(env.raycast(*down).distance, 3.9)
    assert not env.raycast(*down, exclude=[body]).hit.any()
    body.enabled = False
    assert not env.raycast(*down).hit.any()
    body.enabled = True
    assert env.raycast(*down).id.tolist() == [0]
    watched = weakref.ref(body)
    env.remove(body)
    del body
    gc.collect()
    assert watched() is None
    assert not env.raycast(*down).hit.any()
    with pytest.raises(NotFoundError, match="no body 'block'"):
        env.raycast(*down, exclude=["block"])


STL = """solid s
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid s
"""


def test_a_mesh_file_is_one_object_while_it_is_alive(env, tmp_path):
    path = tmp_path / "m.stl"
    path.write_text(STL)
    once = env.load_mesh(MeshReference(str(path)))
    assert env.load_mesh(MeshReference(str(path))) is once
    assert pyrave.Environment().load_mesh(MeshReference(str(path))) is once
    scaled = env.load_mesh(MeshReference(str(path), (2.0, 2.0, 2.0)))
    assert scaled is not once
    np.testing.assert_allclose(scaled.vertices, 2 * once.vertices)
    path.write_text(STL.replace("vertex 1 0 0", "vertex 3 0 0 "))
    changed = env.load_mesh(MeshReference(str(path)))
    assert changed is not once
    assert changed.vertices.max() == 3
    watched = weakref.ref(once)
    del once
    gc.collect()
    assert watched() is None
    with pytest.raises(pyrave.ResourceError):
        env.load_mesh(MeshReference(str(tmp_path / "none.stl")))


def test_clones_share_the_meshes_of_files(env, tmp_path):
    path = tmp_path / "m.stl"
    path.write_text(STL)
    text = (
        '<environment><kinbody name="k"><body name="b"><geom type="trimesh">'
        f"<data>{path}</data></geom></body></kinbody></environment>"
    )
    env.load_string(text)
    twin = env.clone()
    meshes = {id(e.bodies["k"].links[0].geometries[0].mesh) for e in (env, twin)}
    assert len(meshes) == 1


def test_the_environment_says_what_is_in_it(crowded):
    crowded.step(0.5)
    assert repr(crowded) == (
        "<Environment: 2 bodies (1 robot), 2 sensors, 1 module, t = 0.500000 s>"
    )
    assert repr(crowded.bodies) == "<2 bodies: arm, block>"
    assert isinstance(crowded, pyrave.Environment)


@pytest.mark.parametrize("name", ["create", "add"])
def test_what_is_made_by_type_is_annotated_as_its_base(env, name):
    said = {}
    for form in typing.get_overloads(getattr(pyrave.Environment, name)):
        shown = inspect.signature(form)
        kind = re.search(r"Literal\[.(\w+).\]", str(shown))
        if kind:
            said[kind[1]] = shown.return_annotation
    assert said == {kind: interface_base(kind).__name__ for kind in said}
    assert {"robot", "kinbody", "sensor", "module", "viewer"} <= set(said)
    if name == "create":
        assert set(said) == set(INTERFACE_TYPES)
