"""The reference of the body sensors names every tag of their tables, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pyrave_sensors import tables_body

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "body-sensors.md"
TABLES = {
    "BaseEncoder": tables_body.JOINT_ENCODER,
    "BaseForce6D": tables_body.FORCE6D,
    "BaseIMU": tables_body.IMU,
    "BaseOdometry": tables_body.ODOMETRY,
    "BaseTactile": tables_body.TACTILE,
    "BaseActuator": tables_body.ACTUATOR,
}


@pytest.mark.parametrize("interface", TABLES)
def test_tags(interface):
    head, *sections = PAGE.read_text().split("\n## ")
    (section,) = [one for one in sections if one.startswith(interface + ",")]
    common = set(re.findall(r"`<(\w+)>`", head))
    named = set(re.findall(r"`<(\w+)>`", section))
    assert named | common == set(TABLES[interface].by_tag)
