"""Exposures: everything is seen where it was while the shutter was open."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import pyrave

COUNT = 5
STEP = 0.1
EYE = """<sensor type="{}" name="eye"><width>40</width><height>30</height>
  <kk>30 30 19.5 14.5</kk><format>float64</format><framerate>10</framerate>
  <shadows>1</shadows><outputs>color depth segmentation</outputs>{}</sensor>"""
EXPOSED = "<exposure_time>0.1</exposure_time><exposure_samples>5</exposure_samples>"
WALL = """<kinbody name="wall"><body name="b"><geom type="box"><extents>9 9 .1</extents>
  <translation>0 0 4</translation><diffusecolor>.2 .3 .4</diffusecolor>
  </geom></body></kinbody>"""
BALL = """<kinbody name="ball"><body name="b"><geom type="sphere"><radius>0.5</radius>
  <translation>0 0 .2</translation><diffusecolor>1 .2 .1</diffusecolor></geom>
  <geom type="box"><extents>.2 .2 .2</extents><translation>.3 0 -.4</translation>
  <diffusecolor>.1 .9 .2</diffusecolor></geom></body></kinbody>"""
ARM = """<robot name="arm"><translation>0 0 2.5</translation><kinbody>
  <body name="base"/><body name="hand"><geom type="box"><extents>.7 .1 .1</extents>
  <translation>.7 0 0</translation><diffusecolor>.9 .9 .1</diffusecolor></geom></body>
  <joint name="j" type="hinge"><body>base</body><body>hand</body><axis>0 0 1</axis>
  <limitsdeg>-180 180</limitsdeg></joint></kinbody></robot>"""


def scene(*parts):
    env = pyrave.Environment()
    env.load_string(f"<environment>{''.join(parts)}</environment>", strict=True)
    return env


def screwed(angle, pivot, place, rise=0.0):
    """Return a pose turned about a vertical line and lifted: as even as motions are."""
    x, y = place[0] - pivot[0], place[1] - pivot[1]
    cosine, sine = math.cos(angle), math.sin(angle)
    there = pivot[0] + cosine * x - sine * y, pivot[1] + sine * x + cosine * y
    half = angle / 2
    return [math.cos(half), 0, 0, math.sin(half), *there, place[2] + rise]


MOMENTS = (np.arange(COUNT) + 0.5) / COUNT


def place_ball(env, part):
    env.bodies["ball"].transform = screwed(
        0.8 * part, (0.0, -1.2), (0.0, 0.1, 2.5), rise=0.2 * part
    )


def place_arm(env, part):
    env.robots["arm"].dof_values = [0.9 * part]


def place_eye(env, part):
    env.sensors["eye"].transform = screwed(0.2 * part, (1.0, 0.5), (0, 0, 0))


def place_all(env, part):
    place_ball(env, part)
    place_arm(env, part)
    place_eye(env, part)


def exposed(kind, place):
    """Return a scene in which `place` was followed from 0 to 1 in the last step."""
    env = scene(EYE.format(kind, EXPOSED), WALL, BALL, ARM)
    env.sensors["eye"].power = True
    place_all(env, 0.0)
    for part in (0.0, 1.0):
        place(env, part)
        env.step(STEP)
    return env


def stills(env, place):
    """Return what the camera sees at each moment of that step, one by one."""
    eye = env.sensors["eye"]
    eye.options = replace(eye.options, exposure_samples=1)
    for part in MOMENTS:
        place(env, part)
        yield eye.measure()


@pytest.mark.parametrize("place", [place_ball, place_arm, place_eye, place_all])
def test_what_moves_is_blurred(place):
    """A camera and links that turn evenly are where they were at each moment."""
    env = exposed("BaseCamera", place)
    eye = env.sensors["eye"]
    found = eye.read()
    at_stamp = replace(eye.options, exposure_samples=1)
    eye.options, asked = at_stamp, eye.options
    sharp = eye.measure()
    eye.options = asked
    assert np.abs(found.image - sharp.image).max() > 0.1
    np.testing.assert_array_equal(found.depth, sharp.depth)
    np.testing.assert_array_equal(found.body_ids, sharp.body_ids)
    # asked again after the step it says the same, and so does a clone
    np.testing.assert_array_equal(eye.measure().image, found.image)
    twin = env.clone()
    np.testing.assert_array_equal(twin.sensors["eye"].measure().image, found.image)
    images = [one.image for one in stills(env, place)]
    np.testing.assert_allclose(found.image, np.mean(images, axis=0), atol=2e-6)


def test_both_cameras_of_a_pair_are_exposed():
    env = exposed("StereoCamera", place_all)
    eye = env.sensors["eye"]
    found = eye.read()
    twin = env.clone()
    again = twin.sensors["eye"].measure()
    np.testing.assert_array_equal(again.second_image, found.second_image)
    eye.options = replace(eye.options, exposure_samples=1)
    np.testing.assert_array_equal(eye.measure().disparity, found.disparity)
    seen = list(stills(env, place_all))
    for name in ("image", "second_image"):
        mean = np.mean([getattr(one, name) for one in seen], axis=0)
        np.testing.assert_allclose(getattr(found, name), mean, atol=2e-6)
        assert np.abs(mean - getattr(seen[-1], name)).max() > 0.1


def test_named_cameras_are_exposed_where_they_were():
    """The pair stands still; the cameras that it names ride on an arm."""
    arm = ARM.replace(
        "</kinbody></robot>",
        "</kinbody>"
        + "".join(
            f"""<attachedsensor name="{name}"><link>hand</link>
            <translation>{x} 0 -2.4</translation><sensor type="BaseCamera">
            <width>40</width><height>30</height><kk>30 30 19.5 14.5</kk></sensor>
            </attachedsensor>"""
            for name, x in (("left", 0), ("right", 0.1))
        )
        + "</robot>",
    )
    names = "".join(
        f"<instance_sensor url='#arm:{name}'/>" for name in ("left", "right")
    )
    env = scene(EYE.format("StereoCamera", EXPOSED + names), WALL, BALL, arm)
    env.bodies["ball"].transform = [1, 0, 0, 0, 0, 0.1, 2.5]
    env.sensors["eye"].power = True
    for part in (0.0, 1.0):
        place_arm(env, part)
        env.step(STEP)
    found = env.sensors["eye"].read()
    seen = list(stills(env, place_arm))
    for name in ("image", "second_image"):
        mean = np.mean([getattr(one, name) for one in seen], axis=0)
        np.testing.assert_allclose(getattr(found, name), mean, atol=2e-6)


def test_an_exposure_time_alone_is_enough():
    env = scene(EYE.format("BaseCamera", "<exposure_time>.1</exposure_time>"), BALL)
    eye = env.sensors["eye"]
    for part in (0.0, 1.0):
        place_ball(env, part)
        env.step(STEP)
    blurred = eye.measure().image
    eye.options = replace(eye.options, exposure_samples=1)
    assert np.abs(blurred - eye.measure().image).max() > 0.1


def test_what_rests_is_not_blurred():
    env = exposed("BaseCamera", place_ball)
    eye = env.sensors["eye"]
    for _ in range(2):
        env.step(STEP)
    found = eye.read().image
    eye.options = replace(eye.options, exposure_samples=1)
    np.testing.assert_array_equal(eye.measure().image, found)


def test_other_cameras_of_a_pair_are_no_motion():
    """A second camera that is put elsewhere was not on the way there."""
    env = exposed("StereoCamera", place_eye)
    eye = env.sensors["eye"]
    for _ in range(2):
        env.step(STEP)
    eye.change_settings(baseline=0.5)
    env.step(STEP / 4)
    found = eye.measure()
    eye.options = replace(eye.options, exposure_samples=1)
    np.testing.assert_array_equal(eye.measure().second_image, found.second_image)
