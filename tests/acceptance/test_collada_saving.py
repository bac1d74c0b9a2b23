"""OpenRAVE's own files saved as COLLADA: equal, and as OpenRAVE saves them."""

from __future__ import annotations

import io
import math
import zipfile

import corpus
import pytest
from lxml import etree

import pyrave

ROOT = corpus.openrave_root()
pytestmark = pytest.mark.skipif(ROOT is None, reason="the corpus is not here")
# what OpenRAVE itself saved of these; it keeps the numbers of files that are COLLADA
SAVED = {
    "robots__tridof.robot.xml.zae": "robots/tridof.robot.xml",
    "robots__barrettwam.robot.xml.zae": "robots/barrettwam.robot.xml",
    "robots__diffdrive_sample.robot.xml.zae": "robots/diffdrive_sample.robot.xml",
    "data__camera.robot.xml.zae": "data/camera.robot.xml",
}


@pytest.fixture(autouse=True)
def _data(monkeypatch):
    """Let OpenRAVE's folder be a data folder, as it is where OpenRAVE is installed."""
    monkeypatch.setenv("OPENRAVE_DATA", str(ROOT))


FILES = corpus.short(corpus.openrave_files())


@pytest.mark.parametrize("name", FILES[:: 1 if corpus.LONG else 3])
def test_a_file_reads_back_equal(tmp_path, name):
    scene = pyrave.read(ROOT / name)  # not one of them is refused
    for suffix in (".zae", ".dae"):
        target = tmp_path / f"saved{suffix}"
        pyrave.convert(ROOT / name, target)
        assert pyrave.scene.same(pyrave.read(target), scene)
    with zipfile.ZipFile(tmp_path / "saved.zae") as archive:
        assert archive.read("saved.dae") == (tmp_path / "saved.dae").read_bytes()


def root_of(path):
    """Return the root of an archive's document, its tags without a namespace."""
    with zipfile.ZipFile(path) as archive:
        (name,) = [one for one in archive.namelist() if one.endswith(".dae")]
        data = archive.read(name)
    root = etree.parse(io.BytesIO(data), etree.XMLParser(huge_tree=True)).getroot()
    for element in root.iter("*"):
        element.tag = etree.QName(element).localname
    for extra in list(root.iter("extra")):
        if extra.get("type") == "pyrave":
            extra.getparent().remove(extra)
    return root


def numbers(element):
    return tuple(map(float, (element.text or "").split()))


def value(element):
    return numbers(element) if element.tag == "float" else element.text


def facts(root):
    """Return what OpenRAVE reads of a document, but axes and the frames about them.

    OpenRAVE turns the frames of joints until each axis is z: the same motion.
    """
    found = {}
    for model in root.iter("kinematics_model"):
        key = model.get("id")
        for joint in model.iter("joint"):
            axes = [(one.tag, one.get("sid")) for one in joint if one.get("sid")]
            found[key, joint.get("sid")] = joint.get("name"), axes
        for link in model.iter("link"):
            above = link.getparent().get("joint")
            found[key, link.get("sid"), above] = link.get("name")
        found[key, "formulas"] = sorted(one.get("sid") for one in model.iter("formula"))
        found[key, "enabled"] = {
            one.get("link"): one.findtext("bool")
            for one in model.iter("link_collision_state")
        }
    for system in root.iter("articulated_system"):
        key = system.get("id")
        for info in system.iter("axis_info"):
            for one in info.iterchildren("newparam"):
                place = key, info.get("sid"), info.get("axis"), one.get("sid")
                found[place] = value(one[0])
        found[key, "order"] = [one.get("joint") for one in system.iter("bind_actuator")]
        for extra in system.iterchildren("extra"):
            if extra.get("type") == "manipulator":
                found[key, extra.get("name")] = manipulator(extra[0])
            if extra.get("type") == "attach_sensor":
                frame = extra[0].find("frame_origin")
                place = frame.get("link"), numbers(frame.find("translate"))
                found[key, "sensor", extra.get("name")] = place
    for body in root.iter("rigid_body"):
        place = body.getparent().get("id"), body.get("sid")
        found[place] = body.get("name"), body.findtext("technique_common/dynamic")
    for bind in root.iter("bind_joint_axis"):
        params = bind.findtext("axis/param"), bind.findtext("value/param")
        found["bind", bind.get("target")] = params
    for bind in root.iter("bind_kinematics_model"):
        found["bind", bind.get("node")] = bind.findtext("param")
    for scene in root.iter("kinematics_scene"):
        for one in scene.iter("newparam"):
            found["scene", one.get("sid")] = value(one[0])
    for one in root.iter("instance_rigid_body"):
        place = one.getparent().get("sid"), one.get("sid")
        found[place] = one.get("target"), one.getparent().get("parent")
    return found


def manipulator(part):
    tip = part.find("frame_tip")
    return (
        part.find("frame_origin").get("link"),
        tip.get("link"),
        numbers(tip.find("translate")),
        numbers(tip.find("direction")),
        [
            (one.get("joint"), [(sign.get("axis"), value(sign[0])) for sign in one])
            for one in part.iterchildren("gripper_joint")
        ],
    )


def close(one, two):
    if isinstance(one, float):
        return math.isclose(one, two, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(one, (tuple, list)):
        return len(one) == len(two) and all(map(close, one, two))
    return one == two


@pytest.mark.parametrize("name", SAVED)
def test_a_file_is_saved_as_openrave_saves_it(tmp_path, name):
    theirs = ROOT.parent / "openrave_saved" / name
    if not theirs.parent.is_dir():
        pytest.skip("what OpenRAVE saved is not here")
    mine = tmp_path / "saved.zae"
    pyrave.convert(ROOT / SAVED[name], mine)
    wanted, found = facts(root_of(theirs)), facts(root_of(mine))
    assert found.keys() == wanted.keys()
    assert len(wanted) > 5
    wrong = {key: (wanted[key], found[key]) for key in wanted
             if not close(wanted[key], found[key])}  # fmt: skip
    assert not wrong
