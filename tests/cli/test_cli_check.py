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
