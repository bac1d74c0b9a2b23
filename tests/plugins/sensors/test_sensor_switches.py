"""Power and rendering: properties, OpenRAVE's command, saved with nothing but power."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, CommandError, ConfigureCommand

SCENE = """<environment><sensor type="{}" name="s">
  <sendcommand>Configure RenderDataOn</sendcommand></sensor></environment>"""
KINDS = ["BaseLaser2D", "BaseCamera", "BaseIMU", "BaseTactile"]


@pytest.fixture(params=KINDS)
def env(request):
    made = pyrave.Environment()
    made.load_string(SCENE.format(request.param), strict=True)
    return made


def test_switches_by_name(env):
    one = env.sensors["s"]
    assert one.render_data
    for name, at_first in (("Power", 1), ("RenderData", 1), ("RenderGeometry", 1)):
        assert one.send_command(f"Configure {name}Check") == str(at_first)
        assert one.send_command(f"Configure {name}Off") == "0"
        assert one.command("Configure", f"{name}Check") == 0
        assert one.send_command(f"configure CC_{name}On") == "1"
    assert one.configure(ConfigureCommand.RENDER_DATA_CHECK) == 1


@pytest.mark.parametrize("name", ["render_data", "render_geometry", "power"])
def test_switches_are_properties(env, name):
    one = env.sensors["s"]
    check = ConfigureCommand[f"{name.upper()}_CHECK"]
    for on in (False, True):
        setattr(one, name, on)
        assert getattr(one, name) is on
        assert one.configure(check) == int(on)
        assert getattr(env.clone().sensors["s"], name) is on


def test_colours_are_checked_and_saved(tmp_path):
    env = pyrave.Environment()
    env.load_string("<environment><sensor type='BaseLaser2D' name='s'/></environment>")
    laser = env.sensors["s"]
    assert laser.color == (0.5, 0.5, 1)
    for wrong in ("red", (1, 0), (1, 0, 2), (1, 0, float("nan")), None):
        with pytest.raises(ArgumentError, match="color of BaseLaser2D is"):
            laser.color = wrong
    laser.color = [1, 0, 0.25]
    assert env.clone().sensors["s"].color == (1, 0, 0.25)
    env.save(tmp_path / "a.env.xml")
    again = pyrave.load(tmp_path / "a.env.xml", strict=True)
    assert again.sensors["s"].color == (1, 0, 0.25)
    laser.color = (0.5, 0.5, 1)
    assert "color" not in laser.readables["BaseLaser2D"].values


def test_pictures_draw_the_scans_that_are_to_be_drawn():
    """`pyrave run` draws what a viewer would."""
    env = pyrave.Environment()
    env.load_string(
        """<environment><kinbody name="wall"><body name="w"><geom type="box">
        <extents>.1 3 3</extents><translation>3 0 0</translation></geom></body>
        </kinbody>
        <sensor type="BaseLaser2D" name="s"><color>0 1 0</color></sensor>
        <sensor type="BaseCamera" name="c"/></environment>"""
    )
    looking = {"eye": (0, -2, 2), "target": (3, 0, 0), "size": (160, 120)}
    laser = env.sensors["s"]
    plain = env.picture(**looking)
    laser.render_data = env.sensors["c"].render_data = True
    # there is no scan yet
    np.testing.assert_array_equal(env.picture(**looking), plain)
    env.step(0.01)
    shown = env.picture(**looking).astype(int)
    changed = (shown != plain).any(axis=2)
    assert 100 < changed.sum() < 12_000
    red, green, blue = (shown - plain)[changed].T
    assert (green > red).all()
    assert (green > blue).all()
    laser.send_command("Configure RenderDataOff")
    np.testing.assert_array_equal(env.picture(**looking), plain)


def test_what_is_no_switch(env):
    with pytest.raises(CommandError, match="did you mean 'PowerOn'"):
        env.sensors["s"].send_command("Configure PowerOm")
    assert env.sensors["s"].power
