"""Tactile skins: the spring law, friction, what is felt."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError
from pyrave_sensors.tactile import MAX_ELEMENTS, TactileGeometry

# A finger whose skin looks up (+z), 10 mm thick; a plate that slides over it.
SCENE = """<environment>
<robot name="hand"><kinbody><body name="palm">
  <geom type="box"><extents>.1 .1 .1</extents><translation>0 0 -.1</translation></geom>
  </body></kinbody>
  <attachedsensor name="skin"><link>palm</link><sensor type="{0}"><power>1</power>
    <positions>0 0 0  0.05 0 0  0.5 0 0</positions>
    <thickness>0.01</thickness><stiffness>2000</stiffness>{1}
  </sensor></attachedsensor></robot>
<kinbody name="plate"><body name="plate">
  <geom type="box"><extents>.2 .2 .05</extents></geom></body></kinbody>
</environment>"""


def touch(gap, interface="BaseTactile", tags=""):
    """Return environment, plate and skin; the plate's lower face is at z = gap."""
    env = pyrave.Environment()
    env.load_string(SCENE.format(interface, tags), strict=True)
    plate = env.bodies["plate"]
    plate.transform = [1, 0, 0, 0, 0, 0, gap + 0.05]
    return env, plate, env.robots["hand"].attached_sensors["skin"].sensor


@pytest.mark.parametrize(
    ("gap", "force"),
    [(0.02, 0), (0.0101, 0), (0.008, 4), (0.001, 18), (0, 20), (-0.004, 20)],
)
def test_spring(gap, force):
    """Stiffness by penetration up to the thickness; the third element sees nothing."""
    _env, _plate, skin = touch(gap, "BaseTactile")
    wanted = np.array([[0, 0, -force], [0, 0, -force], [0, 0, 0]])
    np.testing.assert_allclose(skin.measure().forces, wanted, atol=1e-9)


def test_deeper_than_the_skin_it_is_not_seen():
    """As documented: a surface more than a thickness behind the elements."""
    _env, _plate, skin = touch(-0.011)
    np.testing.assert_array_equal(skin.measure().forces, 0)


def test_turned_hand():
    """Forces are in the sensor's axes."""
    env, plate, skin = touch(0.006)
    before = skin.measure().forces
    turn = np.eye(4)
    turn[:3, :3] = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    env.robots["hand"].transform = turn
    plate.transform = turn @ plate.transform
    np.testing.assert_allclose(skin.measure().forces, before, atol=1e-9)


def test_normals():
    """Each element looks along its own normal, of any length."""
    _env, plate, skin = touch(0.02)
    skin.change_settings(
        positions=[[0.0, 0, 0.015], [0, 0, 0.005]],
        normals=[[0.0, 0, 5], [0, 0, -1e-200]],
    )
    forces = skin.measure().forces
    np.testing.assert_allclose(forces, [[0, 0, -10], [0, 0, 0]], atol=1e-9)
    plate.transform = [1, 0, 0, 0, 0, 0, -0.05 - 0.001]
    forces = skin.measure().forces
    np.testing.assert_allclose(forces, [[0, 0, 0], [0, 0, 8]], atol=1e-9)


def test_what_is_not_felt():
    """The carrying link, and disabled bodies."""
    env, plate, skin = touch(0.005)
    skin.change_settings(positions=[[0.0, 0, -0.005]])
    plate.enabled = False
    np.testing.assert_array_equal(skin.measure().forces, 0)
    plate.enabled = True
    plate.transform = [1, 0, 0, 0, 0, 0, 0.049]
    assert skin.measure().forces[0, 2] == pytest.approx(-2000 * 0.006)
    assert env.problems == ()


@pytest.mark.parametrize("tangential", [0, 500])
def test_friction_sticks_and_slips(tangential):
    """Against the law in one dimension: a spring whose end slips at 0.4 of 10 N."""
    tags = f"<friction>0.4</friction><tangential_stiffness>{tangential}"
    env, plate, skin = touch(0.005, tags=tags + "</tangential_stiffness>")
    spring = tangential or 2000
    force, before = 0.0, None
    seen = []
    # along, a rest, all the way back, another rest
    path = [0.4, 0.8, 1.6, 3.0, 9.0, 9.0, 9.0, 8.5, 7.0, 2.0, -9.0, -9.0, -8.9]
    for place in (1e-3 * one for one in path):
        plate.transform = [1, 0, 0, 0, 0, place, 0.055]
        env.step(0.01)
        if before is not None:
            force = np.clip(force + spring * (place - before), -4, 4)
        before = place
        seen.append(force)
        found = skin.read().forces[0]
        np.testing.assert_allclose(found, (0, force, -10), atol=1e-9)
        np.testing.assert_allclose(skin.measure().forces[0], found, atol=1e-9)
    assert {-4.0, 4.0} < set(seen)
    assert len(set(seen)) > 5
    twin = env.clone()
    for one in (env, twin):
        one.bodies["plate"].transform = [1, 0, 0, 0, 0, before + 1e-4, 0.055]
        one.step(0.01)
    hands = (one.robots["hand"].attached_sensors["skin"].read() for one in (env, twin))
    first, second = (data.forces[0] for data in hands)
    np.testing.assert_allclose(first, (0, force + spring * 1e-4, -10), atol=1e-9)
    np.testing.assert_array_equal(first, second)


def test_what_is_let_go_springs_back():
    env, plate, skin = touch(0.005, tags="<friction>0.4</friction>")
    for y, height in ((0, 0.055), (0.003, 0.055), (0.003, 0.08), (0.003, 0.055)):
        plate.transform = [1, 0, 0, 0, 0, y, height]
        env.step(0.01)
        if height == 0.08:
            np.testing.assert_array_equal(skin.read().forces, 0)
    np.testing.assert_allclose(skin.read().forces[0], (0, 0, -10), atol=1e-9)


def test_a_clock_that_is_put_back_undoes_the_drag():
    """What comes later has not happened yet."""
    env, plate, skin = touch(0.005, tags="<friction>0.4</friction>")
    env.step(0.01)
    with env.preserve_state():
        for y in (0.004, 0.008):
            plate.transform = [1, 0, 0, 0, 0, y, 0.055]
            env.step(0.01)
        assert skin.read().forces[0, 1] == pytest.approx(4)
    for _ in range(3):
        np.testing.assert_allclose(skin.measure().forces[0], (0, 0, -10), atol=1e-9)
        env.step(0.01)


def test_a_turning_plate_drags_each_element_its_own_way():
    env, plate, skin = touch(0.005, tags="<friction>9</friction>")
    angle = 1e-3
    for turn in (0.0, angle):
        half = turn / 2
        plate.transform = [np.cos(half), 0, 0, np.sin(half), 0, 0, 0.055]
        env.step(0.01)
    forces = skin.read().forces
    np.testing.assert_allclose(forces[0], (0, 0, -10), atol=1e-9)
    # what is above an element now came from beside it
    came = 0.05 * np.array((np.cos(-angle), np.sin(-angle)))
    wanted = 2000 * (np.array((0.05, 0)) - came)
    np.testing.assert_allclose(forces[1], (*wanted, -10), atol=1e-9)


def test_friction_has_no_part_along_the_normal():
    """A plate that comes down straight does not slide."""
    env, plate, skin = touch(0.009, tags="<friction>0.4</friction>")
    for k in range(3):
        plate.transform = [1, 0, 0, 0, 0, 0, 0.059 - 0.001 * k]
        env.step(0.01)
    np.testing.assert_allclose(skin.read().forces[0], (0, 0, -6), atol=1e-9)


def test_noise():
    tags = "<draw_covariances>1</draw_covariances>"
    tags += "<force_covariance>.01 0 0 0 .04 0 0 0 1</force_covariance>"
    _env, _plate, skin = touch(0.005, tags=tags)
    forces = np.array([skin.measure().forces for _ in range(1000)])
    np.testing.assert_allclose(forces[:, 0].mean(axis=0)[2], -10, atol=0.15)
    for element in forces.transpose(1, 0, 2):
        np.testing.assert_allclose(element.std(axis=0), (0.1, 0.2, 1), rtol=0.1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"positions": [[0.0, 0]]}, "positions is .* expected n x 3 numbers"),
        ({"positions": np.zeros((MAX_ELEMENTS + 1, 3))}, "at most 100000 are allowed"),
        ({"normals": np.ones((2, 3))}, "there are 2 normals for 0 elements"),
        ({"normals": np.zeros((1, 3))}, "a normal is zero"),
        ({"stiffness": -1.0}, "stiffness is -1.0, expected a number >= 0"),
        ({"thickness": np.nan}, "thickness is nan, expected a number >= 0"),
        ({"positions": [["a", 0, 0]]}, "positions is"),
    ],
)
def test_what_makes_no_sense(changes, words):
    _env, _plate, skin = touch(0.1)
    with pytest.raises(ArgumentError, match=words):
        skin.set_sensor_geometry(TactileGeometry(**changes))
