"""The table of public names has each of them, with arguments and purpose."""

from __future__ import annotations

import enum
import importlib
import inspect
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import pyrave
import pyrave.planning
from pyrave.cards import unlisted_names
from pyrave.interfaces import INTERFACE_TYPES
from pyrave.plugins.contracts import interface_base

_DOCS = Path(__file__).parents[2] / "docs"
_PAGE = (_DOCS / "reference" / "names.md").read_text(encoding="utf-8")
_BODIES = ("Environment", "KinBody", "Robot", "Manipulator", "Link", "Joint")


@pytest.fixture(scope="module")
def table():
    pytest.importorskip("sphinx")
    sys.path.insert(0, str(_DOCS / "_ext"))
    try:
        import name_rows
        import name_tables
        import signatures

        yield SimpleNamespace(
            owners=name_rows.owners,
            public_names=name_rows.public_names,
            class_of=name_rows.class_of,
            inherited=name_rows.inherited,
            as_markdown=name_tables.as_markdown,
            code=name_tables.code,
            told=name_tables.told,
            UNIT=signatures.UNIT,
        )
    finally:
        sys.path.remove(str(_DOCS / "_ext"))
        for name in ("name_rows", "name_tables", "signatures"):
            sys.modules.pop(name, None)


def _row(table, owner, name):
    (found,) = [row for row in table.public_names(owner) if row.name == name]
    return found


def _names(table, owner):
    """Return the names of an owner and of those above it."""
    found = {row.name for row in table.public_names(owner)}
    above = table.inherited(owner)
    return found | _names(table, above) if above else found


def test_the_page_prints_every_table_once(table):
    printed = re.findall(r"^```{public-names} (\S+)$", _PAGE, flags=re.MULTILINE)
    assert sorted(printed) == sorted(table.owners())


def test_every_public_name_is_there(table):
    assert set(pyrave.__all__) <= {
        row.name for owner in table.owners() for row in table.public_names(owner)
    }
    planning = {row.name for row in table.public_names("pyrave.planning")}
    assert planning == set(pyrave.planning.__all__)
    bases = {interface_base(kind).__name__ for kind in INTERFACE_TYPES}
    assert len(bases) == 13
    assert bases <= set(table.owners())


@pytest.mark.parametrize("owner", [*_BODIES, "Geometry", "SensorBase", "PlannerBase"])
def test_all_that_dir_shows_is_there(table, owner):
    kind = getattr(pyrave, owner)
    shown = {
        name
        for one in kind.__mro__
        for name in vars(one)
        if not name.startswith("_") and name not in unlisted_names(kind)
    }
    assert shown <= _names(table, owner)


def test_an_object_has_what_its_table_says(table):
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots["heron7"]
    arm = robot.manipulators[0]
    for item in (env, robot, arm, robot.links[0], robot.joints[0]):
        kind = type(item)
        names = _names(table, kind.__name__) - set(table.owners())
        assert [one for one in names if not hasattr(kind, one)] in ([], ["registry"])


def test_each_row_says_what_it_does_and_takes(table):
    silent, wrong = [], []
    for owner in table.owners():
        for row in table.public_names(owner):
            if not row.purpose:
                silent.append(f"{owner} {row.name}")
            value = getattr(getattr(pyrave, owner, None), row.name, None)
            if inspect.isfunction(value):
                given = {
                    re.split(r"\W", text.lstrip("*"))[0] for text, _ in row.arguments
                }
                named = inspect.signature(value).parameters.values()
                wanted = {
                    one.name
                    for one in named
                    if one.kind is not one.VAR_KEYWORD and one.name != "self"
                }
                wrong += [f"{owner} {row.name} {one}" for one in wanted - given]
    assert not silent
    assert not wrong


def test_rows_have_defaults_shapes_errors_and_units(table):
    solve = _row(table, "Manipulator", "solve_ik")
    assert (
        "target: Any",
        "(4, 4) or 7-vector T_world_tool, or an `IkParameterization` in the world.",
    ) in solve.arguments
    assert "all: bool = False" in dict(solve.arguments)
    assert solve.returns.startswith("Array | None or Array")
    assert solve.raises == ("ArgumentError", "NotSupportedError")
    values = _row(table, "KinBody", "set_dof_values")
    assert "radians" in values.units
    assert "metres" in values.units
    assert "LimitCheck" in dict(values.arguments) or any(
        "LimitCheck" in text for text, _ in values.arguments
    )
    gravity = _row(table, "Environment", "gravity")
    assert gravity.arguments == (("read, assign", ""),)
    assert gravity.units == ("m/s2",)
    plan = dict(_row(table, "Robot", "plan").arguments)
    assert {"seed: int = ...", "timeout: float = ..."} <= set(plan)
    assert "seconds" in plan["timeout: float = ..."].lower()
    made = _row(table, "Environment", "create").returns
    assert "TrajectoryBase" in made
    assert "SpaceSamplerBase" in made


def test_options_have_the_texts_of_their_own_dict(table):
    plan = dict(_row(table, "Robot", "plan").arguments)
    assert plan["start: ArrayLike | None = ..."].startswith("(n,) where to start")
    together = dict(_row(table, "Environment", "plan").arguments)
    start = "start: Mapping[Any, ArrayLike] | None = ..."
    assert together[start].startswith("Start values by robot")


def test_results_have_their_text_and_shape_once(table):
    near = _row(table, "pyrave.planning", "free_values_near").returns
    assert near.startswith("FreeNearby True with (n,) values, the given ones")
    jacobian = _row(table, "KinBody", "jacobian").returns
    assert jacobian.startswith("Array (6, dof) Rows 0-2 linear")
    assert jacobian.count("Rows 0-2") == 1
    assert _row(table, "BodyLimits", "velocity").returns == "Array"


def test_degrees_of_freedom_are_no_unit(table):
    assert "degrees" not in _row(table, "KinBody", "dof").units
    assert "degrees" not in _row(table, "Robot", "plan").units


def test_arguments_without_names_end_with_a_slash(table):
    given = [text for text, _ in _row(table, "Robot", "add_sensor").arguments]
    assert given.index("/") == 2


def test_what_functions_return_has_a_table(table):
    packages = ("bodies", "environment", "geometry", "pictures", "planning", "plugins")
    public = {
        name
        for package in packages
        for name in importlib.import_module(f"pyrave.{package}").__all__
    }
    rows = [
        (owner, row) for owner in table.owners() for row in table.public_names(owner)
    ]
    known = {row.name for _, row in rows}
    lacking = {
        name
        for owner, row in rows
        if owner in _BODIES or owner.startswith("pyrave")
        for name in re.findall(r"\b[A-Z]\w+", row.returns)
        if name in public - known
    }
    engines = {"RayWorld"}
    assert lacking <= engines


def test_types_say_what_they_stand_for(table):
    texts = {row.name: row.purpose for row in table.public_names("types")}
    assert "(values, manipulator, goal)" in texts["IkFilter"]
    assert "list, tuple, range" in texts["IndicesLike"]
    assert "" not in texts.values()
    assert texts["ControllerKind"].startswith('One of `"pd"`, `"pose"`')
    assert "`Box`" in texts["Shape"]


def test_members_of_results_are_there(table):
    assert {"trajectory", "cause"} <= _names(table, "PlanResult")
    assert "body_of" in _names(table, "WorldHits")
    assert _row(table, "Recorder", "Recorder").returns == "Recorder, for `with`"


def test_ids_have_their_settings(table):
    servo = _row(table, "controller", "JointPIDController")
    assert "kp: one number or one for each joint = 100" in dict(servo.arguments)
    assert "N m/rad or N/m" in servo.units
    assert {"mujoco"} <= {row.name for row in table.public_names("physicsengine")}
    for owner in INTERFACE_TYPES:
        for row in table.public_names(owner):
            assert pyrave.registry().offers(owner, row.name)


def test_each_file_that_ships_is_named_as_it_is_loaded(table):
    for row in table.public_names("files"):
        assert row.purpose, row.name
        for name in re.findall(r'"(.*?)"', row.name):
            assert pyrave.read(name).bodies


def test_cells_are_one_line_of_markdown(table):
    for owner in table.owners():
        rows = table.as_markdown(owner).split("\n\n")[0].strip().splitlines()
        assert len(rows) == len(table.public_names(owner)) + 2
        bars = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
        assert len(bars) == 1, owner


def test_each_argument_is_told_once_in_full(table):
    rooms = {owner: table.as_markdown(owner) for owner in table.owners()}
    printed = "\n".join(rooms.values())
    lost = []
    for owner, row, _, argument, text in _arguments(table):
        said = table.told(argument, text)
        if not (table.code(argument) in printed and said in printed):
            lost.append(f"{owner} {row.name}: {argument} {text}")
    assert lost == []
    assert "`strict`, `resource_roots`, " in rooms["Environment"]
    assert ": as for `pyrave.load`" in rooms["Environment"]
    assert "`strict: bool = False` Warnings" in rooms["pyrave"]


def test_errors_say_which_of_pythons_they_are(table):
    assert _row(table, "StateError", "StateError").returns.endswith("`RuntimeError`")
    assert _row(table, "Error", "Error").returns == "Error"


def test_options_of_files_are_told_wherever_they_are_taken(table):
    for owner, name in (("pyrave", "load"), ("pyrave", "convert")):
        silent = [text for text, told in _row(table, owner, name).arguments if not told]
        assert set(silent) <= {
            "*",
            "source: str | PathLike[str]",
            "target: str | PathLike[str]",
        }


_QUANTITY = re.compile(
    r"d?t|time|timeout|duration|times|velocit(y|ies)(_limits)?|accelerations?|torques?|"
    r"forces?|positions?|angles?|radius|height|mass|distance|\w+_range"
)


def _is_listed(table, owner, name):
    """Return whether a row lists values or keys: no arguments, their names say it."""
    home = importlib.import_module(owner) if owner.startswith("pyrave") else None
    kind = getattr(home, name, None)
    if home is None and owner[0].isupper() and name == owner:
        kind = table.class_of(owner)
    is_class = isinstance(kind, type)
    lists = is_class and issubclass(kind, (enum.Enum, BaseException))
    return lists or hasattr(kind, "__total__")


def _arguments(table):
    for owner in table.owners():
        for row in table.public_names(owner):
            if not _is_listed(table, owner, row.name):
                for argument, text in row.arguments:
                    name = re.split(r"\W", argument.lstrip("*"))[0]
                    if name and argument not in {"read", "read, assign"}:
                        yield owner, row, name, argument, text


def test_no_argument_is_without_text(table):
    """Its own text, one that it has everywhere, or a purpose that names it."""
    silent = []
    for owner, row, name, argument, text in _arguments(table):
        words = rf"`{name}`|\b{name.replace('_', ' ')}\b"
        if not (text or re.search(words, row.purpose, re.IGNORECASE)):
            silent.append(f"{owner} {row.name}: {argument}")
    assert silent == []


def test_quantities_have_units(table):
    unit = re.compile(rf"{table.UNIT.pattern}|\b(m|N|s|Pa|m/s|N m)\b|\bAs (in|for) ")
    bare = []
    for owner, row, name, argument, text in _arguments(table):
        is_number = re.search(r": (float|Array\w*|Vec3)\b", argument)
        if not (is_number and _QUANTITY.fullmatch(name)):
            continue
        if not unit.search(f"{text} {row.purpose} {' '.join(row.units)}"):
            bare.append(f"{owner} {row.name}: {argument} {text}")
    assert bare == []
