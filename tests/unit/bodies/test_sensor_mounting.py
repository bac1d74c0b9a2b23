"""Sensors know where they are mounted."""

from __future__ import annotations

import gc

import pyrave

ROBOT = """<environment><robot name="r"><kinbody><body name="b"/></kinbody>
  <attachedsensor name="eye"><link>b</link><sensor type="BaseLaser2D"/>
  </attachedsensor></robot></environment>"""


def test_a_mounted_sensor_knows_its_link_and_a_removed_one_does_not():
    env = pyrave.Environment()
    env.load_string(ROBOT)
    mounted = env.robots["r"].attached_sensors["eye"]
    sensor = mounted.sensor
    assert sensor.mounting is mounted
    assert sensor.mounting.link.name == "b"
    other = env.create("sensor", "BaseLaser2D")
    assert other.mounting is None
    mounted.sensor = other
    assert sensor.mounting is None
    assert other.mounting is mounted
    env.robots["r"].remove_attached_sensor("eye")
    assert other.mounting is None


def test_a_clone_mounts_its_own_sensor():
    env = pyrave.Environment()
    env.load_string(ROBOT)
    twin = env.clone()
    mounted = twin.robots["r"].attached_sensors["eye"]
    assert mounted.sensor.mounting is mounted
    del env
    gc.collect()
    assert mounted.sensor.mounting is mounted
