"""``joint_limits.yaml`` of MoveIt: speeds, accelerations and jerks of joints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.errors import NotSupportedError, Problem, SceneError, Severity, nearest
from pyrave.files import read_file

if TYPE_CHECKING:
    from pyrave.scene import BodyDescription, JointAxis

Body = TypeVar("Body", bound="BodyDescription")
_MAX_BYTES = 10_000_000
_FIELDS = {
    "velocity": "velocity_limit",
    "acceleration": "acceleration_limit",
    "jerk": "jerk_limit",
}
_SCALED = ("velocity", "acceleration")
_JOINT_KEYS = (
    *(f"max_{what}" for what in _FIELDS),
    *(f"has_{what}_limits" for what in ("position", *_FIELDS)),
    *("min_position", "max_position", "has_deceleration_limits", "max_deceleration"),
    *("has_effort_limits", "max_effort", "angle_wraparound", "has_soft_limits"),
    *("k_position", "k_velocity", "soft_lower_limit", "soft_upper_limit"),
)
_ABOVE = ("/**", "ros__parameters", "robot_description_planning")
"""Keys that launch files put around the limits."""
_FACTORS = {what: f"default_{what}_scaling_factor" for what in _SCALED}
_YES, _NO = frozenset({"true", "yes", "on"}), frozenset({"false", "no", "off"})


@dataclass(frozen=True, slots=True)
class JointLimit:
    """Limits of one joint in the file; radians or metres, per second.

    Parameters
    ----------
    line
        Where.
    values
        By ``velocity``, ``acceleration``, ``jerk``, ``lower`` and ``upper``, those that
        are given and in use.
    """

    line: int
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class JointLimits:
    """Contents of a ``joint_limits.yaml``.

    Parameters
    ----------
    file
        Its path.
    joints
        By name.
    factors
        Parts of the limits that motions use if nobody asks for more, by ``velocity``
        and ``acceleration``: they become the limits, and what they scale the hard ones.
    problems
        Warnings of keys that nobody knows.
    """

    file: str
    joints: Mapping[str, JointLimit]
    factors: Mapping[str, float]
    problems: tuple[Problem, ...] = ()

    def unknown(self, known: frozenset[str]) -> Iterator[Problem]:
        """Yield a warning for each joint that is not there."""
        for name, joint in self.joints.items():
            if name not in known:
                near = nearest(name, known)
                yield Problem(
                    Severity.WARNING,
                    f"there is no joint {name!r}, whose limits are given",
                    self.file, joint.line, code="unknown-joint",
                    hint=f"did you mean {near!r}?" if near else None,
                )  # fmt: skip


def has_yaml() -> bool:
    """Return True if there is a library that reads such files."""
    try:
        import yaml  # noqa: F401 - whether it is installed
    except ImportError:
        return False
    return True


def read_joint_limits(path: str) -> JointLimits:
    """Return the content of a ``joint_limits.yaml``.

    Raises
    ------
    SceneError
        It cannot be read, is no YAML, or holds values that are no limits.
    NotSupportedError
        There is no library that reads YAML.
    """
    if not has_yaml():
        raise NotSupportedError(
            f"{path} is YAML, which needs a library: pip install 'pyrave[moveit]'"
        )
    return _Reader(path).read()


class _Reader:
    """Reads one file; the nodes of its tree say where they stand."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []

    def read(self) -> JointLimits:
        root = self._root()
        for name in _ABOVE:
            root = dict(self._items(root)).get(name, root)
        items = dict(self._items(root))
        self._check_keys(root, ("joint_limits", *_FACTORS.values(), *items), "the file")
        joints = {
            name: self._joint(name, node)
            for name, node in self._items(items.get("joint_limits", root))
            if name not in _FACTORS.values()
        }
        factors = {}
        for what, key in _FACTORS.items():
            if key in items:
                factors[what] = self._number(items[key], key)
                if not 0.0 < factors[what] <= 1.0:
                    self._fail(items[key], f"{key} is {factors[what]:g}, expected a "
                               "part of 1, above 0")  # fmt: skip
        return JointLimits(self.path, joints, factors, tuple(self.problems))

    def _root(self) -> Any:
        import yaml

        try:
            data = read_file(self.path, _MAX_BYTES)
            if len(data) > _MAX_BYTES:
                raise self._error(f"larger than {_MAX_BYTES} bytes")
            root = yaml.compose(data, Loader=yaml.SafeLoader)
        except OSError as error:
            raise self._error(f"cannot be read: {error.strerror or error}") from error
        except (yaml.YAMLError, RecursionError, UnicodeError, ValueError) as error:
            mark = getattr(error, "problem_mark", None)
            said = getattr(error, "problem", None) or str(error) or "too deep"
            line = None if mark is None else mark.line + 1
            raise self._error(f"no YAML: {said}", line) from error
        if not isinstance(root, yaml.MappingNode):
            raise self._error("expected joint_limits: and joints by name below it")
        return root

    def _items(self, node: Any) -> list[tuple[str, Any]]:
        if not isinstance(node.value, list) or node.id != "mapping":
            self._fail(node, f"found {_shown(node)}, expected names and values")
        return [(str(key.value), value) for key, value in node.value]

    def _joint(self, name: str, node: Any) -> JointLimit:
        items = dict(self._items(node))
        self._check_keys(node, _JOINT_KEYS, f"the joint {name!r}")
        values = {}
        for what in _FIELDS:
            key = f"max_{what}"
            if self._is_on(items, f"has_{what}_limits") and key in items:
                values[what] = self._number(items[key], key)
                if not values[what] > 0.0:
                    self._fail(items[key], f"{key} of the joint {name!r} is "
                               f"{values[what]:g}, expected more than 0")  # fmt: skip
        if self._is_on(items, "has_position_limits"):
            for key, what in (("min_position", "lower"), ("max_position", "upper")):
                if key in items:
                    values[what] = self._number(items[key], key)
        if values.get("lower", -math.inf) > values.get("upper", math.inf):
            self._fail(node, f"min_position of the joint {name!r} is above its "
                       "max_position")  # fmt: skip
        return JointLimit(node.start_mark.line + 1, values)

    def _is_on(self, items: Mapping[str, Any], key: str) -> bool:
        if key not in items:
            return True
        text = str(items[key].value).lower()
        if text not in _YES | _NO:
            self._fail(items[key], f"{key} is {text!r}, expected true or false")
        return text in _YES

    def _number(self, node: Any, key: str) -> float:
        try:
            value = float(node.value)
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            self._fail(node, f"{key} is {_shown(node)}, expected a number")
        return math.radians(value) if node.tag == "!degrees" else value

    def _check_keys(self, node: Any, known: tuple[str, ...], whose: str) -> None:
        for key, _ in node.value:
            if key.value not in known:
                near = nearest(str(key.value), known)
                self.problems.append(
                    Problem(
                        Severity.WARNING if near else Severity.NOTE,
                        f"unknown key {key.value!r} of {whose}",
                        self.path, key.start_mark.line + 1, code="unknown-key",
                        hint=f"did you mean {near!r}?" if near else None,
                    )
                )  # fmt: skip

    def _fail(self, node: Any, text: str) -> None:
        raise self._error(text, node.start_mark.line + 1)

    def _error(self, text: str, line: int | None = None) -> SceneError:
        problem = Problem(
            Severity.ERROR, f"limits of joints: {text}", self.path, line,
            code="bad-joint-limits",
        )  # fmt: skip
        return SceneError([problem])


def _shown(node: Any) -> str:
    return repr(node.value)[:60] if node.id == "scalar" else f"a {node.id}"


def with_joint_limits(body: Body, limits: JointLimits) -> Body:
    """Return a body with the limits that a file gives its joints."""
    if not any(joint.name in limits.joints for joint in body.joints):
        return body
    joints = []
    for joint in body.joints:
        given = limits.joints.get(joint.name)
        values = {} if given is None else given.values
        axes = tuple(_limited(axis, values, limits.factors) for axis in joint.axes)
        joints.append(replace(joint, axes=axes))
    return replace(body, joints=tuple(joints))


def _limited(
    axis: JointAxis, values: Mapping[str, float], factors: Mapping[str, float]
) -> JointAxis:
    changes: dict[str, Any] = {
        field: values[what] for what, field in _FIELDS.items() if what in values
    }
    if not axis.circular:
        changes |= {end: values[end] for end in ("lower", "upper") if end in values}
    for what, factor in factors.items():
        whole = changes.get(_FIELDS[what], getattr(axis, _FIELDS[what]))
        changes[_FIELDS[what]] = factor * whole
        if factor < 1.0:
            changes[f"hard_{what}_limit"] = whole
    return replace(axis, **changes)
