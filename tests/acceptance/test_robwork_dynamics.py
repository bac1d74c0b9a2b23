"""Dynamic WorkCells say what RobWork makes of them, or why they say something else."""

import json
import math

import numpy as np
import pytest
from corpus import shared_folder

import pyrave
from pyrave.formats import ReadContext, open_source
from pyrave.scene import CONSTRAINT_FREEDOMS, Cylinder, same
from pyrave_workcell.dynamics.document import (
    Body,
    Constraint,
    Controller,
    Device,
    ForceTorque,
    Skin,
    Touch,
)
from pyrave_workcell.dynamics.root import read_dynamics
from pyrave_workcell.dynamics.scene import read_dynamic_workcell
from pyrave_workcell.dynamics.values import DynamicsReading
from pyrave_workcell.syntax import DYNAMIC, parse
from pyrave_workcell.workcell import read_workcell

FOLDER = shared_folder()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="the real files are not here")
TOLERANCE = 1e-9


def _names():
    if FOLDER is None:
        return []
    root = FOLDER / "expected" / "robwork"
    return [
        path.relative_to(root).as_posix().removesuffix(".json")
        for path in sorted(root.rglob("*.dwc.json"))
        if "dynamics" in json.loads(path.read_text())
    ]


NAMES = _names()


def read(name):
    path = FOLDER / "corpus" / "robwork" / f"{name}.xml"
    context = ReadContext()
    root = parse(open_source(path, context), context, DYNAMIC)
    found = read_dynamics(root, DynamicsReading(context))
    context.diagnostics.raise_if_refused()
    expected = FOLDER / "expected" / "robwork" / f"{name}.json"
    return found, json.loads(expected.read_text())["dynamics"]


@pytest.fixture(params=NAMES)
def both(request):
    return read(request.param)


def bodies_of(found):
    """Yield (full name, body) in the order that RobWork makes them."""
    for item in found.items:
        if isinstance(item, Body):
            yield item.frame, item
        elif isinstance(item, Device):
            base = [item.base] if isinstance(item.base, Body) else []
            for one in (*base, *item.links):
                yield f"{item.device}.{one.frame}", one


def matrix(pose):
    return pose.matrix[:3]


def close(mine, theirs):
    np.testing.assert_allclose(mine, theirs, atol=TOLERANCE, rtol=TOLERANCE)


def test_gravity_and_settings(both):
    found, expected = both
    close(found.gravity, expected["gravity"])
    engine = {one.name: one.value for one in found.settings}
    assert engine.keys() == expected["engine"].keys()
    for name, value in expected["engine"].items():
        if isinstance(value, str):
            assert engine[name] == value
        else:
            close(engine[name], np.atleast_1d(value))


def test_materials(both):
    found, expected = both
    materials = {one.name: one.description for one in found.materials}
    assert materials == dict(expected["materials"])
    types = {one.name: one.description for one in found.object_types}
    assert types == dict(expected["objecttypes"])
    known = {frozenset(pair[:2]): pair[2] for pair in expected["restitution"]}
    mine = {frozenset((r.first, r.second)): r.coefficient for r in found.restitution}
    assert mine == pytest.approx(known)


def test_friction(both):
    """RobWork keeps all entries of a pair and uses the first of a kind, as we do.

    It gives the second entry of a pair the parameters of the first as well: a record
    is not cleared. Here each entry has its own alone.
    """
    found, expected = both
    known = {}
    for one in expected["friction"]:
        known.setdefault((frozenset((one["a"], one["b"])), one["type"]), one)
    mine = {(frozenset((f.first, f.second)), f.model): f for f in found.friction}
    assert mine.keys() == known.keys()
    for key, one in mine.items():
        values = {name: list(numbers) for name, numbers in one.parameters}
        if one.model == "Coulomb":
            values["Mu"] = [one.coefficient]
        assert values.items() <= known[key].items()


def test_bodies(both):
    """RobWork takes blanks as part of the name of a material, and finds none then."""
    found, expected = both
    bodies = dict(bodies_of(found))
    assert list(bodies) == list(dict.fromkeys(b["name"] for b in expected["bodies"]))
    kinds = {
        "FixedBody": "fixed",
        "KinematicBody": "kinematic",
        "RigidBody": "rigid",
        "RigidLink": "link",
        "KinematicLink": "link",
    }
    for one in expected["bodies"]:
        mine = bodies[one["name"]]
        assert mine.kind == kinds[one["class"]]
        assert (mine.material or found.default_material) == one["material"].strip()
        assert (mine.object_type or found.default_object_type) == one["objecttype"]
        assert mine.integrator == one["integrator"]
        if mine.mass is None:
            continue
        close(mine.mass.mass, one["mass"])
        if mine.mass.com is not None:
            close(mine.mass.com, one["cog"])
        if mine.mass.inertia is not None:
            close(np.reshape(mine.mass.inertia, (3, 3)), one["inertia"])


def test_devices(both):
    found, expected = both
    devices = {one.device: one for one in found.items if isinstance(one, Device)}
    assert list(devices) == [one["name"] for one in expected["devices"]]
    for one in expected["devices"]:
        mine = devices[one["name"]]
        assert mine.rigid == (one["class"] == "RigidDevice")
        links = [f"{mine.device}.{link.frame}" for link in mine.links]
        assert sorted(links) == sorted(one["links"])
        base = mine.base
        name = f"{mine.device}.{base.frame}" if isinstance(base, Body) else base.name
        assert name == one["base"]
        if mine.rigid:
            limits = {
                f"{mine.device}.{limit.joint}": limit.limit
                for limit in mine.force_limits
            }
            assert [limits[name] for name in one["joints"]] == one["forcelimits"]


def test_constraints(both):
    """RobWork reads matrices of springs by columns; here the rows are rows."""
    found, expected = both
    constraints = [one for one in found.items if isinstance(one, Constraint)]
    assert [one.name for one in constraints] == [
        one["name"] for one in expected["constraints"]
    ]
    for mine, one in zip(constraints, expected["constraints"], strict=True):
        assert mine.kind.replace("_", "") == one["type"].lower()
        assert (mine.parent, mine.child) == (one["parent"], one["child"])
        freedoms = CONSTRAINT_FREEDOMS[mine.kind]
        assert len(freedoms) == one["dof"]
        close(matrix(mine.pose), one["T"])
        for k, (low, high) in enumerate(one.get("limits", [])):
            limits = mine.limits[k] if k < len(mine.limits) else None
            assert (limits.lower if limits else -math.inf) == _or(low, -math.inf)
            assert (limits.upper if limits else math.inf) == _or(high, math.inf)
        assert (mine.spring is None) == ("spring" not in one)
        if mine.spring is not None:
            close(np.array(mine.spring.compliance).T, one["spring"]["compliance"])
            close(np.array(mine.spring.damping).T, one["spring"]["damping"])


def _or(value, default):
    return default if value is None else value


def test_controllers(both):
    found, expected = both
    mine = {one.name: one for one in found.items if isinstance(one, Controller)}
    kinds = {
        "PDController": "pd",
        "PoseController": "pose",
        "SerialDeviceController": "motion_queue",
        "SpringJointController": "spring",
    }
    assert mine.keys() == {one["name"] for one in expected["controllers"]}
    for one in expected["controllers"]:
        controller = mine[one["name"]]
        assert controller.kind == kinds[one["class"]]
        assert controller.time_step == one.get("timestep", 0.0)
        assert [list(row) for row in controller.gains] == one.get("params", [])
        assert controller.mode == "position"  # as in all files


def test_sensors(both):
    found, expected = both
    kinds = (ForceTorque, Touch, Skin)
    mine = {one.name: one for one in found.items if isinstance(one, kinds)}
    assert mine.keys() == {one["name"] for one in expected["sensors"]}
    for one in expected["sensors"]:
        sensor = mine[one["name"]]
        if isinstance(sensor, Touch):
            assert sensor.frame == one["frame"]
        elif isinstance(sensor, Skin):
            rows = len(sensor.heights) - 1, len(sensor.heights[0]) - 1
            assert rows == (one["height"], one["width"])
            close(matrix(sensor.pose), one["T"])
            limits = np.divide((sensor.lowest, sensor.highest), 1000.0)
            close(limits, one["pressure"])
        else:
            assert (sensor.parent, sensor.child) == (one["body1"], one["body2"])
            frame = sensor.frame.name if sensor.frame else sensor.child
            assert frame == one["sensorframe"]


# -- the bodies of the WorkCell --------------------------------------------------------


def built(name):
    """Return the scene, where frames are in it, and what RobWork says."""
    path = FOLDER / "corpus" / "robwork" / f"{name}.xml"
    context = ReadContext(load_mesh=pyrave.Environment().load_mesh)
    source = open_source(path, context)
    scene = read_dynamic_workcell(source, context)
    context.diagnostics.raise_if_refused()
    root = parse(source, ReadContext(), DYNAMIC)
    workcell = open_source(path.parent / root.get("workcell"))
    places = read_workcell(workcell, ReadContext()).places
    expected = FOLDER / "expected" / "robwork" / f"{name}.json"
    return scene, places, json.loads(expected.read_text()) | {"name": name}


@pytest.fixture(scope="module", params=NAMES)
def scene(request):
    return built(request.param)


def link_at(scene, place):
    (body,) = (one for one in scene.bodies if one.name == place.body)
    return next(one for one in body.links if one.name == place.link)


def moved(mass, inertia, away):
    """Return an inertia about a point that is so far from the centre."""
    shift = np.dot(away, away) * np.eye(3) - np.outer(away, away)
    return inertia + mass * shift


def test_links_have_what_bodies_say(scene):
    """RobWork takes inertias that it estimates about the frame, not the centre.

    It does so in single precision, with the triangles that it shows.
    """
    found, places, expected = scene
    document, _ = read(expected["name"])
    described = dict(bodies_of(document))
    for one in expected["dynamics"]["bodies"]:
        place = places[one["name"]]
        link = link_at(found, place)
        kind = one["class"]
        assert link.static == (kind == "FixedBody")
        assert link.kinematic == (kind in {"KinematicBody", "KinematicLink"})
        assert link.dynamics.integrator == one["integrator"]
        material = link.material or found.contact_properties.default_material
        assert material == one["material"].strip()
        kinds = link.object_type or found.contact_properties.default_object_type
        assert kinds == one["objecttype"]
        if kind in {"FixedBody", "KinematicBody"}:
            continue
        assert place.pose.matrix == pytest.approx(np.eye(4))
        assert link.inertial.mass == pytest.approx(one["mass"], rel=1e-12)
        # a mesh that is not closed has no centre that all agree on: pump.stl
        np.testing.assert_allclose(link.inertial.com, one["cog"], atol=5e-6)
        mine = np.reshape(link.inertial.inertia, (3, 3))
        mass = described[one["name"]].mass
        if mass.inertia is None and mass.com is None:
            mine = moved(link.inertial.mass, mine, one["cog"])
        elif mass.inertia is None:
            continue  # about a point that RobWork does not use
        size = np.abs(one["inertia"]).max()
        # a cylinder is one of 20 sides for RobWork, and its sizes are rounded
        is_round = any(isinstance(g.shape, Cylinder) for g in link.geometries)
        slack = (0.02 if is_round else 1e-4) * size
        np.testing.assert_allclose(mine, one["inertia"], atol=slack)


def test_bodies_stand_where_they_do_in_robwork(scene):
    found, places, expected = scene
    env = pyrave.Environment()
    env.add_scene(found)
    for one in expected["dynamics"]["bodies"]:
        place = places[one["name"]]
        link = env.bodies[place.body].links[place.link]
        mine = link.transform @ place.pose.matrix
        np.testing.assert_allclose(mine[:3], one["world"], atol=TOLERANCE)
    close(env.gravity, expected["dynamics"]["gravity"])


def test_joints_have_the_force_limits_of_devices(scene):
    found, places, expected = scene
    bodies = {one.name: one for one in found.bodies}
    for one in expected["dynamics"]["devices"]:
        for frame, limit in zip(
            one.get("joints", ()), one.get("forcelimits", ()), strict=True
        ):
            place = places[frame]
            joints = {joint.name: joint for joint in bodies[place.body].joints}
            assert joints[place.link].axes[0].torque_limit == limit


def test_constraints_controllers_and_sensors_are_those_of_the_scene(scene):
    found, places, expected = scene
    dynamics = expected["dynamics"]
    for one in dynamics["constraints"]:
        (mine,) = (each for each in found.constraints if each.name == one["name"])
        for end, frame in ((mine.parent, one["parent"]), (mine.child, one["child"])):
            assert (end.body, end.link) == (places[frame].body, places[frame].link)
        close(matrix(mine.pose), one["T"])
    names = [one.name for one in found.simulation.controllers]
    assert names == [one["name"] for one in dynamics["controllers"]]
    for one in found.simulation.controllers:
        (body,) = (each for each in found.bodies if each.name == one.body)
        active = [joint.name for joint in body.joints if joint.active]
        assert set(one.joints) <= set(active)
    sensors = {one.name for one in found.simulation.sensors}
    assert sensors == {one["name"] for one in dynamics["sensors"]}


def test_what_is_for_simulation_is_saved_and_read_back(scene, tmp_path):
    found, _, _ = scene
    env = pyrave.Environment()
    env.add_scene(found)
    env.save(tmp_path / "scene.env.xml")
    again = pyrave.load(tmp_path / "scene.env.xml")
    assert same(again.constraints, env.constraints)
    assert same(again.contact_properties, env.contact_properties)
    assert same(again.simulation, env.simulation)
    close(again.gravity, env.gravity)
    for body in env.bodies:
        for link, other in zip(body.links, again.bodies[body.name].links, strict=True):
            mine, theirs = link.description, other.description
            for field in ("static", "kinematic", "material", "object_type"):
                assert getattr(mine, field) == getattr(theirs, field)
            assert same(mine.inertial, theirs.inertial)
            assert same(mine.dynamics, theirs.dynamics)


# -- all files -------------------------------------------------------------------------


def _files(folder, *, errors):
    """Return the scenes below a folder; files that others include are none."""
    if FOLDER is None:
        return []
    root = FOLDER / "corpus" / "robwork"
    return [
        path.relative_to(root).as_posix()
        for path in sorted((root / folder).rglob("*.dwc.xml"))
        if ("errors" in path.parts) == errors
        and "<IncludeData" not in path.read_text(errors="replace")
    ]


# names a WorkCell without its frames; RobWork cannot load it either
_WRONG = {"rw2026/RobWorkSim/gtest/testfiles/scene/simple/in_collision_scene.dwc.xml"}


@pytest.mark.parametrize("file", _files(".", errors=False))
def test_all_scenes_load_into_an_environment(file):
    path = FOLDER / "corpus" / "robwork" / file
    if file in _WRONG:
        with pytest.raises(pyrave.SceneError, match="no frame 'ObjectCup2'"):
            pyrave.load(path)
        return
    env = pyrave.load(path)
    assert env.bodies
    again = env.clone()
    assert again.simulation == env.simulation
    assert again.constraints == env.constraints


# read as documented; RobWork ends without a word
_MEANT = {"spring_outside.dwc.xml"}


@pytest.mark.parametrize("file", _files("synthetic/errors", errors=True))
def test_wrong_files_are_refused_where_robwork_refuses_them(file):
    expected = FOLDER / "expected" / "robwork" / "synthetic" / "errors_summary.json"
    path = FOLDER / "corpus" / "robwork" / file
    result = json.loads(expected.read_text())[path.name]["result"]
    if result == "ok" or path.name in _MEANT:
        assert pyrave.load(path).bodies
        return
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(path)
    first = caught.value.first
    assert first.file.endswith(".xml")
    assert first.line
