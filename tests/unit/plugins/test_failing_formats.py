"""Formats of plugins that raise, end the program or return nonsense."""

import logging

import pytest

import pyrave
from pyrave.plugins import Registry

SCENE = "<environment><kinbody name='b'><body name='base'/></kinbody></environment>"
TRIANGLE = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
MESHED = """<environment><kinbody name='b'><body name='base'>
<geom type='trimesh'><data>{}</data></geom></body></kinbody></environment>"""

HOOKS = """
import pyrave, sys
class TextError(Exception):
    def __str__(self): raise RuntimeError("no text either")
class Format:
    name = "dots"
    suffixes = (".dots",)
    def sniff(self, head):
        {sniff}
    def read(self, source, context=None):
        {read}
    def write(self, scene, target, context):
        {write}
@pyrave.hookimpl
def pyrave_{kind}_formats(): return [Format()]
"""
RAISING = [
    "1 // 0",
    "sys.exit(3)",
    "raise GeneratorExit",
    "raise TextError",
    "raise BaseException('all')",
    "self.read = self.gone",
]
NONSENSE = ["return None", "return 7", "return [3]"]


@pytest.fixture
def made(site):
    """Return an environment that has a format of the package 'acme'."""

    def make(kind="scene", *, sniff="return False", read="return 3", write="return []"):
        source = HOOKS.format(kind=kind, sniff=sniff, read=read, write=write)
        groups = {"pyrave.plugins": {"acme": "acme_formats"}}
        site.distribution("acme", groups, sources={"acme_formats": source})
        return pyrave.Environment(Registry(disabled=()))

    return make


def record(env):
    return next(r for r in env.registry.records() if r.distribution == "acme")


@pytest.mark.parametrize("kind", ["scene", "mesh"])
@pytest.mark.parametrize("code", RAISING)
def test_a_sniff_that_fails_is_passed_over(made, tmp_path, caplog, kind, code):
    env = made(kind, sniff=code)
    mesh = tmp_path / "one.off"
    mesh.write_text(TRIANGLE)
    with caplog.at_level(logging.WARNING, "pyrave"):
        env.load_string(MESHED.format(mesh))
        assert env.raycast([(0.2, 0.2, 1)], [(0, 0, -1)]).hit.all()
        env.save(tmp_path / "out.env.xml")
        # what nothing knows is shown to all formats
        for name in ("a.nothing", "b.nothing"):
            (tmp_path / name).write_bytes(b"nothing")
            with pytest.raises(pyrave.SceneError, match="not recognised"):
                env.load(tmp_path / name)
    told = [r.getMessage() for r in caplog.records if "sniff" in r.getMessage()]
    assert len(told) == 1
    assert "'dots' of plugin acme:acme is passed over: its sniff() raised" in told[0]
    assert not env.problems
    (failure,) = record(env).failures
    assert failure.what == "sniff() of the format 'dots'"


@pytest.mark.parametrize("code", [*RAISING, *NONSENSE])
def test_a_scene_that_cannot_be_read_names_the_plugin(made, tmp_path, code):
    env = made(read=code)
    path = tmp_path / "a.dots"
    path.write_text("dots")
    expected = r"a\.dots.*format 'dots' of plugin acme:acme failed: "
    for _ in range(2):
        with pytest.raises(pyrave.SceneError, match=expected) as caught:
            env.load(path)
    assert caught.value.first.code == "plugin-failure"
    assert "acme_formats.py" in caught.value.first.traceback or "return" in code
    assert len(record(env).failures) == 1
    env.load_string(SCENE)
    assert env.bodies.names == ("b",)


@pytest.mark.parametrize(
    "code",
    ["return SceneDescription(bodies=None)",
     "return SceneDescription(bodies=[BodyDescription(7)])",
     "return SceneDescription(gravity=(float('nan'), 0, 0))"],
)  # fmt: skip
def test_descriptions_without_meaning_name_the_plugin(made, tmp_path, code):
    code = f"from pyrave.scene import SceneDescription, BodyDescription; {code}"
    path = tmp_path / "a.dots"
    path.write_text("dots")
    with pytest.raises(pyrave.SceneError, match=r"format 'dots' of plugin acme:acme"):
        made(read=code).load(path)


@pytest.mark.parametrize("code", [*RAISING, *NONSENSE])
def test_a_scene_that_cannot_be_written_names_the_plugin(made, tmp_path, code):
    env = made(write=code)
    env.load_string(SCENE)
    with pytest.raises(
        pyrave.PluginError, match=r"writer of the format 'dots' of plugin acme:acme"
    ):
        env.save(tmp_path / "a.dots")
    env.save(tmp_path / "a.env.xml")
    assert len(record(env).failures) == 1


@pytest.mark.parametrize("code", [*RAISING, *NONSENSE])
def test_a_mesh_that_cannot_be_had_is_missing(made, tmp_path, code):
    env = made("mesh", read=code)
    path = tmp_path / "a.dots"
    path.write_text("dots")
    env.load_string(MESHED.format(path))
    env.load_string(
        "<kinbody name='box'><body name='base'>"
        "<geom type='box'><extents>1 1 1</extents></geom></body></kinbody>"
    )
    assert env.raycast([(0, 0, 3)], [(0, 0, -1)]).hit.all()
    env.check_collision(env.bodies["b"])
    env.picture(tmp_path / "a.png", size=(16, 16))
    env.publish()
    env.step(0.01)
    env.clone().describe()
    env.save(tmp_path / "out.env.xml")
    found = [p for p in env.problems if "a.dots" in str(p)]
    assert found
    if code != "return None":
        assert all("plugin acme:acme" in str(p) for p in found)
    with pytest.raises(pyrave.SceneError, match=r"a\.dots"):
        env.bodies["b"].links[0].geometries[0].mesh  # noqa: B018


def test_a_property_of_a_format_that_raises_is_missing(made, tmp_path):
    env = made(write="return []\n    @property\n    def reads_fragments(self): 1 // 0")
    env.load_string(SCENE)
    path = tmp_path / "a.dots"
    path.write_text("dots")
    with pytest.raises(pyrave.ArgumentError, match="has no parts to choose from"):
        env.load(f"{path}#part")
