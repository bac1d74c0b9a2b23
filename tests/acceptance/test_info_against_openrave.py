"""`pyrave info --json` against what OpenRAVE computes: every file, field by field.

Every key that both have is compared, to 1e-9. `DIFFERENCES` has the fields that may
differ, each with a check that the difference is the known one; the guide about
OpenRAVE's files lists the same fields with the reasons.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import corpus
import numpy as np
import pytest

from pyrave.cli import main

ROOT = corpus.openrave_root()
EXPECTED = corpus.openrave_expected()
PAGE = Path(__file__).parents[2] / "docs" / "guides" / "files" / "openrave-files.md"
pytestmark = pytest.mark.skipif(ROOT is None, reason="the corpus is not here")

EXACT = 1e-9
# boxes of meshes, whose vertices OpenRAVE has in single precision
OF_MESH = 1e-6
# links whose mass OpenRAVE forgets, because another file appends to them
FORGOTTEN = {"wam0", "handbase", "l_handbase", "r_handbase"}
DEFAULTS = {"mass": 1.0, "local_com": np.zeros(3), "local_inertia": np.eye(3) * 0.4}


@pytest.fixture
def command(capsys, monkeypatch):
    monkeypatch.delenv("OPENRAVE_DATA", raising=False)

    def run(*words):
        code = main(["-qq", *map(str, words), "--resource-root", str(ROOT)])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return json.loads(captured.out)

    return run


def as_numbers(value):
    """Return an array if a value is a number or nested lists of numbers, else None."""
    if isinstance(value, (bool, str, dict)) or value is None:
        return None
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def has_objects(value):
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def differences(expected, found, path=()):
    """Yield (path, expected, found) of keys that both have and that differ.

    A path has keys and, for the items of a list, the item itself (ours).
    """
    one, other = as_numbers(expected), as_numbers(found)
    if one is not None and other is not None:
        if one.shape != other.shape or not np.allclose(one, other, EXACT, EXACT):
            yield path, expected, found
    elif isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(expected.keys() & found.keys()):
            yield from differences(expected[key], found[key], (*path, key))
    elif all(has_objects(value) for value in (expected, found)):
        if len(expected) != len(found):
            yield path, expected, found
            return
        for mine, theirs in zip(expected, found, strict=True):
            yield from differences(mine, theirs, (*path, theirs))
    elif isinstance(expected, str) and isinstance(found, str):
        if expected.rpartition("Type.")[2].lower() != found.lower():
            yield path, expected, found
    elif expected != found:
        yield path, expected, found


def link_mass_is_forgotten(path, expected, _found):
    link = path[-2]
    if link["name"] not in FORGOTTEN:
        return False
    return path[-1] not in DEFAULTS or np.allclose(expected, DEFAULTS[path[-1]])


def inertia_is_not_scaled_with_the_total(path, expected, found):
    """Whether OpenRAVE's lacks the factor total / mass for the parts' own inertias."""
    link = path[-2]
    if not {geometry["type"] for geometry in link["geometries"]} <= {"box", "cylinder"}:
        return False
    mass, inertia = 0.0, np.zeros((3, 3))
    for geometry in link["geometries"]:
        volume, own = solid(geometry)
        turn = np.array(geometry["transform"])[:3, :3]
        mass += 1000 * volume
        inertia += 1000 * turn @ own @ turn.T
    if path[-1].startswith("global"):
        turn = np.array(link["transform"])[:3, :3]
        inertia = turn @ inertia @ turn.T
    missing = (1 - link["mass"] / mass) * inertia
    return np.allclose(expected, np.array(found) + missing, EXACT, EXACT)


def solid(geometry):
    """Return volume and inertia at density 1 of a box or cylinder, about its centre."""
    if geometry["type"] == "box":
        squares = np.square(geometry["half_extents"])
        volume = 8 * np.prod(geometry["half_extents"])
        return volume, np.diag(volume / 3 * (squares.sum() - squares))
    radius, height = geometry["radius"], geometry["height"]
    volume = np.pi * radius**2 * height
    side, along = (3 * radius**2 + height**2) / 12, radius**2 / 2
    return volume, volume * np.diag((side, side, along))


def mass_or_inertia(path, expected, found):
    return link_mass_is_forgotten(path, expected, found) or (
        path[-1].endswith("inertia")
        and inertia_is_not_scaled_with_the_total(path, expected, found)
    )


def mass_of_a_body(path, _expected, _found):
    return any(link["name"] in FORGOTTEN for link in path[-2]["links"])


def masses(path, expected, found):
    if "links" in path:
        return mass_or_inertia(path, expected, found)
    return mass_of_a_body(path, expected, found)


def without_its_checker(_path, expected, found):
    """Whether the pairs that touch in the zero configuration are all that is more.

    `test_openrave_collision.py` compares the pairs that a checker leaves.
    """
    return {tuple(pair) for pair in expected} < {tuple(pair) for pair in found}


def close_box(_path, expected, found):
    return np.allclose(expected, found, 0.0, OF_MESH)


def no_box(_path, expected, found):
    return found is None and not np.any(expected["extents"])


def not_dumped(_path, expected, _found):
    return expected is None or isinstance(expected, str)


def of_the_installation(_path, _expected, _found):
    return True


def no_name(_path, expected, _found):
    return expected == ""


def made_without_a_body(_path, expected, found):
    """Whether a file holds one sensor alone: the dump has it in no list."""
    return expected == [] and len(found) == 1


def of_a_static_joint(path, _expected, _found):
    return next(part for part in path[::-1] if "static" in part)["static"]


def no_mass(path, expected, found):
    if expected == ["nan"] * 3:
        return True
    return mass_of_a_body(path, expected, found)


def frame_of_a_mesh(path, expected, found):
    """Whether the mesh is in the same place, its vertices in another frame."""
    return path[-2]["type"] == "trimesh"


def without_its_engine(_path, expected, _found):
    return expected in ("ode", [0.0, 0.0, 0.0])


DIFFERENCES = {
    "mass": masses,
    "center_of_mass": no_mass,
    "anchor": of_a_static_joint,
    "axis": of_a_static_joint,
    "geometries.transform": frame_of_a_mesh,
    "gravity": without_its_engine,
    "physics_engine": without_its_engine,
    "local_com": masses,
    "global_com": masses,
    "local_inertia": masses,
    "global_inertia": masses,
    "non_adjacent_links": without_its_checker,
    "uri": of_the_installation,
    "collision_checker": of_the_installation,
    "modules": of_the_installation,
    "sensors": made_without_a_body,
    "sensor.name": no_name,
    "sensors.name": no_name,
    "velocities": not_dumped,
    "dof_velocities": not_dumped,
    "pos": close_box,
    "extents": close_box,
    "aabb": no_box,
    "aabb_local": no_box,
}


def is_known(path, expected, found):
    """Return whether a difference is one of those that the page lists."""
    keys = [key for key in path if isinstance(key, str)]
    check = DIFFERENCES.get(".".join(keys[-2:])) or DIFFERENCES.get(keys[-1])
    return check is not None and check(path, expected, found)


@pytest.mark.parametrize("file", corpus.openrave_dumped())
def test_same_fields_same_values(file, command):
    found = command("info", ROOT / file, "--json")
    expected = json.loads((EXPECTED / f"{file}.json").read_text("utf-8"))
    assert [b["name"] for b in found["bodies"]] == expected["environment"]["body_names"]
    wrong = [
        (".".join(k if isinstance(k, str) else k.get("name", "") for k in path), a, b)
        for path, a, b in differences(expected, found)
        if not is_known(path, a, b)
    ]
    assert wrong == []


def test_the_page_lists_these_differences():
    table = PAGE.read_text("utf-8").partition("## Values that differ")[2]
    rows = re.findall(r"^\| (`.*?) \|", table.partition("\n## ")[0], re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`(.+?)`", row)]
    assert sorted(listed) == sorted(DIFFERENCES)


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
        if not np.isclose(ours["mass"], link["mass"], rtol=EXACT)
    }
    assert differing == {("BarrettWAM", "wam0"), ("BarrettWAM", "handbase")}
    for body, theirs in zip(found["bodies"], expected["bodies"], strict=True):
        for ours, link in zip(body["links"], theirs["links"], strict=True):
            assert sorted(ours["rigidly_attached"]) == sorted(link["rigidly_attached"])


@pytest.mark.parametrize("file", corpus.SCENES)
def test_run_real_scenes(file, command):
    data = command("run", ROOT / file, "--steps", 100, "--json")
    assert data["simulation_time"] == 1.0
    assert data["bodies"]
    poses = np.array([body["transform"] for body in data["bodies"]])
    assert np.isfinite(poses).all()
    assert not any(problem["severity"] == "error" for problem in data["problems"])
    assert not any(problem["traceback"] for problem in data["problems"])
