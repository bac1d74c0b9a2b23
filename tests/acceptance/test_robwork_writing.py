"""RobWork's own scenes, and those of the other formats, written as WorkCells.

What came from RobWork is what it was; what came from elsewhere moves as it did.
"""

from __future__ import annotations

import numpy as np
import pytest
from corpus import openrave_files, openrave_root, robwork_root, short

import pyrave
from pyrave.scene import same
from pyrave_workcell.syntax.heads import is_workcell

ROBWORK, OPENRAVE = robwork_root(), openrave_root()
if ROBWORK is None or OPENRAVE is None:
    pytest.skip("the real files are not there", allow_module_level=True)
ROBWORK = ROBWORK.resolve()

# frames that RobWork moves freely in a device, of which descriptions know nothing
_FREE_IN_DEVICES = {
    "rw2026/RobWork/gtest/testfiles/devices/UR6855A/UR6855A.wc.xml",
    "rw2026/RobWorkSim/gtest/testfiles/devices/UR6855A/UR6855A.wc.xml",
    "rw2026/RobWorkSim/gtest/testfiles/devices/UR6855A/test_scene.wc.xml",
    "rw2026/RobWorkSim/gtest/testfiles/ur_control_test_scene/cup_pg70_table.wc.xml",
}
_FREE_IN_DYNAMICS = {
    "rw2026/RobWorkSim/gtest/testfiles/devices/UR6855A/test_scene.dwc.xml",
    "rw2026/RobWorkSim/gtest/testfiles/ur_control_test_scene/cup_pg70_table.dwc.xml",
}


def _workcells() -> list[str]:
    return [
        path.relative_to(ROBWORK).as_posix()
        for path in sorted(ROBWORK.rglob("*.xml"))
        if "errors" not in path.parts and is_workcell(path.read_bytes())
    ]


@pytest.mark.parametrize("name", _workcells())
def test_workcells_read_back_equal(name, tmp_path):
    scene = pyrave.read(ROBWORK / name)
    losses = pyrave.convert(ROBWORK / name, tmp_path / "again.wc.xml")
    again = pyrave.read(tmp_path / "again.wc.xml")
    if name in _FREE_IN_DEVICES:
        assert losses
        return
    assert not losses
    assert same(scene, again)
    new = {one.code for one in again.problems} - {one.code for one in scene.problems}
    assert not new


def _dynamic_workcells() -> list[str]:
    return [
        path.relative_to(ROBWORK).as_posix()
        for path in sorted(ROBWORK.rglob("*.dwc.xml"))
        if "errors" not in path.parts and b"<IncludeData" not in path.read_bytes()
    ]


@pytest.mark.parametrize("name", _dynamic_workcells())
def test_dynamic_workcells_read_back_equal(name, tmp_path):
    try:
        scene = pyrave.read(ROBWORK / name)
    except pyrave.SceneError:
        pytest.skip("a fragment, or a file that RobWork cannot load either")
    losses = pyrave.convert(ROBWORK / name, tmp_path / "again.dwc.xml")
    if name in _FREE_IN_DYNAMICS:
        assert losses
        return
    assert not losses
    again = pyrave.read(tmp_path / "again.dwc.xml")
    assert same(scene, again)
    new = {one.code for one in again.problems} - {one.code for one in scene.problems}
    assert not new


@pytest.mark.parametrize("between", [".env.xml", ".dae"])
@pytest.mark.parametrize("name", [*_workcells()[::5], *_dynamic_workcells()[2::5]])
def test_scenes_come_back_through_other_formats(name, between, tmp_path):
    if name in _FREE_IN_DEVICES | _FREE_IN_DYNAMICS:
        pytest.skip("something is lost, which the tests above know")
    suffix = ".dwc.xml" if name.endswith(".dwc.xml") else ".wc.xml"
    scene = pyrave.read(ROBWORK / name)
    pyrave.convert(ROBWORK / name, tmp_path / f"between{between}")
    target = tmp_path / f"again{suffix}"
    assert pyrave.convert(tmp_path / f"between{between}", target) == ()
    assert same(scene, pyrave.read(target))


@pytest.mark.parametrize("name", _workcells()[::6])
def test_saved_environments_read_back_equal(name, tmp_path):
    env = pyrave.load(ROBWORK / name)
    if env.save(tmp_path / "again.wc.xml"):
        pytest.skip("something is lost, which the test above knows")
    again = pyrave.load(tmp_path / "again.wc.xml")
    assert same(env.describe(), again.describe())


def _scenes() -> tuple[str, ...]:
    names = short(openrave_files())
    return tuple(one for one in names if not one.endswith(".sensor.xml"))


@pytest.mark.parametrize("suffix", [".wc.xml", ".dwc.xml"])
@pytest.mark.parametrize("name", _scenes())
def test_scenes_of_openrave_move_as_before(name, suffix, tmp_path):
    env = pyrave.load(OPENRAVE / name, resource_roots=[OPENRAVE])
    said = "".join(map(str, env.save(tmp_path / f"scene{suffix}")))
    again = pyrave.load(tmp_path / f"scene{suffix}")
    # some masses of these files are of no body that there could be
    assert {one.code for one in again.problems} <= {"bad-inertia"}
    rng = np.random.default_rng(7)
    for body in env.bodies:
        other = again.bodies[body.name]
        _compare_poses(body, other)
        if suffix == ".dwc.xml" and "masses of what no force moves" not in said:
            np.testing.assert_allclose(_mass(other), _mass(body), rtol=1e-12)
        if any(word in said for word in ("spherical", "along paths", "close loops")):
            continue
        joints = [one for one in body.joints if one.dof_index >= 0]
        lower, upper = body.dof_limits
        for _ in range(3):
            values = rng.uniform(np.maximum(lower, -2.0), np.minimum(upper, 2.0))
            moved = other.dof_values
            for joint in joints:
                for axis in range(len(joint.axes)):
                    index = _dof_index(other, joint.name, axis)
                    moved[index] = values[joint.dof_index + axis]
            body.set_dof_values(values, limits=pyrave.LimitCheck.NONE)
            other.set_dof_values(moved, limits=pyrave.LimitCheck.NONE)
            _compare_poses(body, other)


def _mass(body):
    return sum(link.mass for link in body.links)


def _dof_index(body, name, axis):
    """Return the degree of freedom that an axis has become."""
    joints = {one.name: one for one in body.joints}
    alone = f"{name}_{axis}" if axis else name
    for wanted in (alone, f"{alone}_2"):  # another frame may have the name
        if wanted in joints:
            return joints[wanted].dof_index
    return joints[name].dof_index + axis


def _compare_poses(body, other):
    links = {link.name: link for link in other.links}
    for index, link in enumerate(body.links):
        found = links.get(link.name) or (other.links[0] if index == 0 else None)
        if found is not None:
            np.testing.assert_allclose(found.transform, link.transform, atol=1e-12)
