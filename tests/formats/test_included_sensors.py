"""Sensors from files, and tags that two custom readers could read."""

from __future__ import annotations

import pytest

import pyrave
from pyrave import XmlElement, XmlReadable

LASER = """<sensor type="BaseLaser2D">
  <minangle>-30</minangle><maxangle>30</maxangle>
  <resolution>1</resolution><maxrange>7</maxrange>
</sensor>"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "l.sensor.xml").write_text(LASER)
    return tmp_path


def load(folder, inside):
    scene = folder / "s.env.xml"
    scene.write_text(
        f"<Environment><sensor file='l.sensor.xml' name='s'>{inside}</sensor>"
        "</Environment>"
    )
    return pyrave.load(scene)


@pytest.mark.parametrize("inside", ["", "<translation>1 0 0</translation>"])
def test_the_file_keeps_its_say_beside_generic_tags(folder, inside):
    env = load(folder, inside)
    assert env.problems == ()
    assert env.sensors["s"].get_sensor_geometry().max_range == 7.0


def test_what_replaces_the_file_is_said(folder):
    env = load(folder, "<maxrange>3</maxrange>")
    assert [p.code for p in env.problems] == ["content-replaced"]
    assert env.sensors["s"].get_sensor_geometry().max_range == 3.0


def test_a_tag_inside_a_whole_element_is_written_once(tmp_path):
    def reader(element, context):
        return XmlReadable(XmlElement("mytag", (("v", element.get("v")),)))

    path = tmp_path / "s.env.xml"
    path.write_text(
        "<Environment><sensor type='BaseLaser2D' name='s'><mytag v='5'/></sensor>"
        "</Environment>"
    )
    with pyrave.registry().register_xml_reader("sensor", "mytag", reader):
        for _ in range(3):
            env = pyrave.load(path)
            env.save(path)
            assert path.read_text().count("<mytag") == 1
