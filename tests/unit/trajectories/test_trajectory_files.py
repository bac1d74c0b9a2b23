"""Files of trajectories at their bounds, and with what other programs add."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import SceneError
from pyrave.trajectories.specification import ConfigurationSpecification

HEAD = "<trajectory><configuration><group name='x' offset='0' dof='2'/></configuration>"


@pytest.fixture
def trajectory():
    return pyrave.Environment().create("trajectory", "")


def test_processing_instructions_cut_nothing_off(trajectory):
    text = HEAD + "<data>1 2 <?hint here?> 3 4</data><readable><a>one <?hint?>two</a>"
    trajectory.deserialize(text + "</readable></trajectory>")
    np.testing.assert_array_equal(trajectory.waypoints, [[1, 2], [3, 4]])
    assert trajectory.readables["a"].to_xml().text == "one two"


def test_readables_are_nested_up_to_a_depth(trajectory):
    nested = "<a>" * 101 + "</a>" * 101
    text = f"{HEAD}<readable>{nested}</readable></trajectory>"
    trajectory.deserialize(text)
    assert "a" in trajectory.readables
    with pytest.raises(SceneError, match="nested more than 100 deep"):
        trajectory.deserialize(text.replace(nested, f"<a>{nested}</a>"))


def test_the_binary_form_holds_as_many_values_as_its_counter(trajectory, monkeypatch):
    trajectory.init(ConfigurationSpecification().add_group("x", 2))
    trajectory.insert(0, [[1.0, 2.0]])
    monkeypatch.setattr("pyrave.trajectories.binary._MAX_VALUES", 2)
    assert trajectory.to_bytes()
