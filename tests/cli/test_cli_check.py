"""``pyrave check`` opens what scenes name."""

from __future__ import annotations


def test_check_tells_of_damaged_meshes_and_their_warnings(pyrave, tmp_path):
    (tmp_path / "damaged.stl").write_text("solid x\nfacet normal 0 0 1\n")
    triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    (tmp_path / "plain.obj").write_text("mtllib gone.mtl\nusemtl red\n" + triangle)
    file = tmp_path / "scene.xml"
    file.write_text(
        '<environment><kinbody name="b"><body>\n<geom type="trimesh">'
        "<data>damaged.stl</data><render>plain.obj</render></geom>"
        "</body></kinbody></environment>"
    )
    outcome = pyrave("check", file, "--json")
    assert outcome.code == 1
    (report,) = outcome.data["files"]
    assert [one["code"] for one in report["problems"]] == ["bad-mesh", "mesh-detail"]
    assert all(one["named_at"] == [f"{file}:2"] for one in report["problems"])
    assert f"named at {file}:2" in pyrave("check", file).err


def test_notes_fail_no_check(pyrave, tmp_path):
    """What vendors write and nobody reads, as in the URDF of the Panda arm."""
    text = (
        '<robot name="r"><link name="a"/><link name="b"/>'
        '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
        '<axis xyz="0 0 1"/><limit lower="-2" upper="-1" effort="1" velocity="1"/>'
        '<dynamics damping="1" mu_coulomb="0"/>'
        '<safety_controller k_velocity="4"/></joint></robot>'
    )
    file = tmp_path / "r.urdf"
    file.write_text(text)
    outcome = pyrave("check", file)
    assert outcome.code == 0
    assert "r.urdf: ok, 3 notes" in outcome.out
    for said in (
        "note: unknown attribute 'mu_coulomb'",
        "<safety_controller>",
        "'j' at",
    ):
        assert said in outcome.err
    outcome = pyrave("check", file, "--json")
    assert outcome.data["ok"]
    (report,) = outcome.data["files"]
    assert report["ok"]
    assert [one["severity"] for one in report["problems"]] == ["note"] * 3
    # what looks like a slip of the pen fails, as ever
    file.write_text(text.replace("damping", "dampng"))
    outcome = pyrave("check", file)
    assert outcome.code == 1
    assert "warning: unknown attribute 'dampng'" in outcome.err
    assert "1 problem, 3 notes" in outcome.out
