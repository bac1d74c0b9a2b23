"""Power and rendering: properties, OpenRAVE's command, saved with nothing but power."""

from __future__ import annotations

import pytest

import pyrave
from pyrave import CommandError, ConfigureCommand

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


def test_what_is_no_switch(env):
    with pytest.raises(CommandError, match="did you mean 'PowerOn'"):
        env.sensors["s"].send_command("Configure PowerOm")
    assert env.sensors["s"].power
