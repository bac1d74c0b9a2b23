"""Every name on the page of OpenRAVE's names exists."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from pathlib import Path

import pytest

import pyrave
from pyrave import bodies, interfaces, kinematics, planning, scene

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "openrave-names.md"
_ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in _PAGE.read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| OpenRAVE")
]
_NAMES = sorted({name for row in _ROWS for name in re.findall("`([^`]+)`", row[1])})
_ROOMS = {
    "bodies": bodies,
    "interfaces": interfaces,
    "kinematics": kinematics,
    "planning": planning,
    "scene": scene,
}


@functools.cache
def members(kind):
    """Return the names of a class, also those that constructors set."""
    sources = "".join(inspect.getsource(c) for c in kind.__mro__ if c is not object)
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    return {
        *dir(kind),
        *(field.name for field in fields),
        *re.findall(r"self\.(\w+)\b[^(\n]* = ", sources),
    }


def exists(dotted):
    first, *rest = dotted.split(".")
    found = _ROOMS.get(first) or getattr(pyrave, first, None)
    for name in rest:
        if inspect.isclass(found):
            return name in members(found)
        found = getattr(found, name, None)
    return found is not None


def test_rows_are_whole():
    assert len(_ROWS) > 200
    for row in _ROWS:
        assert len(row) == 3, row
        assert row[0], row
        assert "`" in row[1] or (row[1] == "—" and row[2]), row


def test_the_names_exist():
    assert [name for name in _NAMES if not exists(name)] == []


def test_wrong_names_are_found():
    wrong = ["KinBody.no_such", "NoClass.name", "scene.nothing"]
    assert [name for name in wrong if exists(name)] == []


@pytest.mark.parametrize(
    "kind", ["KinBody", "Robot", "Link", "Geometry", "Joint", "Manipulator"]
)
def test_the_page_shows_what_classes_offer(kind):
    """Each public property of a class is on the page, or named here."""
    own = {
        "KinBody": {
            "all_joints", "joint_values", "transforms_view", "dof_values_view",
            "velocity_views", "motion", "moves_alone", "kinetic_energy",
            "potential_energy",
            "dof_names", "holder",
            "model", "state_model", "gravity", "versions", "env", "args",
            "interface_id", "plugin", "plugin_settings", "readables",
            "user_data", "commands", "description", "about", "frames", "links_enabled",
            "leaf_links", "settings", "id_words",
        },
        "Link": {
            "contacts", "dynamics", "kinematic", "material", "object_type", "pose_view",
            "all_geometries",
        },
        "Geometry": {"link", "needs_mesh", "unusable"},
        "Joint": {"active", "closes_loop"},
        "Robot": {"own_controller", "configurations"},
        "Manipulator": set(),
    }[kind]  # fmt: skip
    text = _PAGE.read_text("utf-8")
    shown = set(re.findall(r"`\w+\.(\w+)`", text))
    offered = {
        name
        for name, value in inspect.getmembers(getattr(pyrave, kind))
        if isinstance(value, property) and not name.startswith("_")
    }
    if kind == "Robot":
        offered -= {n for n, _ in inspect.getmembers(pyrave.KinBody)}
    assert offered - shown - own == set()
