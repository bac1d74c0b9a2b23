"""What entry points declare besides classes, and ids that the hook module offers."""

import numpy as np
import pytest

import pyrave
from acme_kept.kept_database import SpanDatabase
from acme_kept.kept_note import KeptNote
from acme_kept.kept_sensor import KeptSensor

NOTED = """<environment>
  <plugin label="hall" most="3">acme-kept</plugin>
  <sensor type="KeptSensor" name="eye"><kept_note weight="2">left</kept_note></sensor>
</environment>"""


def test_the_reader_of_a_tag(tmp_path):
    env = pyrave.load_string(NOTED, strict=True)
    assert env.sensors["eye"].readables["kept_note"] == KeptNote("left", 2.0)
    env.save(tmp_path / "noted.env.xml")
    again = pyrave.load(tmp_path / "noted.env.xml", strict=True)
    assert again.sensors["eye"].readables["kept_note"].weight == 2.0
    with pytest.raises(pyrave.SceneError, match="weight is 'two'") as caught:
        pyrave.load_string(NOTED.replace('weight="2"', 'weight="two"'))
    assert caught.value.line == 3


def test_settings_of_the_package():
    env = pyrave.load_string(NOTED, strict=True)
    assert env.plugin_settings("acme-kept") == {"label": "hall", "most": 3}
    with pytest.warns(pyrave.SceneWarning, match="most is 0, expected"):
        wrong = pyrave.load_string(NOTED.replace('most="3"', 'most="0"'))
    assert [one.code for one in wrong.problems] == ["plugin-setting"]


def test_defaults_of_types_that_had_none():
    env = pyrave.Environment()
    assert env.create("spacesampler", "").interface_id == "KeptSpacesampler"


def test_other_ids_make_the_same_class():
    env = pyrave.Environment()
    assert type(env.create("sensor", "KeptEye")) is KeptSensor
    told = "^sensor 'FormerEye' goes in acme-kept 2.0: it is 'KeptSensor' now$"
    with pytest.warns(DeprecationWarning, match=told):
        assert env.create("sensor", "FormerEye").interface_id == "KeptSensor"


def test_the_database(scene, tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_CACHE_DIR", str(tmp_path))
    arm = scene.robots["arm"].manipulators[0]
    found = SpanDatabase(arm).build().arrays["distances"]
    assert found.shape == (200,)
    assert np.all((found >= 0.1) & (found <= 0.75))
