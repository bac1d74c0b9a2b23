"""Every name on the page of OpenRAVE's names exists."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from pathlib import Path

import pytest

import pyrave
from pyrave import bodies, interfaces, kinematics, planning, scene, spatial
from pyrave.openrave_names import names_of, openrave_hint, table

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "openrave-names.md"
_ROWS = [row for rows in table().values() for row in rows]
_NAMES = sorted({name for row in _ROWS for name in re.findall("`([^`]+)`", row[1])})
_ROOMS = {
    "bodies": bodies,
    "interfaces": interfaces,
    "kinematics": kinematics,
    "planning": planning,
    "scene": scene,
    "spatial": spatial,
}


@functools.cache
def members(kind):
    """Return the names of a class, also those that constructors set."""
    sources = "".join(inspect.getsource(c) for c in kind.__mro__ if c is not object)
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    return {
        *dir(kind),
        *(name for c in kind.__mro__ for name in inspect.get_annotations(c)),
        *(field.name for field in fields),
        *re.findall(r"self\.(\w+)\b[^(\n]* = ", sources),
    }


def part_of(kind, name):
    """Return the class of a part of a class, else what stands for its value."""
    value = inspect.getattr_static(kind, name, None)
    if isinstance(value, property):
        said = str(inspect.signature(value.fget).return_annotation).strip("'")
        return getattr(bodies, said, value)
    return name


def exists(dotted):
    first, *rest = dotted.split(".")
    found = _ROOMS.get(first) or getattr(pyrave, first, None)
    for name in rest:
        if inspect.isclass(found):
            if name not in members(found):
                return False
            found = part_of(found, name)
        else:
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


def test_the_page_prints_the_whole_table():
    shown = re.findall(r"```\{openrave-names\} (\w+)", _PAGE.read_text("utf-8"))
    assert sorted(shown) == sorted(table())


@pytest.mark.parametrize("owner", [one for one in table() if one != "planning"])
def test_classes_answer_with_the_new_name(owner):
    kind = pyrave if owner == "pyrave" else getattr(pyrave, owner)
    names = [name for name in names_of(owner) if name[0].isupper()]
    asked = 0
    for name in names:
        if owner == "PlannerParameters":
            break
        with pytest.raises(pyrave.AttributeNameError) as caught:
            getattr(kind, name)
        assert openrave_hint(owner, name) in str(caught.value)
        assert not hasattr(kind, name)
        asked += 1
    assert asked == (0 if owner == "PlannerParameters" else len(names))


def test_wrong_names_are_found():
    wrong = ["KinBody.no_such", "NoClass.name", "scene.nothing", "Robot.active.valus"]
    assert [name for name in wrong if exists(name)] == []


PARTS = ("limits", "dynamics", "structure", "grabs")


@pytest.mark.parametrize(
    "kind", ["KinBody", "Robot", "Link", "Geometry", "Joint", "Manipulator"]
)
def test_the_page_shows_what_classes_offer(kind):
    """Each public property of a class is on the page, or named here."""
    own = {
        "KinBody": {
            "all_joints", "joint_values", "transforms_view", "dof_values_view",
            "velocity_views", "mark", "motion", "moves_alone", "placed_links",
            "dof_names", "holder",
            "model", "state_model", "versions", "env", "args",
            "interface_id", "plugin", "plugin_settings", "readables",
            "user_data", "commands", "description", "about", "frames", "links_enabled",
            "settings", "id_words", *PARTS,
        },
        "Link": {
            "contacts", "dynamics", "kinematic", "material", "object_type", "pose_view",
            "all_geometries",
        },
        "Geometry": {"link", "needs_mesh", "unusable"},
        "Joint": {"active", "closes_loop"},
        "Robot": {
            "own_controller", "configurations", "active", "active_choice",
            "base_limits", "active_table",
        },
        "Manipulator": set(),
    }[kind]  # fmt: skip
    text = "\n".join(f"{row.ours} {row.remark}" for row in _ROWS)
    shown = set(re.findall(r"`\w+\.(\w+)`", text))
    offered = {
        name
        for name, value in inspect.getmembers(getattr(pyrave, kind))
        if isinstance(value, property) and not name.startswith("_")
    }
    if kind == "Robot":
        offered -= {n for n, _ in inspect.getmembers(pyrave.KinBody)}
    assert offered - shown - own == set()
