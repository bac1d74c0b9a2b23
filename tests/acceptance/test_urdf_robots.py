"""Real robots of installable packages: everything equals Pinocchio's.

They are in the extra `robots`; what is not installed is skipped.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lxml import etree
from urdf_twin import UrdfTwin, followers_of, pin

import pyrave

# .../cmeel.prefix/lib/python3.x/site-packages/pinocchio/__init__.py
_PREFIX = Path(pin.__file__).parents[4]
_EXAMPLES = _PREFIX / "share" / "example-robot-data" / "robots"
# beside the packages: `share` of the environment that they are installed in
_ICUB = _PREFIX.parents[3] / "share" / "iCub" / "robots"
_RTB = _PREFIX.parent / "rtbdata" / "xacro"

ROBOTS = (
    _EXAMPLES / "pr2_description/urdf/pr2.urdf",
    _EXAMPLES / "talos_data/robots/talos_full_v2.urdf",
    _EXAMPLES / "tiago_pro_description/robots/tiago_pro.urdf",
    _EXAMPLES / "baxter_description/urdf/baxter.urdf",
    _EXAMPLES / "panda_description/urdf/panda.urdf",
    _EXAMPLES / "romeo_description/urdf/romeo.urdf",
    _EXAMPLES / "anymal_c_simple_description/urdf/anymal.urdf",
    _EXAMPLES / "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    _EXAMPLES / "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    _EXAMPLES / "alex_description/urdf/alex_sake_hands.urdf",
    _EXAMPLES / "human_description/robots/human.urdf",
    _EXAMPLES / "ur_description/urdf/ur5_robot.urdf",
    _ICUB / "iCubGazeboV2_7/model.urdf",
    _ICUB / "iCubNancy01/model.urdf",
    _RTB / "kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf",
    _RTB / "unimation_puma560_description/urdf/puma560_robot.urdf",
)


def skip_if_not_installed(path):
    """Skip a test of a file whose package is missing; of one there it must be there."""
    (package,) = {_EXAMPLES, _ICUB, _RTB} & set(path.parents)
    if not package.is_dir():
        pytest.skip(f"{package} is not installed (extra `robots`)")


def robot_name(path):
    return f"{path.parts[-3]}-{path.stem}"


@pytest.mark.parametrize("path", ROBOTS, ids=robot_name)
def test_poses_masses_and_inertias(path):
    skip_if_not_installed(path)
    robot = pyrave.load(path).robots[0]
    followers = followers_of(etree.parse(path).getroot())
    followers = {
        name: follower
        for name, follower in followers.items()
        if any(j.name == name for j in robot.passive_joints)
    }
    twin = UrdfTwin(path, followers)
    rng = np.random.default_rng(3)
    worst = 0.0
    # joints that follow stop at limits of their own
    lower, upper = robot.dof_limits
    bounds = np.maximum(lower, -np.pi), np.minimum(upper, np.pi)
    for q in rng.uniform(*bounds, (100, robot.dof)):
        poses = robot.compute_link_transforms(q[None])[0]
        worst = max(worst, np.abs(poses - twin.link_poses(robot, q)).max())
    assert worst < 1e-12
    assert twin.worst_inertia(robot) < 1e-12


@pytest.mark.skipif(not _EXAMPLES.is_dir(), reason="the extra `robots` is missing")
def test_meshes_are_found_from_the_place_of_the_file():
    missing = []
    paths = [p for p in sorted(_EXAMPLES.rglob("*.urdf")) if p.name != "ur3.urdf"]
    for path in paths:
        scene = pyrave.read(path)
        missing += [p for p in scene.problems if p.code == "missing-mesh"]
    assert len(paths) > 60
    # romeo_laas_small names files of a bare `file://` that nobody has
    assert {Path(p.file).stem for p in missing} <= {"romeo_laas_small"}
