"""``==`` of whatever holds arrays is True or False."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import re
from typing import NamedTuple

import numpy as np
import pytest

import pyrave
from pyrave import records
from pyrave.records import Record
from pyrave.scene import Box, GeometryDescription, Pose

ARRAYS = re.compile(r"\b(Array|NDArray|Indices|ArrayLike|Vec3|[FI](64|32))\b")
PACKAGES = (
    "pyrave",
    "pyrave_base",
    "pyrave_collision",
    "pyrave_ik",
    "pyrave_inventor",
    "pyrave_manipulation",
    "pyrave_meshes",
    "pyrave_planners",
    "pyrave_sensors",
    "pyrave_serve",
    "pyrave_urdf",
    "pyrave_workcell",
)


def classes():
    """Yield the classes of pyrave's modules that are no kernels'."""
    for package in PACKAGES:
        found = importlib.import_module(package)
        for info in pkgutil.walk_packages(found.__path__, f"{package}."):
            if info.name.endswith("__main__") or ".kernels" in info.name:
                continue
            if info.name.startswith("pyrave.testing.pytest_plugin"):
                continue
            module = importlib.import_module(info.name)
            for kind in vars(module).values():
                if isinstance(kind, type) and kind.__module__ == info.name:
                    yield kind


def own_arrays(kind):
    """Return the fields of a record that hold arrays and count in comparisons."""
    if dataclasses.is_dataclass(kind):
        pairs = [(f.name, f.type) for f in dataclasses.fields(kind) if f.compare]
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        pairs = kind.__annotations__.items()
    else:
        return []
    return [name for name, its in pairs if ARRAYS.search(str(its))]


def compares_by_fields(kind):
    """Return whether ``==`` is what Python makes of the fields."""
    if dataclasses.is_dataclass(kind):
        return kind.__dataclass_params__.eq and "__eq__" in vars(kind)
    return kind.__eq__ is tuple.__eq__


@pytest.mark.slow
def test_all_records_with_arrays_are_compared_by_values():
    kinds = {kind for kind in classes() if own_arrays(kind)}
    assert len(kinds) > 60, "the walk finds them"
    wrong = []
    for kind in kinds:
        if kind.__name__.startswith("_") or not compares_by_fields(kind):
            continue
        if not (
            issubclass(kind, Record) and kind.__eq__.__module__ == "pyrave.records"
        ):
            wrong.append(f"{kind.__module__}.{kind.__name__}: {own_arrays(kind)}")
    assert not wrong, "derive these from pyrave.records.Record"


# -- the mechanism ---------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Fixed(Record):
    point: np.ndarray
    parts: dict = dataclasses.field(default_factory=dict)
    note: str = dataclasses.field(default="", compare=False)


@dataclasses.dataclass(slots=True)
class Loose(Record):
    point: np.ndarray


@dataclasses.dataclass(slots=True)
class Looser(Loose):
    more: list


@records.compared_by_items
class Pair(NamedTuple):
    point: np.ndarray
    name: str


ALIKE = [
    (np.zeros(3), np.zeros(3)),
    (np.array([0.0, np.nan]), np.array([-0.0, np.nan])),
    (np.array([1, 2]), np.array([1.0, 2.0])),
    ([np.ones(2), "a"], [np.ones(2), "a"]),
    (np.array([np.ones(2), None], object), np.array([np.ones(2), None], object)),
]
DIFFERENT = [
    (np.zeros(3), np.zeros(4)),
    (np.zeros(3), np.array([0.0, 0, 1])),
    (np.zeros(3), None),
    (np.zeros(2), (0.0, 0.0)),
    (np.array([np.nan]), np.array([0.0])),
    ([np.ones(2)], [np.ones(2), np.ones(2)]),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_equal_records_hash_alike(one, other):
    first, second = Fixed(one, {"a": one}, "x"), Fixed(other, {"a": other}, "y")
    assert (first == second) is True
    assert (first != second) is False
    assert hash(first) == hash(second)
    assert (Loose(one) == Loose(other)) is True
    assert (Looser(one, [one]) == Looser(other, [other])) is True
    assert (Pair(one, "a") == Pair(other, "a")) is True
    assert (Pair(one, "a") != Pair(other, "a")) is False


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_records_are_different(one, other):
    assert (Fixed(one) == Fixed(other)) is False
    assert (Fixed(np.ones(2), {"a": one}) == Fixed(np.ones(2), {"a": other})) is False
    assert (Fixed(one) != Fixed(other)) is True
    assert (Pair(one, "a") == Pair(other, "a")) is False
    assert (Pair(one, "a") != Pair(other, "a")) is True


def test_classes_of_their_own_and_other_things_are_different():
    assert (Loose(np.ones(2)) == Looser(np.ones(2), [])) is False
    assert (Loose(np.ones(2)) == np.ones(2)) is False
    assert (Loose(np.ones(2)) == "text") is False
    assert Pair(np.ones(2), "a") != "text"
    with pytest.raises(TypeError, match="unhashable type: 'Loose'"):
        hash(Loose(np.ones(2)))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Pair(np.ones(2), "a"))


def test_a_class_keeps_a_comparison_of_its_own():
    @dataclasses.dataclass
    class Named(Record):
        name: str
        point: np.ndarray

        def __eq__(self, other):
            return self.name == other.name

        __hash__ = None

    assert Named("a", np.zeros(2)) == Named("a", np.ones(2))


# -- what users meet -------------------------------------------------------------------


def met(env):
    """Return records of all sorts that the public functions give."""
    robot = env.robots[0]
    arm = robot.active_manipulator
    report = env.check_collision(robot.links[0], report=True)
    sensors = [mounted.measure() for mounted in robot.attached_sensors]
    goal = robot.active.values + 0.05
    plan = arm.plan(values=arm.arm_dof_values + 0.05)
    return {
        "sensor data": sensors[0],
        "geometry of a sensor": robot.attached_sensors[0].sensor.get_sensor_geometry(),
        "state": robot.get_state(),
        "scene": env.describe(),
        "glimpse": robot.glimpse(),
        "published": env.published,
        "report": report,
        "batch": arm.solve_ik_batch(np.array([arm.transform]), all=True),
        "ik": arm.find_ik(arm.transform),
        "plan": plan,
        "rays": env.raycast([0, 0, 2], [0, 0, -1]),
        "trajectory": plan.trajectory,
        "specification": plan.trajectory.get_configuration_specification(),
        "parameters": pyrave.PlannerParameters(goal_configuration=goal),
    }


@pytest.fixture(scope="module")
def found():
    return met(pyrave.load("scenes/demo.env.xml"))


def test_what_functions_return_answers(found):
    for name, one in found.items():
        for other in (one, *found.values()):
            assert (one == other) in {True, False}, name
            assert isinstance(one == other, bool), name
        assert one == one, name  # noqa: PLR0124 - the comparison is what is tested


@pytest.mark.parametrize(
    "name", ["sensor data", "geometry of a sensor", "state", "scene", "glimpse"]
)
def test_copies_are_equal(found, name):
    one = found[name]
    for other in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):  # noqa: S301
        assert (one == other) is True


def test_another_measurement_is_different(found):
    data = copy.deepcopy(found["sensor data"])
    assert data == found["sensor data"]
    data.pose[0, 3] += 1.0
    assert (data == found["sensor data"]) is False


def test_descriptions_that_were_given_arrays_answer():
    for make in (
        lambda: Pose(translation=np.array((1.0, 2.0, 3.0))),
        lambda: Box(np.array((1.0, 2.0, 3.0))),
        lambda: GeometryDescription(Box(np.array((1.0, 2.0, 3.0)))),
    ):
        assert (make() == make()) is True
        assert hash(make()) == hash(make())


@dataclasses.dataclass(frozen=True, slots=True)
class Usual:
    """What `dataclasses` makes."""

    name: str
    pose: Pose = Pose()  # noqa: RUF009 - frozen
    count: int = 3


@records.made_quickly
@dataclasses.dataclass(frozen=True, slots=True)
class Quick:
    """The same, made quickly."""

    name: str
    pose: Pose = Pose()  # noqa: RUF009 - frozen
    count: int = 3


def test_records_that_are_made_quickly_are_like_others():
    assert str(inspect.signature(Quick)) == str(inspect.signature(Usual))
    made = Quick("arm", count=2)
    assert (made.name, made.pose, made.count) == ("arm", Pose(), 2)
    assert dataclasses.replace(made, name="hand") == Quick("hand", Pose(), 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.count = 4
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        Quick()
    link = pyrave.scene.LinkDescription("tip")
    assert pickle.loads(pickle.dumps(link)) == copy.deepcopy(link) == link  # noqa: S301
