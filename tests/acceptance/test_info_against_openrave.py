"""`pyrave info --json` against what OpenRAVE computes, field by field.

Every key that both have is compared. Deliberate or unavoidable differences, each
checked below instead of being skipped where it can be:

* values that come from a mesh are null without a reader for it; OpenRAVE has vertices
  of Inventor files in single precision;
* OpenRAVE forgets the mass of a link that a robot file appends to, and does not scale
  the inertia of a ``mimicgeom`` mass with a total: both are defects;
* ``non_adjacent_links``: OpenRAVE leaves out pairs that collide in the zero
  configuration, which needs a collision checker;
* ``uri``: OpenRAVE's are relative to its data folder;
* engines, modules and the order of ``rigidly_attached`` are of the installation.
"""

from __future__ import annotations

import json
import re

import corpus
import numpy as np
import pytest

from pyrave.cli import main

ROOT = corpus.openrave_root()
EXPECTED = corpus.openrave_expected()
pytestmark = pytest.mark.skipif(ROOT is None, reason="the corpus is not here")

COMPARED = ("tridoftable", "wamtest1", "diffdrive_sample")
ENGINES = {"/environment/collision_checker", "/environment/modules"}
OF_MESHES = {"aabb", "aabb_local", "aabb_linkframe"}
# OpenRAVE reads colours and masses in single precision
SINGLE = 1e-6
# links whose mass OpenRAVE forgets, because another file appends to them
FORGOTTEN = {"wam0", "handbase"}
OF_LINK_MASS = {"mass", "local_com", "global_com", "local_inertia", "global_inertia"}


@pytest.fixture
def command(capsys, monkeypatch):
    monkeypatch.delenv("OPENRAVE_DATA", raising=False)

    def run(*words):
        code = main(["-qq", *map(str, words), "--resource-root", str(ROOT)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return json.loads(captured.out)

    return run


def differences(expected, found, path=""):
    """Yield (path, expected, found) of keys that both have and that differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in expected.keys() & found.keys():
            yield from differences(expected[key], found[key], f"{path}/{key}")
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield path, expected, found
            return
        for i, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from differences(one, other, f"{path}[{i}]")
    elif isinstance(expected, (int, float)) and not isinstance(expected, bool):
        if not isinstance(found, (int, float)) or not np.isclose(
            expected, found, rtol=SINGLE, atol=1e-9
        ):
            yield path, expected, found
    elif isinstance(expected, str) and isinstance(found, str):
        if expected.rpartition("Type.")[2].lower() != found.lower():
            yield path, expected, found
    elif expected != found:
        yield path, expected, found


def key_of(path):
    return re.sub(r"(\[\d+\])+$", "", path).rpartition("/")[2]


def is_known_defect(found, path, name):
    """Tell whether a difference follows from one of OpenRAVE's mass defects."""
    key = key_of(path)
    if name == "diffdrive_sample":
        return key in {"local_inertia", "global_inertia"}
    place = re.match(r"/bodies\[(\d+)\](?:/links\[(\d+)\])?", path)
    if name != "wamtest1" or place is None:
        return False
    body = found["bodies"][int(place[1])]
    if place[2] is None:
        return body["name"] == "BarrettWAM" and key in {"mass", "center_of_mass"}
    return body["links"][int(place[2])]["name"] in FORGOTTEN and key in OF_LINK_MASS


@pytest.mark.parametrize("name", COMPARED)
def test_same_fields_same_values(name, command):
    file = f"data/{name}.env.xml"
    found = command("info", ROOT / file, "--json")
    expected = json.loads((EXPECTED / f"{file}.json").read_text("utf-8"))
    assert [b["name"] for b in found["bodies"]] == expected["environment"]["body_names"]
    wrong = []
    for path, one, other in differences(expected, found):
        key = key_of(path)
        if key == "uri" or path in ENGINES or (key in OF_MESHES and other is None):
            continue
        if key == "non_adjacent_links":
            assert {tuple(pair) for pair in one} <= {tuple(pair) for pair in other}
            continue
        if is_known_defect(found, path, name):
            continue
        if "/aabb" in path and np.isclose(one, other, rtol=0.0, atol=SINGLE):
            continue
        if key == "rigidly_attached":
            continue
        wrong.append((path, one, other))
    assert wrong == []


def test_null_only_where_a_mesh_is_needed(command):
    found = command("info", ROOT / "data/wamtest1.env.xml", "--json")
    for body in found["bodies"]:
        meshes = [
            geometry["mesh"]
            for link in body["links"]
            for geometry in link["geometries"]
            if geometry["mesh"] is not None
        ]
        known = all(mesh["n_faces"] is not None for mesh in meshes)
        assert (body["aabb"] is not None) == known
    assert any(
        problem["code"] == "missing-mesh" for problem in found["problems"]
    ) == any(body["aabb"] is None for body in found["bodies"])


def test_masses_differ_only_where_openrave_forgets_them(command):
    found = command("info", ROOT / "data/wamtest1.env.xml", "--json")
    expected = json.loads((EXPECTED / "data/wamtest1.env.xml.json").read_text("utf-8"))
    differing = {
        (body["name"], ours["name"])
        for body, theirs in zip(found["bodies"], expected["bodies"], strict=True)
        for ours, link in zip(body["links"], theirs["links"], strict=True)
        if not np.isclose(ours["mass"], link["mass"], rtol=SINGLE)
    }
    assert differing == {("BarrettWAM", link) for link in FORGOTTEN}
    for body, theirs in zip(found["bodies"], expected["bodies"], strict=True):
        for ours, link in zip(body["links"], theirs["links"], strict=True):
            assert sorted(ours["rigidly_attached"]) == sorted(link["rigidly_attached"])


@pytest.mark.parametrize("file", corpus.SCENES)
def test_run_real_scenes(file, command):
    data = command("run", ROOT / file, "--steps", 100, "--json")
    assert data["simulation_time"] == 1_000_000
    assert data["bodies"]
    poses = np.array([body["transform"] for body in data["bodies"]])
    assert np.isfinite(poses).all()
    assert not any(problem["severity"] == "error" for problem in data["problems"])
    assert not any(problem["traceback"] for problem in data["problems"])
