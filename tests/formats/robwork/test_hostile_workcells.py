"""RobWork's files that are made to cost much are read, or refused, soon."""

from __future__ import annotations

import time

import pytest
from dwc_texts import write_scene

import pyrave

SECONDS = 40.0
POSE = "<RPY>0 0 0</RPY><Pos>0 0 0</Pos>"
BOX = f'<Drawable name="g">{POSE}<Box x="1" y="1" z="1"/></Drawable>'
MATERIALS = (
    '<MaterialData><Default>s</Default><Material id="s"><Description/></Material>'
    "</MaterialData><ObjectTypeData><Default>h</Default>"
    '<ObjectType id="h"><Description/></ObjectType></ObjectTypeData>'
)
JOINTS = 1000


def times(text: str, count: int) -> str:
    """Repeat a text with numbers in the place of ``#``."""
    return "".join(text.replace("#", str(i)) for i in range(count))


CELL = (
    '<WorkCell name="w"><Frame name="A"/>'
    + times(f'<Frame name="f#" type="Movable">{POSE}{BOX}</Frame>', 2000)
    + f'<SerialDevice name="D"><Frame name="Base">{BOX}</Frame>'
    + times(f'<Joint name="j#" type="Revolute">{POSE}</Joint>', JOINTS)
    + "</SerialDevice></WorkCell>"
)
DEVICE = (
    '<RigidDevice device="D"><FixedBase frame="Base"/>'
    + times('<ForceLimit joint="j#">1</ForceLimit>', JOINTS)
    + "</RigidDevice>"
)
RIGID = (
    "<Mass>1</Mass><COG>0 0 0</COG><Inertia>1 1 1</Inertia>"
    "<Integrator>Euler</Integrator></RigidBody>"
)
READ = {
    "bodies": times(f'<RigidBody frame="f#">{RIGID}', 2000),
    "bodies again": f'<RigidBody frame="f1">{RIGID}' * 9000,
    "unknown materials": times(
        '<KinematicBody frame="f#"><MaterialID>m#</MaterialID></KinematicBody>', 2000
    ),
    "properties": '<FixedBody frame="f1">'
    + times('<Property name="p#">a</Property>', 40_000)
    + "</FixedBody>",
    "materials": "<MaterialData>"
    + times('<Material id="a#"><Description/></Material>', 20_000)
    + "</MaterialData>",
    "sensors": times('<BodyContactSensor name="s#" body="f1"/>', 40_000),
    "defaults": times(
        '<KinematicBody frame="f1"><MaterialID>s</MaterialID></KinematicBody>'
        "<MaterialData><Default>s#</Default></MaterialData>",
        10_000,
    ),
}
REFUSED = {
    "unknown frames": times(f'<RigidBody frame="q#">{RIGID}', 9000),
    "unknown elements": times("<a#/>", 49_000),
    "no bodies": times(
        '<Constraint name="c#" type="Fixed" parent="x" child="y"/>', 9000
    ),
    "controllers": DEVICE
    + times('<SerialDeviceController name="c#" device="D"/>', 9000),
    "unknown types": "<ContactMap>"
    + times(
        '<Pair first="a#" second="b#"><ContactData type="Newton"><cr>1</cr>'
        "</ContactData></Pair>",
        12_000,
    )
    + "</ContactMap>",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile")


def written(folder, text):
    return write_scene(folder, text, MATERIALS, CELL)


@pytest.mark.slow
@pytest.mark.parametrize("what", READ)
def test_much_is_read(what, folder):
    path = written(folder, READ[what])
    start = time.process_time()
    env = pyrave.load(path)
    assert time.process_time() - start < SECONDS
    assert len(env.bodies) == 2001
    assert len(env.problems) <= 1001


@pytest.mark.slow
@pytest.mark.parametrize("what", REFUSED)
def test_too_much_is_refused(what, folder):
    path = written(folder, REFUSED[what])
    start = time.process_time()
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(path)
    assert time.process_time() - start < SECONDS
    assert len(caught.value.problems) <= 1001


def test_joints_of_controllers_are_counted(folder):
    path = written(folder, REFUSED["controllers"])
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(path)
    problem = caught.value.first
    assert problem.code == "too-complex"
    assert problem.message == "the controllers have more than 200000 joints in all"
    assert problem.line == 1
    assert problem.column is not None


def test_free_frames_may_stand_in_each_other(tmp_path):
    frames = "".join(
        f'<Frame name="f{i}" refframe="{f"f{i - 1}" if i else "WORLD"}" type="Movable">'
        f"{POSE}{BOX}</Frame>"
        for i in range(3000)
    )
    path = tmp_path / "deep.wc.xml"
    path.write_text(f'<WorkCell name="w">{frames}</WorkCell>')
    start = time.process_time()
    env = pyrave.load(path)
    assert time.process_time() - start < SECONDS
    assert {one.code for one in env.problems} == {"grab-conflict"}
    assert env.bodies["f99"].holder is env.bodies["f98"]
    assert env.bodies["f100"].holder is None
