"""SRDF beside URDF: groups, ends, states, pairs of links."""

from __future__ import annotations

import pytest
from scene_files import scene_beside

import pyrave
from pyrave_urdf.extras import end_effectors, group_states, virtual_joints

ARM = """<robot name="arm"><link name="base"/><link name="l1"/><link name="l2"/>
<link name="hand"/><link name="finger"/><link name="plate"/>
<joint name="j1" type="continuous"><parent link="base"/><child link="l1"/>
  <axis xyz="0 0 1"/></joint>
<joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/>
  <axis xyz="0 1 0"/></joint>
<joint name="wrist" type="fixed"><parent link="l2"/><child link="hand"/></joint>
<joint name="grip" type="prismatic"><parent link="hand"/><child link="finger"/>
  <axis xyz="1 0 0"/><limit lower="0" upper="0.1" effort="1" velocity="1"/></joint>
<joint name="side" type="fixed"><parent link="base"/><child link="plate"/></joint>
</robot>"""
SRDF = scene_beside(__file__, "srdf.srdf")


@pytest.fixture
def load(tmp_path):
    kept = []

    def made(srdf=SRDF, place="arm.srdf", **options):
        (tmp_path / "urdf").mkdir(exist_ok=True)
        path = tmp_path / "urdf" / "arm.urdf"
        path.write_text(ARM)
        target = tmp_path / "urdf" / place
        target.parent.mkdir(exist_ok=True)
        target.write_text(srdf)
        kept.append(pyrave.load(path, **options))
        return kept[-1].robots["arm"]

    return made


@pytest.mark.parametrize("place", ["arm.srdf", "../srdf/arm.srdf", "config/arm.srdf"])
def test_groups_that_are_chains_become_manipulators(load, place):
    robot = load(place=place, strict=True)
    found = {
        arm.name: (arm.base.name, arm.end_effector.name) for arm in robot.manipulators
    }
    assert found == {
        "arm": ("base", "hand"),
        "by_joints": ("base", "l2"),
        "by_links": ("base", "l2"),
        "all": ("base", "finger"),
    }
    arm = robot.manipulators["arm"]
    assert arm.arm_indices.tolist() == [0, 1]
    assert arm.gripper_indices.tolist() == [2]


def test_states_ends_and_virtual_joints(load):
    robot = load(strict=True)
    assert group_states(robot) == {"arm": {"home": {"j1": (0.5,), "j2": (-1.0,)}}}
    (hand,) = end_effectors(robot)
    assert (hand.name, hand.group, hand.parent_link) == ("hand", "gripper", "hand")
    (floor,) = virtual_joints(robot)
    assert (floor.type, floor.parent_frame, floor.child_link) == (
        *("fixed", "world"),
        "base",
    )


def test_disabled_pairs_are_adjacent(load):
    robot = load(strict=True)
    assert robot.structure.are_adjacent_links("plate", "finger")


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "part"),
    [
        ('tip_link="hand"', 'tip_link="hnd"', "unknown-link", 4, "no link 'hnd'"),
        ('base_link="base" tip_link="hand"', 'base_link="hand" tip_link="base"',
         "bad-chain", 4, "no chain of joints"),
        ('<joint name="j2"/><joint', '<joint name="j9"/><joint', "unknown-joint", 5,
         "no joint 'j9'"),
        ('<group name="arm"/>', '<group name="all"/>', "include-cycle", 8, "itself"),
        ('name="by_links"', 'name="by_joints"', "repeated-item", 6, "'by_joints'"),
        ('link2="finger"', 'link2="fingers"', "unknown-link", 12, "'fingers'"),
        ('<robot name="arm">', '<robot name="leg">', "unknown-robot", 2, "'leg'"),
    ],
)  # fmt: skip
def test_mistakes_are_warnings_in_the_srdf(load, old, new, code, line, part, tmp_path):
    robot = load(SRDF.replace(old, new))
    (problem,) = robot.env.problems
    assert (problem.code, problem.line) == (code, line)
    assert problem.file == str(tmp_path / "urdf" / "arm.srdf")
    assert part in problem.message


@pytest.mark.parametrize("joint", ["j1", "j9", "floor"])
@pytest.mark.parametrize("value", ["half", "0,5", "nan"])
def test_a_value_that_is_no_number_costs_the_value(load, joint, value):
    old, new = 'name="j1" value="0.5"', f'name="{joint}" value="{value}"'
    problems = load(SRDF.replace(old, new)).env.problems
    (problem,) = [one for one in problems if one.code != "unknown-joint"]
    assert (problem.code, problem.line) == ("bad-number", 9)
    assert "it is not in the state" in problem.message
    with pytest.raises(pyrave.SceneError):
        load(SRDF.replace(old, new), strict=True)


@pytest.mark.parametrize(
    "text", ["", "hello", "<robot name='arm'>", "<sdf/>", "<!DOCTYPE robot><robot/>"]
)
def test_what_is_no_srdf_costs_no_robot(load, text, tmp_path):
    """Nobody asked for the file that lies beside a URDF."""
    robot = load(text)
    (problem,) = robot.env.problems
    assert problem.file == str(tmp_path / "urdf" / "arm.srdf")
    assert "the SRDF is left out" in problem.message
    assert not robot.manipulators
    with pytest.raises(pyrave.SceneError):
        load(text, strict=True)


@pytest.mark.parametrize("data", [b"<!-- \xfc -->", b"<!-- a -- b -->", b"<!-- \0 -->"])
def test_comments_are_those_of_urdf(load, data, tmp_path):
    robot = load(SRDF)
    path = tmp_path / "urdf" / "arm.srdf"
    path.write_bytes(data + SRDF.encode() + b"\0")
    env = pyrave.load(tmp_path / "urdf" / "arm.urdf")
    assert {one.code for one in env.problems} == {"not-xml"}
    assert env.robots[0].manipulators.names == robot.manipulators.names


def nested(count, inside):
    """Return an SRDF of groups that each hold the next one, the last one a joint."""
    groups = "".join(
        f'<group name="g{n}">{inside.format(n + 1)}</group>' for n in range(count)
    )
    last = f'<group name="g{count}"><joint name="j1"/></group>'
    return f'<robot name="arm">{groups}{last}</robot>'


def test_groups_that_double_sixty_times_name_a_joint_once(load):
    robot = load(nested(60, '<group name="g{0}"/><group name="g{0}"/>'))
    assert [arm.end_effector.name for arm in robot.manipulators] == ["l1"] * 61


def test_groups_are_nested_deeper_than_python_calls(load):
    assert len(load(nested(1100, '<group name="g{0}"/>')).manipulators) == 1101


def test_groups_that_name_more_than_memory_holds_are_refused(load):
    with pytest.raises(pyrave.SceneError) as caught:
        load(nested(2000, '<group name="g{0}"/>'))
    assert caught.value.first.code == "file-too-large"
    assert caught.value.first.file.endswith("arm.srdf")


def test_a_hand_moves_the_joints_of_its_groups_and_chains(load):
    hand = '<group name="gripper"><chain base_link="hand" tip_link="finger"/></group>'
    more = '<group name="hands"><group name="gripper"/></group>'
    text = SRDF.replace(
        '<group name="gripper"><joint name="grip"/></group>', hand + more
    )
    text = text.replace(
        'group="gripper" parent_link="hand" parent_group="arm"',
        'group="hands" parent_link="hand"',
    )
    arms = load(text).manipulators
    assert arms["arm"].gripper_indices.tolist() == [2]
    assert arms["by_links"].gripper_indices.tolist() == []


def test_confined_loads_leave_an_srdf_outside_alone(load, tmp_path):
    robot = load(
        place="../srdf/arm.srdf", confine=True, resource_roots=tmp_path / "urdf"
    )
    assert len(robot.manipulators) == 0


# -- chains, hands and states ----------------------------------------------------------


def srdf(inside):
    return f'<robot name="arm">{inside}</robot>'


CHAIN = '<chain base_link="base" tip_link="l2"/>'


@pytest.mark.parametrize(
    ("inside", "arms"),
    [
        # what lists joints beside a chain that has them
        (f'<group name="arm"><joint name="j1"/>{CHAIN}</group>',
         {"arm": ("base", "l2")}),
        # an end effector that names an arm: it ends at the link
        ((f'<group name="arm">{CHAIN}</group>'
         '<end_effector name="e" group="arm" parent_link="hand"/>'),
         {"arm": ("base", "hand")}),
        # two chains are one
        (('<group name="low"><chain base_link="base" tip_link="l1"/></group>'
         '<group name="up"><chain base_link="l1" tip_link="hand"/></group>'
         '<group name="arm"><group name="low"/><group name="up"/></group>'),
         {"low": ("base", "l1"), "up": ("l1", "hand"), "arm": ("base", "hand")}),
        # a hand that no arm has comes last
        ((f'<group name="grip"><joint name="grip"/></group>'
         f'<group name="arm">{CHAIN}</group>'
         '<end_effector name="e" group="grip" parent_link="plate"/>'),
         {"arm": ("base", "l2"), "grip": ("hand", "finger")}),
        # no chain: a joint is missing in the middle
        ('<group name="arm"><joint name="j1"/><joint name="grip"/></group>', {}),
    ],
)  # fmt: skip
def test_which_groups_are_manipulators(load, inside, arms):
    robot = load(srdf(inside))
    found = {
        arm.name: (arm.base.name, arm.end_effector.name) for arm in robot.manipulators
    }
    assert found == arms
    assert list(found) == list(arms)


def test_states_of_one_name_are_one_configuration(load):
    robot = load(
        srdf("""<group name="a"><joint name="j1"/></group>
        <group name="b"><joint name="j2"/><joint name="grip"/></group>
        <group_state name="home" group="a"><joint name="j1" value="0.5"/></group_state>
        <group_state name="home" group="b"><joint name="j2" value="-1"/></group_state>
        <group_state name="home" group="b"><joint name="j2" value="1"/></group_state>
        <group_state name="empty" group="b"/>""")
    )
    assert {**robot.configurations} == {
        "home": {"j1": 0.5, "j2": -1},
        "home b": {"j2": 1},
    }
    robot.set_joints(robot.configurations["home"])
    assert robot.dof_values.tolist() == [0.5, -1.0, 0.0]


def test_states_give_values_to_joints_that_move(load):
    robot = load(
        srdf("""<group name="a"><joint name="j1"/></group>
        <group_state name="home" group="a"><joint name="wrist" value="1"/>
        <joint name="j1" value="0.5"/><joint name="j2" value="1 2"/></group_state>""")
    )
    assert {**robot.configurations} == {"home": {"j1": 0.5}}
    (problem,) = robot.env.problems
    assert "'j2' has 1 axes, found 2 values" in problem.message


def test_configurations_are_written_as_states(load, tmp_path):
    robot = load()
    robot.configurations.add("home", {"j1": 0.5, "j2": 0.25})  # it was another
    robot.configurations.add("wide", {"j1": 1, "grip": 0.1})
    path = tmp_path / "out" / "arm.urdf"
    path.parent.mkdir()
    assert robot.env.save(path, srdf=True) == ()
    found = pyrave.load(path).robots[0]
    assert found.configurations == robot.configurations
    assert path.with_suffix(".srdf").read_text().count("<group_state") == 3
    found.configurations.remove("wide")
    found.env.save(path, srdf=True)
    assert list(pyrave.load(path).robots[0].configurations) == ["home"]


def test_a_configuration_of_a_joint_in_no_group_is_a_loss(load, tmp_path):
    robot = load(srdf('<group name="arm"><joint name="j1"/></group>'))
    robot.configurations.add("all")
    (loss,) = robot.env.save(tmp_path / "arm.urdf", srdf=True)
    assert "values of joints in no group" in loss
    assert "all: j2, grip" in loss
    (_, states, _) = robot.env.save(tmp_path / "arm.urdf")
    assert "configurations are not written: 'all' (save with srdf=True" in states


def test_a_robot_in_a_scene_has_its_configurations(load, tmp_path):
    load()
    scene = tmp_path / "urdf" / "two.env.xml"
    scene.write_text("""<environment><robot name="r"><kinbody file="arm.urdf"
    prefix="p_"/></robot><robot name="s" file="arm.urdf"/></environment>""")
    env = pyrave.load(scene)
    assert env.robots["s"].configurations["home"] == {"j1": 0.5, "j2": -1.0}
