"""The table of elements says of each what the reader does with it."""

from __future__ import annotations

import dataclasses
import re

import pytest

import pyrave
from pyrave.formats.vocabulary import AREAS
from pyrave_urdf.vocabulary import ELEMENTS

INERTIAL = (
    "<inertial><origin xyz='0 0 1'/><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
    "iyy='1' iyz='0' izz='1'/></inertial>"
)
BOX = "<geometry><box size='1 1 1'/></geometry>"
# a robot with places for elements, which are empty at first
ROBOT = """<robot name="r">
<link name="base">{inertial_base}{link}</link>
<link name="far">{inertial}{visual}{collision}{contact}</link>
<joint name="turn" type="revolute">{joint}</joint>
<joint name="tip" type="prismatic"><parent link="far"/><child link="end"/>
  <axis xyz="0 0 1"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
<link name="end">{inertial_base}</link>{robot}</robot>"""
JOINT = {
    "parent": "<parent link='base'/>",
    "child": "<child link='far'/>",
    "axis": "<axis xyz='0 0 1'/>",
    "limit": "<limit lower='-1' upper='1' effort='1' velocity='1'/>",
}
SENSORS = {
    "camera": (
        "<sensor name='s' type='depth'><camera><image><width>8</width><height>4"
        "</height></image>{}</camera></sensor>"
    ),
    "ray": (
        "<sensor name='s' type='ray'><ray>{}<scan><horizontal><samples>5</samples>"
        "<min_angle>-1</min_angle><max_angle>1</max_angle></horizontal><vertical>"
        "<samples>3</samples></vertical></scan></ray></sensor>"
    ),
    "imu": "<sensor name='s' type='imu'><imu>{}</imu></sensor>",
    "force_torque": (
        "<sensor name='s' type='force_torque'><pose>0 0 0 0 0 1</pose><force_torque>{}"
        "</force_torque></sensor>"
    ),
}
# texts of elements in sensors where 0.25 would mean nothing
TEXTS = {
    "camera/image/width": "16", "camera/image/height": "16",
    "camera/image/format": "L8", "camera/pose": "1 0 0 0 0 0", "pose": "1 0 0 0 0 0",
    "camera/depth_camera/output": "depths",
    "force_torque/frame": "sensor", "force_torque/measure_direction": "parent_to_child",
    "ray/scan/horizontal/samples": "9", "ray/scan/vertical/samples": "7",
    "ray/scan/horizontal/resolution": "2", "ray/scan/horizontal/min_angle": "-2",
    "ray/scan/vertical/min_angle": "-1", "ray/scan/horizontal/max_angle": "2",
    "ray/range/max": "20",
    "camera/lens/intrinsics": "<fx>9</fx><fy>9</fy><cx>4</cx><cy>2</cy>",
}  # fmt: skip
# they say what is so anyway
ALREADY = {
    *("always_on", "implicitSpringDamper", "provideFeedback"),
    *(path for path in ELEMENTS["sensor"] if path.endswith("noise/type")),
}
GAZEBO = {
    "static": "true", "gravity": "false", "turnGravityOff": "true", "kinematic": "true",
    "dampingFactor": "0.25", "mu1": "0.3", "mu2": "0.2", "springReference": "0.5",
    "springStiffness": "3", "implicitSpringDamper": "1", "provideFeedback": "1",
}  # fmt: skip
SIMPLE = {
    ("robot", "link"): "<link name='more'/><joint name='m' type='fixed'><parent "
    "link='base'/><child link='more'/></joint>",
    ("robot", "joint"): "<link name='more'/><joint name='m' type='fixed'><parent "
    "link='base'/><child link='more'/></joint>",
    ("robot", "transmission"): "<transmission name='t'><joint name='turn'/><actuator "
    "name='m'><mechanicalReduction>5</mechanicalReduction></actuator></transmission>",
    ("robot", "gazebo"): "<gazebo><static>true</static></gazebo>",
    ("robot", "sensor"): "<sensor name='s' type='imu'><parent link='base'/></sensor>",
    ("link", "inertial"): INERTIAL,
    ("link", "visual"): f"<visual>{BOX}</visual>",
    ("link", "collision"): f"<collision>{BOX}</collision>",
    ("link", "contact"): f"<contact>{BOX}</contact>",
    ("contact", "lateral_friction"): "<lateral_friction value='0.5'/>",
    ("contact", "restitution"): "<restitution value='0.5'/>",
    ("inertial", "origin"): "<origin xyz='1 2 3'/>",
    ("inertial", "mass"): "<mass value='3'/>",
    ("inertial", "inertia"): "<inertia ixx='3' ixy='0' ixz='0' iyy='3' iyz='0' "
    "izz='3'/>",
    ("visual", "origin"): "<origin xyz='1 2 3'/>",
    ("visual", "geometry"): "<geometry><sphere radius='2'/></geometry>",
    ("visual", "material"): "<material name=''><color rgba='1 0 0 1'/></material>",
    ("collision", "origin"): "<origin xyz='1 2 3'/>",
    ("collision", "geometry"): "<geometry><sphere radius='2'/></geometry>",
    ("collision", "material"): "<material name=''><color rgba='1 0 0 1'/></material>",
    ("material", "color"): "<color rgba='1 0 0 1'/>",
    ("joint", "origin"): "<origin xyz='1 2 3'/>",
    ("joint", "axis"): "<axis xyz='0 1 0'/>",
    ("joint", "limit"): "<limit lower='-2' upper='1' effort='1' velocity='1'/>",
    ("joint", "dynamics"): "<dynamics damping='1'/>",
    ("joint", "mimic"): "<mimic joint='tip'/>",
}
CASES = [
    (owner, tag)
    for owner, known in ELEMENTS.items()
    for tag in known
    if owner != "srdf"
]


GAZEBO_AND_OTHERS = (
    "<gazebo reference='nobody'>, <sensor type='gps'>, <acme> in <robot> act nowhere "
    "in pyrave"
)


def robot(**parts):
    places = dict.fromkeys(re.findall(r"{(\w+)}", ROBOT), "")
    places |= {"inertial_base": INERTIAL, "inertial": INERTIAL}
    places["joint"] = "".join(JOINT.values())
    return ROBOT.format(**(places | parts))


def in_sensor(path, text=None):
    """Return a Gazebo block with a sensor that has an element."""
    first, *_ = path.split("/")
    text = TEXTS.get(path, "0.25") if text is None else text
    inner = path.split("/")[1:] if first in SENSORS else path.split("/")
    for tag in reversed(inner):
        name = "x" if tag == "AXIS" else tag
        text = f"<{name}>{text}</{name}>"
    if first not in SENSORS:
        return f"<sensor name='s' type='imu'>{text}</sensor>"
    return SENSORS[first].format(text)


def texts(owner, tag):
    """Return a robot without an element and one with it."""
    plain = robot()
    text = SIMPLE.get((owner, tag), f"<{tag}/>")
    if owner == "robot":
        if tag == "material":
            use = "<visual><geometry><box size='1 1 1'/></geometry><material name='m'/>"
            named = "<material name='m'><color rgba='1 0 0 1'/></material>"
            use += "</visual>"
            return robot(visual=use), robot(visual=use, robot=named)
        return plain, robot(robot=text)
    if owner == "link":
        return plain, robot(link=text, inertial_base="")
    if owner == "inertial":
        return plain, robot(
            inertial=INERTIAL.replace("</inertial>", f"{text}</inertial>")
        )
    if owner in {"visual", "collision"}:
        one = f"<{owner}>{BOX}</{owner}>"
        two = f"<{owner}>{'' if tag == 'geometry' else BOX}{text}</{owner}>"
        return robot(**{owner: one}), robot(**{owner: two})
    if owner == "material":
        shown = f"<visual>{BOX}<material name=''>{{}}</material></visual>"
        return robot(visual=shown.format("")), robot(visual=shown.format(text))
    if owner == "contact":
        return plain, robot(contact=f"<contact>{text}</contact>")
    if owner == "joint":
        swapped = {"parent": "<parent link='far'/>", "child": "<child link='base'/>"}
        # neither end can be another one without the other
        other = swapped if tag in swapped else {tag: text}
        joint = "".join((JOINT | other).values())
        return plain, robot(joint=joint)
    if owner == "sensor":
        return sensors(tag)
    reference = {"gazebo of a link": "far", "gazebo of a joint": "turn"}.get(owner, "")
    inside = f"<{tag}>{GAZEBO.get(tag, '')}</{tag}>"
    if tag == "sensor":
        inside = "<sensor name='s' type='imu'/>"
    begin = f"<gazebo reference='{reference}'>" if reference else "<gazebo>"
    return (
        robot(robot=f"{begin}</gazebo>"),
        robot(robot=f"{begin}{inside}</gazebo>"),
    )


def sensors(tag):
    block = "<gazebo reference='far'>{}</gazebo>"
    if tag in SENSORS:
        full = SENSORS[tag].format("")
        return robot(), robot(robot=block.format(full))
    if tag in {"parent", "origin"}:
        sensor = "<sensor name='s' type='imu'><parent link='{}'/>{}</sensor>"
        one = sensor.format("far", "")
        other = (
            sensor.format("end", "")
            if tag == "parent"
            else sensor.format("far", "<origin xyz='1 2 3'/>")
        )
        return robot(robot=one), robot(robot=other)
    text = "7" if tag == "camera/image/far" else None
    first = tag.split("/")[0]
    plain = SENSORS[first].format("") if first in SENSORS else SENSORS["imu"].format("")
    made = in_sensor(tag, text)
    if tag == "camera/depth_camera/output":
        plain = plain.replace("'depth'", "'camera'")
        made = made.replace("'depth'", "'camera'")
    if tag.startswith(("camera/image", "ray/scan")):
        # the element takes the place of what the sensor has anyway
        leaf = tag.split("/")[-1]
        value = TEXTS.get(tag, "0.25") if text is None else text
        axis = tag.split("/")[-2]
        made = re.sub(
            rf"(<{axis}>.*?)<{leaf}>[^<]*</{leaf}>",
            rf"\1<{leaf}>{value}</{leaf}>",
            plain,
        )
        if made == plain:
            made = plain.replace(f"<{axis}>", f"<{axis}><{leaf}>{value}</{leaf}>", 1)
    return robot(robot=block.format(plain)), robot(robot=block.format(made))


def acting(text):
    """Return what a robot is without its data, and what acts nowhere of its file."""
    report = pyrave.Environment().load_string(text)
    (body,) = report.scene.bodies
    joints = [dataclasses.replace(one, readables=()) for one in body.joints]
    links = [
        dataclasses.replace(
            one,
            readables=(),
            geometries=tuple(
                dataclasses.replace(g, readables=()) for g in one.geometries
            ),
        )
        for one in body.links
    ]
    idle = {
        path
        for problem in report.problems
        if problem.code == "acts-nowhere"
        for path in re.findall(r"<([^>]+)>", problem.message.split(" in ")[0])
    }
    known = (joints, links, body.attached_sensors, report.scene.contact_properties)
    return known, idle


@pytest.mark.parametrize(("owner", "tag"), CASES)
def test_an_element_acts_where_the_table_says(owner, tag):
    meaning = ELEMENTS[owner][tag]
    assert set(meaning.acts) <= set(AREAS)
    before, after = map(acting, texts(owner, tag))
    assert before[1] == set()
    if meaning.acts:
        assert after[1] == set()
        assert (after[0] != before[0]) is (tag not in ALREADY)
    else:
        assert after[0] == before[0]
        assert after[1] == ({tag} if meaning.told else set())


@pytest.mark.parametrize("tag", ELEMENTS["srdf"])
def test_an_element_of_an_srdf_acts_where_the_table_says(tmp_path, tag):
    group = "<group name='g'><chain base_link='base' tip_link='far'/></group>"
    samples = {
        "group": group,
        "group_state": f"{group}<group_state name='s' group='g'><joint name='turn' "
        "value='0.5'/></group_state>",
        "end_effector": f"{group}<group name='hand'><joint name='tip'/></group>"
        "<end_effector name='e' parent_link='far' group='hand'/>",
        "virtual_joint": "<virtual_joint name='v' type='fixed' child_link='base'/>",
        "disable_collisions": "<disable_collisions link1='base' link2='end'/>",
    }
    (tmp_path / "r.urdf").write_text(robot())
    before = pyrave.read(tmp_path / "r.urdf").bodies[0]
    inside = samples.get(tag, f"<{tag}/>")
    (tmp_path / "r.srdf").write_text(f"<robot name='r'>{inside}</robot>")
    env = pyrave.Environment()
    report = env.load(tmp_path / "r.urdf")
    after = dataclasses.replace(report.scene.bodies[0], readables=before.readables)
    acts = bool(ELEMENTS["srdf"][tag].acts)
    assert (after != before) is acts
    idle = [str(p) for p in report.problems if p.code == "acts-nowhere"]
    assert len(idle) == (not acts)
    assert all(f"<{tag}> in the SRDF acts nowhere" in one for one in idle)


def test_what_nobody_knows_is_told_once_for_each_place():
    many = "".join(f"<gazebo reference='far'><kp>{n}</kp></gazebo>" for n in range(50))
    text = robot(
        robot=f"{many}<gazebo reference='end'><kd>1</kd></gazebo><acme/>"
        "<gazebo reference='nobody'><kp>1</kp></gazebo>"
        "<gazebo reference='far'><sensor name='g' type='gps'/></gazebo>",
        joint="".join(JOINT.values()) + "<acme/><acme/>",
    )
    report = pyrave.Environment().load_string(text)
    messages = [p.message for p in report.problems]
    assert {p.code for p in report.problems} == {"acts-nowhere"}
    assert set(messages) == {
        GAZEBO_AND_OTHERS,
        "<kp>, <kd> in <gazebo> of links act nowhere in pyrave",
        "<acme> in <joint> acts nowhere in pyrave",
    }


def test_tags_that_a_plugin_reads_are_not_idle():
    env = pyrave.Environment()
    env.registry.register_xml_reader(
        "joint", "acme", lambda e, c: pyrave.XmlReadable(c.as_written(e))
    )
    report = env.load_string(robot(joint="".join(JOINT.values()) + "<acme/>"))
    assert not report.problems
