"""``pyrave convert --report``: what is lost, for every pair of formats."""

from itertools import product

import pytest

import pyrave as library

ROBOT = """<robot name="r"><kinbody>
  <body name="a"><geom type="box"><extents>1 1 1</extents></geom></body>
  <body name="b"><geom type="sphere"><radius>0.5</radius></geom></body>
  <body name="c"><geom type="cylinder"><radius>0.5</radius><height>1</height></geom>
  </body>
  <joint name="j" type="hinge"><body>a</body><body>b</body><axis>0 0 1</axis>
    <limits>-1 1</limits><weight>3</weight></joint>
  <joint name="k" type="hinge"><body>b</body><body>c</body><axis>0 0 1</axis>
    <limits>-9 9</limits></joint>
</kinbody>
<manipulator name="arm"><base>a</base><effector>c</effector></manipulator></robot>"""
SUFFIXES = (".robot.xml", ".dae", ".urdf")


@pytest.fixture
def sources(tmp_path, environments):
    """Return a file of each format: a biped with contact areas."""
    biped = environments / "robots" / "biped.robot.xml"
    found = {}
    for suffix in SUFFIXES:
        found[suffix] = tmp_path / f"biped{suffix}"
        library.convert(biped, found[suffix], expand=True)
    return found


@pytest.mark.parametrize(("one", "other"), [*product(SUFFIXES, SUFFIXES)])
def test_every_direction_has_a_report(pyrave, sources, one, other, tmp_path):
    target = tmp_path / f"out{other}"
    result = pyrave("convert", sources[one], target, "--json")
    assert result.code == 0, result.err
    data = result.data
    assert data["schema"] == "pyrave-convert/1"
    assert data["target"] == str(target)
    told = [(loss["kind"], loss["message"]) for loss in data["losses"]]
    if other == ".urdf":
        # contacts have an element, and what comes from URDF loses nothing
        assert all("contacts" not in message for _, message in told)
        assert (told == []) == (one == ".urdf")
    else:
        contacts = "contacts of links are for pyrave alone: 'biped'"
        assert ("pyrave-only", contacts) in told
    before, after = (library.read(path).bodies[0] for path in (sources[one], target))
    assert any(link.contacts for link in before.links)
    assert [x.contacts for x in after.links] == [x.contacts for x in before.links]


def test_the_report_is_told_by_kind(pyrave, tmp_path):
    source, target = tmp_path / "r.robot.xml", tmp_path / "r.urdf"
    source.write_text(ROBOT)
    result = pyrave("convert", source, target, "--report")
    assert result.code == 0
    lost = result.out[result.out.index("lost:") :]
    assert "weights of joints are not written: 'j'" in lost
    assert "manipulators are not written: 'arm' (save with srdf=True (--srdf))" in lost
    assert not (tmp_path / "r.srdf").exists()
    result = pyrave("convert", source, target, "--report", "--srdf")
    assert "manipulators" not in result.out
    assert library.read(target).bodies[0].manipulators[0].name == "arm"
    result = pyrave("convert", target, tmp_path / "again.urdf", "--report", "--srdf")
    assert "nothing was lost" in result.out


def test_losses_are_printed_under_what_they_are(pyrave, tmp_path):
    source = tmp_path / "r.urdf"
    zone = "<contact><geometry><sphere radius='1'/></geometry></contact>"
    source.write_text(f"<robot name='r'><link name='a'>{zone}</link></robot>")
    message = "contacts of links are for pyrave alone: 'r'"
    result = pyrave("convert", source, tmp_path / "r.xml")
    assert result.err.strip() == f"not read by other programs: {message}"
    result = pyrave("convert", source, tmp_path / "r.xml", "--report")
    title, line, _ = result.out.splitlines()
    assert (title, line.strip()) == ("not read by other programs:", message)


def test_a_body_of_a_scene(pyrave, tmp_path):
    (tmp_path / "r.robot.xml").write_text(ROBOT)
    scene, target = tmp_path / "s.env.xml", tmp_path / "s.urdf"
    scene.write_text(
        '<environment><robot file="r.robot.xml" name="x"/>'
        '<robot file="r.robot.xml" name="y"/></environment>'
    )
    result = pyrave("convert", scene, target)
    assert result.code == 1
    assert "--body x" in result.err
    assert not target.exists()
    assert pyrave("convert", scene, target, "--body", "y").code == 0
    assert library.read(target).bodies[0].name == "y"
    result = pyrave("convert", scene, target, "--body", "z")
    assert result.code == 2
    assert "'z'" in result.err
    result = pyrave("convert", scene, tmp_path / "s.dae", "--srdf")
    assert result.code == 2
    assert "no SRDF" in result.err
