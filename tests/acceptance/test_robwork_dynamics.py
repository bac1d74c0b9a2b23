"""Dynamic WorkCells say what RobWork makes of them, or why they say something else."""

import json
import math

import numpy as np
import pytest
from corpus import shared_folder

from pyrave.formats import ReadContext, open_source
from pyrave.scene import CONSTRAINT_FREEDOMS
from pyrave_workcell.dynamics.document import (
    Body,
    Constraint,
    Controller,
    Device,
    ForceTorque,
    Skin,
    Touch,
)
from pyrave_workcell.dynamics.parsing import read_dynamics
from pyrave_workcell.dynamics.reading import Reading
from pyrave_workcell.syntax import DYNAMIC, parse

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
    found = read_dynamics(root, Reading(context))
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
