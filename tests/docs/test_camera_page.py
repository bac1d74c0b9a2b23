"""The page of cameras names every tag, id and option, and their defaults."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

import pyrave
from pyrave_sensors import tables_camera
from pyrave_sensors.camera_options import IMAGES, CameraOptions
from pyrave_sensors.hooks import ALIASES

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cameras.md"
_TEXT = _PAGE.read_text(encoding="utf-8")
_TAGS = {tag.lower() for tag in re.findall(r"<(\w+)[ >]", _TEXT)}
_TABLES = [tables_camera.CAMERA, tables_camera.STEREO_CAMERA]
_KNOWN = {
    tag for table in _TABLES for tag in (*table.by_tag, *table.several, *table.custom)
}


def test_every_tag_is_there_and_none_is_invented():
    assert _KNOWN | {"rectification"} == _TAGS


def test_every_id_output_and_option_is_there():
    cameras = {"BaseCamera", "StereoCamera"}
    ids = cameras | {alias for alias, name in ALIASES.items() if name in cameras}
    words = set(re.findall(r"`([^`<> ]+)`", _TEXT))
    assert ids | set(IMAGES) <= words
    assert {item.name for item in fields(CameraOptions)} <= _TAGS


@pytest.mark.parametrize(
    "tag",
    [
        "focal_length", "channels", "format", "gain", "framerate", "exposure_time",
        "outputs", "shadows", "samples", "exposure_samples", "max_range",
        "see_invisible", "include_robot", "noise_gaussian", "noise_shot", "seed",
        "power", "color", "baseline",
    ],
)  # fmt: skip
def test_defaults_are_those_of_the_page(tag):
    """Saying the default changes nothing."""
    row = re.search(rf"^\| [^|]*`<{tag}>`[^|]*\| ([^|]*) \|", _TEXT, re.MULTILINE)[1]
    plain, said = pyrave.Environment(), pyrave.Environment()
    for env, inner in ((plain, ""), (said, f"<{tag}>{row}</{tag}>")):
        sensor = (
            f'<sensor type="StereoCamera" name="s"><power>0</power>{inner}</sensor>'
        )
        env.load_string(f"<environment>{sensor}</environment>", strict=True)
    mine, other = said.sensors["s"], plain.sensors["s"]
    assert mine.get_sensor_geometry() == other.get_sensor_geometry()
    assert mine.options == other.options
    assert (mine.seed, mine.color) == (other.seed, other.color)
    assert (mine.power, mine.period) == (other.power, other.period)
