"""Bodies and robots made of several elements and files."""

import pytest

ARM = """<kinbody name="arm">
  <body name="base"/>
  <body name="tip"><translation>0 0 1</translation></body>
  <joint name="j"><body>base</body><body>tip</body><axis>0 0 1</axis></joint>
  <joint name="j2" mimic_pos="2*j+j_1"><body>base</body><body>tip</body>
    <axis>1 0 0</axis></joint>
  <adjacent>base tip</adjacent>
</kinbody>"""
ROBOT = """<robot name="armbot"><kinbody file="arm.xml"/>
  <manipulator name="m"><base>tip</base><effector>tip</effector><joints>j</joints>
    <closingdirection>-3</closingdirection></manipulator>
  <attachedsensor name="s"><link>tip</link><sensor type="Laser"/></attachedsensor>
</robot>"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "arm.xml").write_text(ARM)
    (tmp_path / "armbot.xml").write_text(ROBOT)
    return tmp_path


def test_prefix_renames_links_joints_formulas_and_pairs(only_body, folder):
    body = only_body(
        "<kinbody prefix='l_' file='arm.xml'/><kinbody prefix='r_' file='arm.xml'/>",
        folder=folder,
    )
    assert [x.name for x in body.links] == ["l_base", "l_tip", "r_base", "r_tip"]
    assert [x.name for x in body.joints] == ["l_j", "l_j2", "r_j", "r_j2"]
    assert body.joints[3].axes[0].mimic.position == "2*r_j+r_j_1"
    assert (body.joints[2].parent, body.joints[2].child) == ("r_base", "r_tip")
    assert body.adjacent == {("l_base", "l_tip"), ("r_base", "r_tip")}


def test_robot_prefix_renames_manipulators_and_sensors(read, folder):
    text = (
        "<robot name='dual'><robot prefix='l_' file='armbot.xml'/>"
        "<robot prefix='r_' file='armbot.xml'/></robot>"
    )
    robot = read(text, folder).bodies[0]
    # The later file finds manipulators already there and puts its own in front.
    assert [m.name for m in robot.manipulators] == ["r_m", "l_m"]
    left = robot.manipulators[1]
    assert (left.base, left.end_effector) == ("l_tip", "l_tip")
    assert left.gripper_joints == ("l_j",)
    assert left.chucking_direction == (-1.0,)
    assert {(s.name, s.link) for s in robot.attached_sensors} == {
        ("l_s", "l_tip"),
        ("r_s", "r_tip"),
    }


def test_same_name_appends_and_moves_what_hangs_on_the_link(only_body, folder):
    body = only_body(
        "<body name='root'/><kinbody file='arm.xml'/>"
        "<body name='base'><translation>1 0 0</translation>"
        "<geom type='sphere'><radius>1</radius></geom></body>",
        folder=folder,
    )
    places = {link.name: link.pose.translation for link in body.links}
    assert places == {"root": (0, 0, 0), "base": (1, 0, 0), "tip": (1, 0, 1)}


def test_a_body_of_a_file_has_the_name_that_is_nearest(only_body, folder):
    (folder / "b.xml").write_text(
        "<body name='inner'><translation>0 0 1</translation></body>"
    )
    body = only_body(
        "<body file='b.xml'/><body name='outer' file='b.xml'/>"
        "<joint name='j'><body>inner</body><body>outer</body><limits>0 0</limits>"
        "</joint>",
        folder=folder,
    )
    assert [link.name for link in body.links] == ["inner", "outer"]
    assert body.joints[0].parent == "inner"


def test_outer_attributes_act_in_the_file(read, folder):
    scene = read(
        "<environment><robot file='armbot.xml' name='other'/></environment>", folder
    )
    body = scene.bodies[0]
    assert body.name == "other"
    assert body.uri == str(folder / "armbot.xml")


def test_a_file_with_a_type_is_loaded_into_that_type(read, folder):
    text = "<environment><robot file='armbot.xml' type='MyRobot x'/></environment>"
    body = read(text, folder).bodies[0]
    assert body.interface == "MyRobot x"
    assert len(body.links) == 2


def test_controllers_of_a_robot_are_bound_to_it(read, folder):
    scene = read(
        "<environment><robot file='armbot.xml' name='r'>"
        "<controller type='C' joints='j' transform='1'/></robot>"
        "<controller type='D' robot='r'/></environment>",
        folder,
    )
    found = [
        (c.interface, c.robot, c.joints, c.control_transform) for c in scene.interfaces
    ]
    assert found == [("C", "r", ("j",), True), ("D", "r", (), False)]


def test_unknown_robot_of_a_controller(refuse, read):
    text = "<environment><controller type='C' robot='wamm'/></environment>"
    (problem,) = refuse(text, known_bodies=frozenset({"wam"}))
    assert problem.code == "unknown-robot"
    assert problem.hint == "did you mean 'wam'?"


def test_attached_sensor_without_link_is_on_the_base(read):
    robot = read(
        "<robot name='r'><kinbody><body name='b'/></kinbody>"
        "<attachedsensor name='s'><translation>0 0 1</translation>"
        "<sensor type='L'><translation>1 0 0</translation>"
        "</sensor></attachedsensor></robot>"
    ).bodies[0]
    sensor = robot.attached_sensors[0]
    assert sensor.link == "b"
    assert sensor.pose.translation == (1, 0, 1)


def test_duplicate_names_name_both_places(refuse, folder):
    problems = refuse(
        "<environment>\n<kinbody name='a'/>\n  <kinbody name='a'/>\n</environment>"
    )
    assert problems[0].code == "duplicate-name"
    assert "<string>:2" in problems[0].message
    assert (problems[0].line, problems[0].column) == (3, 3)
    joint = "<joint name='j'><body>a</body><body>b</body><axis>0 0 1</axis></joint>"
    (problem,) = refuse(
        f"<kinbody name='k'><body name='a'/><body name='b'/>{joint}{joint}</kinbody>"
    )
    assert "joint 'j' of body 'k' exists already" in problem.message


def test_kinbody_colours_reach_all_geometries(only_body):
    body = only_body(
        "<body name='a'><geom type='sphere'><radius>1</radius></geom></body>"
        "<diffuseColor>1 0 0</diffuseColor><transparency>0.5</transparency>"
    )
    material = body.links[0].geometries[0].material
    assert (material.diffuse, material.transparency) == ((1, 0, 0), 0.5)


def test_joined_links_adjacent_takes_words(only_body):
    assert only_body("", "makejoinedlinksadjacent='true'").joined_links_adjacent
    assert not only_body("", "makejoinedlinksadjacent='0'").joined_links_adjacent


def test_old_names_of_interfaces(read):
    scene = read(
        "<environment><probleminstance type='p' args='a b'/><server type='s'/>"
        "<inversekinematicssolver type='i'/><physics type='ode'/></environment>"
    )
    types = [item.type for item in scene.interfaces]
    assert types == ["module", "module", "iksolver", "physicsengine"]
    assert scene.interfaces[0].args == "a b"


def test_view_plugins_and_sensors(read):
    scene = read(
        "<Environment><bkgndcol>0.5 0 1</bkgndcol><camtrans>1 2 3</camtrans>"
        "<camfocal>2</camfocal><plugin> libx </plugin><unit name='mm' scale='0.001'/>"
        "<sensor type='Laser' name='s'><translation>1 0 0</translation>"
        "<sendcommand>power 1</sendcommand></sensor></Environment>"
    )
    assert scene.background_color == (0.5, 0.0, 1.0)
    assert scene.camera.pose.translation == (1, 2, 3)
    assert [p.name for p in scene.plugins] == ["libx"]
    assert scene.unit == ("mm", 0.001)
    assert scene.interfaces[0].pose.translation == (1, 0, 0)
    assert scene.interfaces[0].commands == ("power 1",)


def test_one_missing_file_is_one_problem(refuse, folder):
    problems = refuse(
        "<robot name='r'><robot file='armbott.xml'/><kinbody><joint name='x'>"
        "<body>base</body><body>tip</body></joint></kinbody></robot>",
        folder,
    )
    assert [p.code for p in problems] == ["missing-file"]
    assert "armbot.xml" in problems[0].hint
