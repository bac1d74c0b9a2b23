"""Listing many installed plugins imports none of their code."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow

N = 200


def test_listing_imports_nothing(plain_venv):
    for i in range(N):
        name = f"dummy_{i:03}"
        info = plain_venv.site / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text(
            f"[pyrave.module]\nDummy{i:03} = {name}:Module\n\n"
            f"[pyrave.sensor]\nDummy{i:03} = {name}:Sensor\n\n"
            f"[pyrave.xml_readers.sensor]\n{name} = {name}:read\n\n"
            f"[pyrave.scene_formats.{name}]\n{name} = {name}:Scenes\n\n"
            f"[pyrave.mesh_formats.{name}]\n{name} = {name}:Meshes\n\n"
            f"[pyrave.commands]\n{name} = {name}:run\n"
        )
        (plain_venv.site / f"{name}.py").write_text(
            "from pathlib import Path\n"
            f"Path({str(plain_venv.folder)!r}, 'imported').touch()\n"
        )
    data = json.loads(plain_venv.command("plugins", "--json").stdout)
    names = {one["name"] for one in data["distributions"]}
    assert len(names) == N + 1
    dummy = next(d for d in data["distributions"] if d["name"] == "dummy_150")
    assert dummy["interfaces"] == {"module": ["Dummy150"], "sensor": ["Dummy150"]}
    assert "dummy_150" in plain_venv.command("--help").stdout
    assert not (plain_venv.folder / "imported").exists()
    result = plain_venv.run(
        """
import sys, pyrave
env = pyrave.Environment()
env.load_string(
    '<environment><kinbody name="a"><body name="b"/></kinbody>'
    '<sensor type="BaseIMU"><other_tag>1</other_tag></sensor></environment>'
)
open("one.off", "w").write("OFF\\n3 1 0\\n0 0 0\\n1 0 0\\n0 1 0\\n3 0 1 2\\n")
env.load("one.off")
env.step(0.01)
result = [name for name in sys.modules if name.startswith("dummy_")]
"""
    )
    assert result == []
    assert not (plain_venv.folder / "imported").exists()
