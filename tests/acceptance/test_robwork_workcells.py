"""RobWork's own WorkCells: frames, devices, geometry and pairs are those it reads.

What differs on purpose is listed here, with the reason.
"""

from __future__ import annotations

import json
import re
from functools import cache

import numpy as np
import pytest
from corpus import robwork_expected, robwork_root

import pyrave
from pyrave.errors import SceneError
from pyrave.formats import ReadContext, open_source
from pyrave.scene import same
from pyrave_workcell.syntax.heads import is_workcell
from pyrave_workcell.workcell import WorkCell, read_workcell

ROOT, EXPECTED = robwork_root(), robwork_expected()
if ROOT is None or EXPECTED is None or not EXPECTED.is_dir():
    pytest.skip("the RobWork files are not there", allow_module_level=True)
ROOT = ROOT.resolve()

_TOLERANCE = 1e-9
# a <Transform> that is no exact rotation: RobWork keeps it, pyrave takes the nearest
_ROUNDED = {"rw2026/RobWork/example/ModelData/XMLScenes/PA10atConveyor/Scene.xml": 1e-6}
# frames that RobWork loses: the first one in a MobileDevice
_LOST = {"synthetic/mobile.wc.xml": {"Rover.Top"}}
# RobWork's search for closed loops ends where they are open by 7e-8 m, and it leaves
# the loops of a device without Home as open as the file's numbers
_ROBOTIQ = "rw2026/RobWork/gtest/testfiles/devices/Robotiq-2-finger-85/robotiq"
_LOOPS = {f"{_ROBOTIQ}.wc.xml": 3e-6, f"{_ROBOTIQ}_finger_control.xml": 3e-6}
# a home outside of the limits is moved into them
_CLAMPED = {"synthetic/frames.wc.xml": "Multi"}
# an AC3D file of which RobWork makes 21336 triangles that are all flat
_MISREAD = {"geometry/finger"}
_LEFT_TO_DYNAMICS = {"LinearDamping", "AngularDamping", "Conveyor"}
_GIVEN = re.compile(r'workcell="([^"]*)"')


@cache
def _scenes() -> dict[str, str]:
    """Return the expected file of each WorkCell, by names below the two folders."""
    assert ROOT is not None
    assert EXPECTED is not None
    found: dict[str, str] = {}
    for path in sorted(EXPECTED.rglob("*.json")):
        name = path.relative_to(EXPECTED)
        file = ROOT / name.with_suffix(".xml")
        if not file.is_file() or "workcell" not in path.read_text()[:4000]:
            continue
        if ".dwc" in path.name:
            given = _GIVEN.search(file.read_text(errors="replace"))
            if given is None:
                continue
            file = (file.parent / given[1]).resolve()
        if file.is_file():
            found.setdefault(file.relative_to(ROOT).as_posix(), name.as_posix())
    return {name: one for name, one in found.items() if "workcell" in _json(one)}


@cache
def _json(name: str) -> dict:
    assert EXPECTED is not None
    return json.loads((EXPECTED / name).read_text())


def _expected(name: str) -> dict:
    return _json(_scenes()[name])["workcell"]


@cache
def _read(name: str) -> tuple[WorkCell, pyrave.Environment]:
    assert ROOT is not None
    context = ReadContext()
    cell = read_workcell(open_source(ROOT / name), context)
    context.diagnostics.raise_if_refused()
    env = pyrave.Environment()
    env.load(ROOT / name)
    return cell, env


def _world(name: str, frame: str) -> np.ndarray:
    """Return T_world_frame (4, 4) as the environment has it."""
    cell, env = _read(name)
    place = cell.places[frame]
    if not place.body:
        return place.pose.matrix
    link = env.bodies[place.body].links[place.link]
    return link.transform @ place.pose.matrix


def _numbers(values: list) -> np.ndarray:
    found = np.array([float(value) for value in values])
    far = np.abs(found) > 1e300
    found[far] = np.copysign(np.inf, found[far])
    return found


def test_there_are_scenes():
    assert len(_scenes()) > 60


@pytest.mark.parametrize("name", _scenes())
def test_frames(name):
    cell, _ = _read(name)
    expected = {one["name"]: one for one in _expected(name)["frames"]}
    assert cell.places.keys() - expected.keys() == _LOST.get(name, set())
    assert not expected.keys() - cell.places.keys()
    tolerance = _ROUNDED.get(name, _LOOPS.get(name, _TOLERANCE))
    for frame, one in expected.items():
        mine = cell.document.by_name[frame]
        assert (mine.parent or None) == one["parent"], frame
        assert mine.daf == one["daf"] or frame == "WORLD", frame
        if "fixedT" in one:
            pose = mine.pose.matrix[:3]
            np.testing.assert_allclose(pose, one["fixedT"], atol=tolerance)
        device = _CLAMPED.get(name)
        if device and frame.startswith(f"{device}."):
            continue
        np.testing.assert_allclose(
            _world(name, frame)[:3], one["world"], atol=tolerance, err_msg=frame
        )


@pytest.mark.parametrize("name", _scenes())
def test_properties_of_frames(name):
    cell, _ = _read(name)
    mine = {(one.frame, one.name): one for one in cell.document.properties}
    configurations = {
        one.name for device in cell.document.devices for one in device.configurations
    }
    for frame in _expected(name)["frames"]:
        for key, value in frame["properties"].items():
            if value == "<other>" or key in configurations | _LEFT_TO_DYNAMICS:
                continue
            found = mine[frame["name"], key]
            if isinstance(value, str):
                assert found.text == value
            else:
                np.testing.assert_allclose(
                    np.atleast_1d(np.array(found.text.split(), dtype=float)),
                    np.atleast_1d(value),
                    rtol=1e-14,
                )


@pytest.mark.parametrize("name", _scenes())
def test_devices(name):
    cell, env = _read(name)
    expected = {one["name"]: one for one in _expected(name)["devices"]}
    assert cell.robots.keys() == expected.keys()
    for device, one in expected.items():
        body = env.bodies[cell.robots[device]]
        assert body.dof == one["dof"]
        lower, upper = body.dof_limits
        values = {
            "lower": lower,
            "upper": upper,
            "vel": body.dof_velocity_limits,
            "acc": body.dof_acceleration_limits,
        }
        if _CLAMPED.get(name) != device:
            values["q"] = body.dof_values
        for key, found in values.items():
            np.testing.assert_allclose(
                found, _numbers(one[key]), atol=_TOLERANCE, err_msg=f"{device} {key}"
            )


@pytest.mark.parametrize("name", _scenes())
def test_devices_move(name):
    cell, env = _read(name)
    for one in _expected(name)["devices"]:
        body = env.bodies[cell.robots[one["name"]]]
        with body.preserve_state():
            for sample in one.get("fk", ()):
                body.set_dof_values(sample["q"], limits=pyrave.LimitCheck.NONE)
                base = np.linalg.inv(_world(name, one["base"]))
                pose = base @ _world(name, one["end"])
                np.testing.assert_allclose(
                    pose[:3], sample["baseTend"], atol=_TOLERANCE
                )


@pytest.mark.parametrize("name", _LOOPS)
def test_parallel_devices(name):
    """Their ends and joints are RobWork's, and their loops are closed."""
    cell, env = _read(name)
    frames = {one["name"]: one for one in _expected(name)["frames"]}
    for one in _expected(name)["devices"]:
        robot = env.robots[cell.robots[one["name"]]]
        (arm,) = robot.manipulators
        assert f"{one['name']}.{arm.name}" == one["end"]
        actual = np.linalg.inv(_world(name, one["base"])) @ arm.transform
        np.testing.assert_allclose(actual[:3], one["baseTend"], atol=2e-5)
        compared = 0
        for joint in robot.passive_joints:
            given = frames.get(f"{one['name']}.{joint.name}", {}).get("q")
            if given:
                np.testing.assert_allclose(joint.values, given, atol=2e-6)
                compared += 1
        assert compared >= 6
        rng = np.random.default_rng(1)
        lower, upper = robot.dof_limits
        middle, reach = 0.5 * (lower + upper), 0.1 * (upper - lower)
        with robot.preserve_state():
            for way in rng.uniform(-1.0, 1.0, (5, robot.dof)):
                robot.dof_values = middle + reach * way
                for first, second in _meeting(cell, one["name"]):
                    np.testing.assert_allclose(
                        _world(name, first), _world(name, second), atol=1e-9
                    )


def _meeting(cell, device):
    (found,) = (one for one in cell.document.devices if one.name == device)
    assert len(found.meeting) >= 2
    return found.meeting


@pytest.mark.parametrize("name", _scenes())
def test_geometries(name):
    """Each object has the models that RobWork gives it, where it puts them."""
    cell, env = _read(name)
    models: dict[str, list] = {}
    for model in cell.document.models:
        models.setdefault(model.frame, []).extend([model] * len(model.solids))
    for one in _expected(name)["objects"]:
        place = cell.places[one["name"]]
        if one["name"] not in models:  # bodies of a dynamic scene without geometry
            assert not one["geometry"]
            continue
        link = env.bodies[place.body].links[place.link]
        pairs = zip(models[one["name"]], link.geometries, strict=True)
        mine = [(model, shape) for model, shape in pairs if model.collides]
        assert len(mine) == len(one["geometry"])
        for (model, shape), geometry in zip(mine, one["geometry"], strict=True):
            assert model.name == geometry["name"]
            np.testing.assert_allclose(
                shape.transform[:3], geometry["T"], atol=_TOLERANCE
            )
            _compare_shape(shape, geometry)


def _compare_shape(shape, geometry):
    """Compare sizes; those of spheres and cylinders are of meshes inside of them."""
    lower, upper = map(np.array, (geometry["aabb_min"], geometry["aabb_max"]))
    kind = geometry["data"]
    if kind == "Box":
        np.testing.assert_allclose(shape.half_extents, upper, rtol=1e-6)
    elif kind == "Sphere":
        np.testing.assert_allclose(shape.radius, upper[2], rtol=1e-6)
    elif kind == "Cylinder":
        size = shape.radius, 0.5 * shape.height
        np.testing.assert_allclose(size, (upper[0], upper[2]), rtol=1e-6)
    elif geometry["file"] not in _MISREAD:
        points, faces = shape.mesh.vertices, shape.mesh.faces
        np.testing.assert_allclose(points.min(axis=0), lower, atol=1e-6)
        np.testing.assert_allclose(points.max(axis=0), upper, atol=1e-6)
        volume = np.linalg.det(points[faces]).sum() / 6.0
        size = max(1e-6, abs(geometry["signed_volume"]))
        assert abs(volume - geometry["signed_volume"]) < 1e-4 * size + 1e-9


@pytest.mark.parametrize("name", _scenes())
def test_pairs_that_are_checked(name):
    cell, env = _read(name)
    expected = {frozenset(pair) for pair in _expected(name)["proximity"]["pairs"]}
    dynamic = ".dwc" in _scenes()[name]
    assert cell.pairs == expected or (dynamic and cell.pairs <= expected)
    frames = {
        (place.body, place.link): frame
        for frame, place in cell.places.items()
        if frame in cell.objects
    }
    _compare_other_bodies(name)
    for body in env.bodies:
        links = [frames.get((body.name, link.name)) for link in body.links]
        places = {frame: i for i, frame in enumerate(links) if frame}
        inside = {pair for pair in cell.pairs if pair <= places.keys()}
        checked = {
            frozenset((links[i], links[j]))
            for i, j in body.non_adjacent_links
            if links[i] and links[j]
        }
        assert checked <= inside
        # as in OpenRAVE, links that touch where all joints are at 0 are no pair
        with body.preserve_state():
            body.set_dof_values(np.zeros(body.dof), limits=pyrave.LimitCheck.NONE)
            for first, second in inside - checked:
                one, other = body.links[places[first]], body.links[places[second]]
                assert env.check_collision(one, other), (first, second)


def _files() -> list[str]:
    assert ROOT is not None
    return [
        path.relative_to(ROOT).as_posix()
        for path in sorted(ROOT.rglob("*.xml"))
        if "errors" not in path.parts and is_workcell(path.read_bytes())
    ]


def test_all_files_load():
    assert len(_files()) > 80
    for name in _files():
        _read(name)


@pytest.mark.parametrize("suffix", [".env.xml", ".dae"])
def test_saved_scenes_are_the_same(suffix, tmp_path):
    for name in _files():
        _, env = _read(name)
        env.save(tmp_path / f"saved{suffix}")
        again = pyrave.load(tmp_path / f"saved{suffix}")
        assert same(env.describe(), again.describe()), name


# what RobWork refuses and pyrave reads with a warning, which refuses it if strict
_FORGIVEN = {
    "attr_order.wc.xml": "not-robwork",
    "attr_unknown.wc.xml": "unknown-attribute",
    "drawable_colmodel_before_refframe.wc.xml": "not-robwork",
    "joint_limit_max_first.wc.xml": "not-robwork",
    "joint_limit_ref_max_first.wc.xml": "not-robwork",
    "polytope_missing.wc.xml": "missing-mesh",
    "q_not_last.wc.xml": "not-robwork",
    "rgb_before_transform.wc.xml": "not-robwork",
    "single_quotes.wc.xml": "not-robwork",
    "transform_after_drawable.wc.xml": "not-robwork",
    "unknown_element.wc.xml": "unknown-tag",
}
# what stands behind the declaration on its line is lost in RobWork, not in pyrave
_BETTER = {"xml_decl_same_line_lost.wc.xml"}


@cache
def _cases() -> dict[str, str]:
    found = _json("synthetic/errors_summary.json")
    return {name: one["result"] for name, one in found.items() if ".wc." in name}


@pytest.mark.parametrize("name", _cases())
def test_wrong_files(name):
    assert ROOT is not None
    path = ROOT / "synthetic" / "errors" / name
    if _cases()[name] == "ok" or name in _BETTER | _FORGIVEN.keys():
        problems = pyrave.load(path).problems
        if name in _FORGIVEN:
            assert _FORGIVEN[name] in {one.code for one in problems}
            with pytest.raises(SceneError):
                pyrave.load(path, strict=True)
        return
    with pytest.raises(SceneError) as caught:
        pyrave.load(path)
    assert caught.value.line is not None


def _compare_other_bodies(name):
    """Pairs of bodies are ignored that RobWork does not check, if one of them moves."""
    cell, env = _read(name)
    ignored = {
        frozenset(((one.first, one.first_link), (one.second, one.second_link)))
        for one in env.ignored_pairs
    }
    still = {body.name for body in env.bodies if not body.is_robot and _stands(body)}
    frames = sorted(cell.objects)
    for i, first in enumerate(frames):
        a = cell.places[first]
        for second in frames[i + 1 :]:
            b = cell.places[second]
            if a.body == b.body or {a.body, b.body} <= still:
                continue
            is_ignored = any(
                frozenset(((a.body, one), (b.body, other))) in ignored
                for one in (a.link, "")
                for other in (b.link, "")
            )
            assert is_ignored != (frozenset((first, second)) in cell.pairs)


def _stands(body):
    return all(link.static for link in body.links)
