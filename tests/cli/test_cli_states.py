"""``--state`` and limits of joints on the command line."""

from __future__ import annotations

import pytest

URDF = """<robot name='r'><link name='a'/><link name='b'/>
<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>
<limit lower='-2' upper='2' effort='1' velocity='2'/></joint></robot>"""
SRDF = """<robot name='r'><group name='arm'><joint name='j'/></group>
<group_state name='ready' group='arm'><joint name='j' value='0.75'/></group_state>
</robot>"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "r.srdf").write_text(SRDF)
    (tmp_path / "r.urdf").write_text(URDF)
    return tmp_path / "r.urdf"


@pytest.mark.parametrize("word", ["ready", "r/ready"])
def test_robots_start_in_named_states(pyrave, path, word):
    said = pyrave("info", path, "--state", word, "--json")
    assert said.code == 0, said.err
    (joint,) = said.data["bodies"][0]["joints"]
    assert joint["values"] == [0.75]
    said = pyrave("plan", path, "--state", word, "--goal", "j=0.75")
    assert said.code == 0, said.err
    assert "0.000 s" in said.out


def test_unknown_states_are_answered_with_the_known_ones(pyrave, path):
    said = pyrave("info", path, "--state", "redy")
    assert said.code != 0
    assert "'redy', did you mean 'ready'?; known: ready" in said.err


def test_limits_of_joints_are_given(pyrave, path, tmp_path):
    said = pyrave("info", path, "--acceleration-time", "0.25", "--json")
    (joint,) = said.data["bodies"][0]["joints"]
    assert joint["acceleration_limits"] == [8.0]
    pytest.importorskip("yaml")
    limits = tmp_path / "limits.yaml"
    limits.write_text("joint_limits: {j: {max_velocity: 0.5}}")
    said = pyrave("info", path, "--joint-limits", limits, "--json")
    (joint,) = said.data["bodies"][0]["joints"]
    assert joint["velocity_limits"][1] == [0.5]
