"""Tags and meshes of plugins in bodies of files: they stay where they were."""

import dataclasses

import numpy as np
import pytest

import pyrave
from pyrave.geometry import Mesh
from pyrave.scene import Readable, XmlElement

BOX = "<body name='base'><geom type='box'><extents>1 1 1</extents></geom></body>"
FILES = {
    "b.kinbody.xml": f"<kinbody name='b'>{BOX}</kinbody>",
    "r.robot.xml": "<robot name='r'><kinbody file='b.kinbody.xml'/></robot>",
    "hot.kinbody.xml": f"<kinbody name='h'>{BOX}<spice heat='9'/></kinbody>",
}


@dataclasses.dataclass(frozen=True)
class Spice(Readable):
    """What the tags of these tests say."""

    heat: float

    def to_xml(self):
        return XmlElement("spice", (("heat", f"{self.heat:g}"),))


def read_spice(element, context):
    return Spice(float(element.get("heat")))


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def environment(*kinds):
    env = pyrave.Environment()
    for kind in kinds or ("kinbody", "robot"):
        env.registry.register_xml_reader(kind, "spice", read_spice)
    return env


def loaded(folder, text, *kinds):
    path = folder / "scene.env.xml"
    path.write_text(f"<environment>{text}</environment>")
    env = environment(*kinds)
    env.load(path, strict=True)
    return env


def saved(env, folder, *kinds, name="out.env.xml"):
    """Return the text of a scene, which reads back strictly as what was written."""
    assert not env.save(folder / name)
    again = environment(*kinds)
    again.load(folder / name, strict=True)
    assert again.describe().bodies == env.describe().bodies
    return (folder / name).read_bytes().decode("utf-8", "replace")


@pytest.mark.parametrize(
    "body",
    [
        "<kinbody name='n' file='b.kinbody.xml'/>",
        "<robot name='n' file='r.robot.xml'/>",
        "<robot name='n'><kinbody file='b.kinbody.xml'/></robot>",
    ],
)
def test_a_readable_of_a_script_leaves_a_body_in_its_file(folder, body):
    env = loaded(folder, body)
    env.bodies["n"].set_readable("spice", Spice(4.0))
    text = saved(env, folder)
    assert "file=" in text
    assert "<extents>" not in text
    assert text.count('<spice heat="4"/>') == 1


def test_a_readable_beside_a_file_is_replaced(folder):
    env = loaded(
        folder, "<kinbody name='n' file='b.kinbody.xml'><spice heat='1'/></kinbody>"
    )
    env.bodies["n"].set_readable("spice", Spice(4.0))
    text = saved(env, folder)
    assert "file=" in text
    assert "<extents>" not in text
    assert text.count("<spice") == 1


def test_a_readable_beside_a_file_is_removed(folder):
    env = loaded(
        folder, "<kinbody name='n' file='b.kinbody.xml'><spice heat='1'/></kinbody>"
    )
    del env.bodies["n"].readables["spice"]
    text = saved(env, folder)
    assert "file=" in text
    assert "<spice" not in text


def test_one_that_the_file_itself_says_otherwise_is_written_out(folder):
    env = loaded(folder, "<kinbody name='n' file='hot.kinbody.xml'/>")
    env.bodies["n"].set_readable("spice", Spice(4.0))
    text = saved(env, folder)
    assert "<extents>" in text
    assert text.count("<spice") == 1


def test_one_more_beside_that_of_the_file_is_added(folder):
    env = loaded(folder, "<kinbody name='n' file='hot.kinbody.xml'/>")
    env.bodies["n"].add_readable("spice", Spice(4.0))
    text = saved(env, folder)
    assert "<extents>" not in text
    assert text.count("<spice") == 1


@pytest.mark.parametrize("kinds", [("kinbody",), ("kinbody", "robot")])
def test_a_tag_in_the_kinbody_of_a_robot_stays_there(folder, kinds):
    body = f"<robot name='n'><kinbody>{BOX}<spice heat='2'/></kinbody></robot>"
    env = loaded(folder, body, *kinds)
    for one in (env, env.clone()):
        text = saved(one, folder, *kinds)
        assert text.index("<spice") < text.index("</kinbody>")
    for name in ("out.dae", "out.zae"):
        saved(env, folder, *kinds, name=name)


def test_a_tag_right_in_a_robot_stays_there(folder):
    body = f"<robot name='n'><spice heat='2'/><kinbody>{BOX}</kinbody></robot>"
    text = saved(loaded(folder, body), folder)
    assert text.index("<spice") > text.index("</kinbody>")


def test_a_tag_that_nothing_reads_stays_in_its_kinbody(folder):
    env = pyrave.Environment()
    env.load_string(f"<robot name='n'><kinbody>{BOX}<salt x='2'/></kinbody></robot>")
    env.save(folder / "out.env.xml")
    text = (folder / "out.env.xml").read_text()
    assert text.index("<salt") < text.index("</kinbody>")


PLUGIN = """
import numpy as np
import pyrave
from pyrave.geometry import Mesh

class Dots:
    name = "dots"
    suffixes = (".dots",)
    def sniff(self, head): return head.startswith(b"dots")
    def read(self, source): return Mesh(np.eye(3), np.array([[0, 1, 2]]))

@pyrave.hookimpl
def pyrave_mesh_formats(): return [Dots()]
"""


def test_a_mesh_of_a_plugin_is_a_body(folder):
    (folder / "a.dots").write_text("dots")
    (folder / "dots_plugin.py").write_text(PLUGIN)
    registry = pyrave.plugins.Registry(disabled=())
    registry.load_path(folder / "dots_plugin.py", allow=True)
    path = folder / "scene.env.xml"
    path.write_text(
        "<environment><kinbody name='k' file='a.dots'/><kinbody file='a.dots'/>"
        "<robot name='r'><kinbody file='a.dots'/></robot></environment>"
    )
    env = pyrave.Environment(registry)
    env.load(path, strict=True)
    assert env.bodies.names == ("k", "a", "r")
    expected = Mesh(np.eye(3), np.array([[0, 1, 2]]))
    for body in env.bodies:
        mesh = body.links[0].geometries[0].mesh
        np.testing.assert_array_equal(mesh.vertices, expected.vertices)
    assert not env.save(folder / "out.env.xml")
    assert (folder / "out.env.xml").read_text().count('file="a.dots"') == 3


def test_a_file_that_nothing_reads_is_said(folder):
    (folder / "a.dots").write_text("dots")
    with pytest.raises(pyrave.SceneError, match=r"a\.dots"):
        loaded(folder, "<kinbody name='k' file='a.dots'/>")
