"""The pages of sensors print the settings of all of them, with defaults that hold."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import pyrave
from pyrave_sensors.hooks import _GEOMETRIES, ALIASES
from pyrave_sensors.optics.camera_options import IMAGES
from pyrave_sensors.ranges.lidar_presets import PRESETS

_DOCS = Path(__file__).parents[2] / "docs"
_PAGES = {
    name: (_DOCS / "reference" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("scanners", "body-sensors", "cameras")
}
_PRINTED = set(re.findall(r"{sensor-settings} ([\w.]+)", "".join(_PAGES.values())))
_CLASSES = {name: place.replace(":", ".") for name, place in _GEOMETRIES.items()}


@pytest.fixture
def rows_of(monkeypatch):
    monkeypatch.syspath_prepend(str(_DOCS / "_ext"))
    pytest.importorskip("sphinx")
    from vocabulary import settings_rows

    yield settings_rows
    sys.modules.pop("vocabulary", None)


def test_every_sensor_is_printed():
    assert set(_CLASSES.values()) <= _PRINTED
    words = set(re.findall(r"[\w-]+", " ".join(_PAGES.values())))
    assert {*_CLASSES, *ALIASES, *IMAGES, *PRESETS} <= words


@pytest.mark.parametrize("interface", _CLASSES)
def test_saying_the_printed_default_changes_nothing(interface, rows_of):
    rows = rows_of(_CLASSES[interface])
    plain = _loaded(interface, "").settings
    # what is said beside what it means
    also, said = ("power", "rate"), 0
    for tags, default, meaning in rows:
        assert meaning
        for tag in tags:
            # texts stand for what no tag can say
            if not re.fullmatch(r"[-+.e\d ]+|color|hit|uint8", default):
                continue
            found = _loaded(interface, f"{tag}{default}</{tag[1:]}").settings
            same = {name: getattr(found, name) for name in also if hasattr(found, name)}
            assert found == replace(plain, **same), tag
            said += 1
    assert said >= 4


def _loaded(interface, tags):
    env = pyrave.Environment()
    sensor = f"<sensor type='{interface}' name='s'>{tags}</sensor>"
    env.load_string(f"<environment>{sensor}</environment>", strict=True)
    return env.sensors["s"]
