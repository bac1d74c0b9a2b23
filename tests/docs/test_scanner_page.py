"""The page of scanners names every tag and id, and their defaults."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pyrave
from pyrave_sensors import tables_laser
from pyrave_sensors.hooks import ALIASES
from pyrave_sensors.lidar_presets import PRESETS

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "scanners.md"
_TEXT = _PAGE.read_text(encoding="utf-8")
_TABLES = ("LASER_2D", "SPINNING_LASER", "FLASH_LIDAR", "MULTI_BEAM")
_TAGS = {tag.lower() for tag in re.findall(r"<(\w+)>", _TEXT)}


@pytest.mark.parametrize("name", _TABLES)
def test_every_tag_is_there(name):
    table = getattr(tables_laser, name)
    assert {*table.by_tag, *table.several} <= _TAGS


def test_no_tag_is_invented():
    known = {"reflectivity"}
    for name in _TABLES:
        table = getattr(tables_laser, name)
        known |= {*table.by_tag, *table.several}
    assert known >= _TAGS


def test_every_scanner_and_preset_is_there():
    scanners = {"BaseLaser2D", "BaseSpinningLaser2D", "BaseFlashLidar3D"}
    scanners.add("MultiBeamLidar")
    ids = scanners | {alias for alias, name in ALIASES.items() if name in scanners}
    words = set(re.findall(r"`([^`<> ]+)`", _TEXT))
    assert ids <= words
    assert set(PRESETS) <= words


@pytest.mark.parametrize(
    ("kind", "tag"),
    [
        ("BaseLaser2D", "minrange"),
        ("BaseLaser2D", "maxrange"),
        ("BaseLaser2D", "scantime"),
        ("BaseLaser2D", "minangle"),
        ("BaseLaser2D", "maxangle"),
        ("BaseSpinningLaser2D", "spinspeed"),
        ("BaseSpinningLaser2D", "spinaxis"),
        ("BaseFlashLidar3D", "KK"),
        ("MultiBeamLidar", "rate"),
        ("MultiBeamLidar", "resolution"),
        ("BaseLaser2D", "noise_sigma"),
        ("BaseLaser2D", "dropout_angle"),
        ("BaseLaser2D", "seed"),
        ("BaseLaser2D", "include_robot"),
        ("BaseLaser2D", "intensity_range"),
    ],
)
def test_defaults_are_those_of_the_page(kind, tag):
    """Saying the default changes nothing."""
    text = _TEXT
    for start, title in {"Multi": "Multi-beam", "BaseF": "Flash"}.items():
        own = _TEXT.split(f"## {title}")[1]
        text = own if kind.startswith(start) and f"<{tag}>" in own else text
    row = re.search(rf"^\| [^|]*`<{tag}>`[^|]*\| ([^|]*) \|", text, re.MULTILINE)[1]
    plain, said = pyrave.Environment(), pyrave.Environment()
    for env, inner in ((plain, ""), (said, f"<{tag}>{row}</{tag}>")):
        sensor = f'<sensor type="{kind}" name="s">{inner}</sensor>'
        env.load_string(f"<environment>{sensor}</environment>", strict=True)
    mine, other = said.sensors["s"], plain.sensors["s"]
    assert mine.get_sensor_geometry() == other.get_sensor_geometry()
    assert mine.noise == other.noise
    assert mine.seed == other.seed
    assert mine.include_robot == other.include_robot
    assert mine.intensity_range == other.intensity_range
