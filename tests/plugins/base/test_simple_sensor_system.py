"""SimpleSensorSystem: poses from outside, with stamps."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, NotFoundError, SceneError
from pyrave.spatial import invert_pose, pose_from_rpy
from pyrave_base.simple_sensor_system import TrackingData

TAGS = """<simplesensorsystem><id>7</id><offsetlink>lid</offsetlink><sid>2</sid>
<translation>1 2 3</translation><rotationaxis>0 0 1 90</rotationaxis>
<rotationaxis>1 0 0 90</rotationaxis><pretranslation>0 0 0.5</pretranslation>
</simplesensorsystem>"""
POT = """<kinbody name="pot"><body name="pan"/><body name="lid">
<translation>0 0 0.4</translation></body><joint name="j" type="hinge">
<body>pan</body><body>lid</body><axis>0 1 0</axis></joint>{}</kinbody>"""
CUP = "<kinbody name='cup'><body name='b'/></kinbody>"
SEEN = pose_from_rpy((0.3, -0.2, 0.9), (0.4, 0.5, 0.6))


@pytest.fixture
def env():
    env = pyrave.load_string(POT.format(TAGS), strict=True)
    env.load_string(CUP)
    return env


@pytest.fixture
def system(env):
    system = env.create("sensorsystem", "simplesensorsystem")
    system.add_registered_bodies(list(env.bodies))
    return system


def test_the_link_is_where_it_is_measured(env, system):
    assert list(system.tracked) == ["pot"]
    pot = env.bodies["pot"]
    pot.dof_values = (0.7,)
    assert not system.is_body_present(pot)
    assert system.update({7: SEEN, 8: SEEN}, 1.0) == ("pot",)
    offset = np.eye(4)
    offset[:3, 3] = 1, 2, 3
    # a quarter about z, then one about the new x
    offset[:3, :3] = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]) @ np.array(
        [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    )
    before = np.eye(4)
    before[2, 3] = 0.5
    assert np.allclose(pot.links["lid"].transform, offset @ SEEN @ before)
    assert pot.dof_values.tolist() == [0.7]
    assert system.is_body_present(pot)
    record = system.tracked["pot"]
    assert (record.stamp, record.offset_link) == (1.0, pot.links["lid"])


def test_old_poses_and_those_that_are_switched_off_are_left_out(env, system):
    cup = env.bodies["cup"]
    system.add_kinbody(cup)
    other = invert_pose(SEEN)
    assert system.update({"cup": SEEN}, 5.0) == ("cup",)
    assert system.update({"cup": other}, 4.0) == ()
    assert np.allclose(cup.transform, SEEN)
    # of the same moment the later one counts
    assert system.update({"cup": other}, 5.0) == ("cup",)
    assert np.allclose(cup.transform, other)
    assert system.update({"cup": SEEN}, 5.0) == ("cup",)
    assert system.enable_body(cup, False)
    assert system.update({"cup": other}, 6.0) == ()
    assert system.enable_body(cup, True)
    assert system.update({"cup": other}, 6.0) == ("cup",)
    assert np.allclose(cup.transform, other)


def test_what_is_not_seen_expires(env, system):
    pot, cup = env.bodies["pot"], env.bodies["cup"]
    system.change_settings(expiry=0.5)
    system.add_kinbody(cup)
    system.update({"cup": SEEN, 7: SEEN}, 1.0)
    system.update({"cup": SEEN}, 1.4)
    system.expire(1.5)
    assert system.is_body_present(pot)
    system.update({"cup": SEEN}, 1.6)
    assert (system.is_body_present(pot), system.is_body_present(cup)) == (False, True)
    assert pot in list(env.bodies)
    system.update({7: SEEN}, 1.7)
    assert system.is_body_present(pot)


def test_expired_bodies_leave_if_that_is_wanted(env):
    system = env.create("sensorsystem", "SimpleSensorSystem", removes=True, expiry=1.0)
    pot, cup = env.bodies["pot"], env.bodies["cup"]
    system.add_kinbody(pot).locked = True
    system.add_kinbody(cup)
    system.update({"cup": SEEN, "pot": SEEN}, 1.0)
    system.expire(2.5)
    assert [body.name for body in env.bodies] == ["pot"]
    assert list(system.tracked) == ["pot"]
    assert not system.is_body_present(pot)


def test_tracking_goes_to_another_body(env, system):
    pot, cup = env.bodies["pot"], env.bodies["cup"]
    with pytest.raises(NotFoundError, match="no link 'lid'"):
        system.switch_body(pot, cup)
    assert list(system.tracked) == ["pot"]
    env.load_string(POT.format("").replace('"pot"', '"other"'))
    assert system.switch_body(pot, env.bodies["other"])
    assert system.update({7: SEEN}, 1.0) == ("other",)
    assert not system.switch_body(pot, cup)


def test_wrong_calls_end_in_messages(env, system):
    cup = env.bodies["cup"]
    for data, error, message in (
        (3, ArgumentError, "data is 3, expected a TrackingData or None"),
        (TrackingData(7), ArgumentError, "the id 7 is that of <kinbody"),
        (TrackingData(link="x"), NotFoundError, "no link 'x'"),
    ):
        with pytest.raises(error, match=message):
            system.add_kinbody(cup, data)
    before = env.bodies["pot"].transform
    for poses, stamp, error, message in (
        ({"cup": SEEN}, 1.0, NotFoundError, "no tracked body 'cup'"),
        ({7: [1, 2]}, 1.0, ArgumentError, "the pose of 7"),
        ({7: SEEN}, "x", ArgumentError, "stamp"),
        ({7: SEEN, "cup": SEEN}, 1.0, NotFoundError, "tracked body"),
    ):
        with pytest.raises(error, match=message):
            system.update(poses, stamp)
    assert np.array_equal(env.bodies["pot"].transform, before)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("<id>7<", "<id>x<"), "id is 'x', expected a whole number"),
        (("1 2 3", "1 2"), "<translation> is '1 2', expected 3 numbers"),
        (("0 0 1 90", "0 0 0 90"), "expected 4 numbers with a length"),
        (
            ("<sid>2</sid>", "<rotationmat>1 0 0 0 1 0 0 0 2</rotationmat>"),
            "<rotationmat> is no rotation",
        ),
    ],
)
def test_wrong_tags_are_refused(change, message):
    with pytest.raises(SceneError, match=message):
        pyrave.load_string(POT.format(TAGS.replace(*change)))


def test_files_keep_the_data(env, tmp_path):
    env.save(tmp_path / "saved.env.xml")
    again = pyrave.load(tmp_path / "saved.env.xml", strict=True)
    found = again.bodies["pot"].readables["simplesensorsystem"]
    known = env.bodies["pot"].readables["simplesensorsystem"]
    assert (found.id, found.link) == (known.id, known.link) == (7, "lid")
    assert np.allclose(found.offset.matrix, known.offset.matrix)
    assert np.allclose(found.pre_offset.matrix, known.pre_offset.matrix)
