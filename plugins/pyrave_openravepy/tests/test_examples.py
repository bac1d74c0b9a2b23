"""Short programs by the names of OpenRAVE's examples."""

import pytest

import pyrave
from pyrave_openravepy.api import examples

# what each says at least
SAID = {
    "checkconvexdecomposition": "points are inside",
    "collision": "in the table: True",
    "constraintplanning": " waypoints",
    "movehandstraight": "moved by -0.0",
    "showsensors": "laser: ",
    "simplegrasping": "holds ['mug']",
    "simplenavigation": "it stands at [0.3 0.2]",
    "testupdatingbodies": "s later it is at",
    "tutorial_grasptransform": "the hand, once the mug has turned",
    "tutorial_iksolutions": "off by",
    "tutorial_iktranslation": ": [",
    "tutorial_inversereachability": "of 20 places",
    "tutorial_plotting": "6 drawings",
}


def test_each_example_is_here():
    assert sorted(SAID) == examples.names()


@pytest.mark.parametrize("name", sorted(SAID))
def test_examples_run(openravepy, name, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))
    examples.run(name, ["--testmode"])
    assert SAID[name] in capsys.readouterr().out


def test_wrong_names_and_scenes_are_told(openravepy):
    with pytest.raises(pyrave.ArgumentError, match="did you mean 'collision'"):
        examples.run("colision")
    with pytest.raises(openravepy.openrave_exception, match="--scene: no/such"):
        examples.run("collision", ["--scene", "no/such.env.xml"])
