"""Base of planners, their parameters and status."""

from __future__ import annotations

import enum
import weakref
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter, is_
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.argument_names import methods_suggest
from pyrave.attributes import answers_other_names, put
from pyrave.cards import offered_names
from pyrave.errors import (
    ArgumentError,
    AttributeNameError,
    PluginError,
    StateError,
    did_you_mean,
    shown,
)
from pyrave.interfaces import planner_xml
from pyrave.interfaces.base import InterfaceBase, with_origin
from pyrave.interfaces.handles import CallbackList, Handle
from pyrave.interfaces.settings.declarations import (
    Check,
    Setting,
    changed_settings,
    settings_of,
)
from pyrave.interfaces.settings.texts import spelled, values_of_texts
from pyrave.kinematics.affine import Affine
from pyrave.records import Record
from pyrave.spatial import Array, as_vector
from pyrave.trajectories.specification import ConfigurationSpecification

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot
    from pyrave.environment import Environment
    from pyrave.interfaces.trajectory import TrajectoryBase


class PlannerStatusCode(enum.IntFlag):
    """Outcome of planning and cause of failure, with OpenRAVE's bits."""

    FAILED = 0
    HAS_SOLUTION = 1
    INTERRUPTED = 2
    INTERRUPTED_WITH_SOLUTION = 3
    ENV_COLLISION = 0x10000
    SELF_COLLISION = 0x20000
    INITIAL = 0x40000
    GOAL = 0x80000
    KINEMATICS = 0x100000
    IK = 0x200000
    VELOCITY = 0x400000
    CUSTOM_FILTER = 0x800000
    TIME_BASED = 0x1000000


@dataclass(frozen=True, slots=True)
class PlannerStatus:
    """Result of a planner call; true if there is a solution.

    Parameters
    ----------
    description
        What happened, for people: who collided, which limit, ...
    seconds
        Wall time of the call.
    iterations, checks
        Of the search, and configurations that it compared, if the planner counts them.
    code
        What happened, as flags.
    """

    code: PlannerStatusCode
    description: str = ""
    seconds: float = 0.0
    iterations: int = 0
    checks: int = 0

    def __bool__(self) -> bool:
        return bool(self.code & PlannerStatusCode.HAS_SOLUTION)

    @property
    def cause(self) -> str:
        """Reason for having no solution; empty if there is one."""
        return "" if self else self.description or "the planner gives no reason"


class PlannerAction(enum.Enum):
    """Decision of a progress callback.

    With `RETURN_WITH_ANY_SOLUTION` a planner looks for no better solution than it has;
    while it has none it goes on.
    """

    CONTINUE = 0
    INTERRUPT = 1
    RETURN_WITH_ANY_SOLUTION = 2


@dataclass(frozen=True, slots=True)
class PlannerProgress:
    """Handed to progress callbacks.

    Parameters
    ----------
    iteration
        Number of the iteration, from 0.
    """

    iteration: int


_OF_ROBOT = ("difference", "neighbour_state", "distance_metric")
_SPACE = (*_OF_ROBOT, "set_state", "check_path_constraints", "specification")
"""Names of the functions of a space, and of the meaning of its values."""
_space_of = attrgetter(*_SPACE)
_OF_TABLE = (
    *("velocity_limits", "acceleration_limits", "jerk_limits"),
    *("resolutions", "weights"),
)


def _empty() -> Array:
    return np.empty(0)


def _wrong(label: str, value: Any, expected: str) -> ArgumentError:
    return ArgumentError(f"{label} is {shown(value)}, expected {expected}")


def _array(label: str, value: Any) -> Array:
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    try:
        found = np.asarray(value)
    except ValueError:
        found = np.empty(0, object)
    if found.dtype.kind not in "biuf":
        raise _wrong(label, value, "numbers")
    return found.astype(np.float64)


def _texts(label: str, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(
        isinstance(key, str) and isinstance(text, str) for key, text in value.items()
    ):
        raise _wrong(label, value, "a mapping of names to texts")
    return value if isinstance(value, dict) else dict(value)


def _pairs(label: str, value: Any) -> tuple[tuple[str, str], ...]:
    try:
        found = tuple((planner, text) for planner, text in value)
    except (TypeError, ValueError):
        found = ((None, None),)
    if not all(isinstance(word, str) for pair in found for word in pair):
        raise _wrong(label, value, "pairs of a planner and its parameters as XML")
    return found


def _specification(label: str, value: Any) -> ConfigurationSpecification:
    if not isinstance(value, ConfigurationSpecification):
        raise _wrong(label, value, "a ConfigurationSpecification")
    return value


def _function(label: str, value: Any) -> Any:
    if value is not None and not callable(value):
        raise _wrong(label, value, "a function or None")
    return value


_CHECKS: Mapping[str, Check] = {
    "Array": _array,
    "int": Setting(hint=int).check,
    "float": Setting(hint=float, infinite=True).check,
    "dict[str, str]": _texts,
    "tuple[tuple[str, str], ...]": _pairs,
    "ConfigurationSpecification": _specification,
}


@cache
def _checks() -> Mapping[str, Check]:
    """Return checks of the fields of `PlannerParameters`, by their annotations."""
    return {
        one.name: _CHECKS.get(str(one.type), _function)
        for one in fields(PlannerParameters)
        if one.init
    }


@methods_suggest
@dataclass(slots=True, weakref_slot=True)
class PlannerParameters(Record):
    """Problem of a planner: a configuration space, its functions and its ends.

    `set_robot_active_joints` fills the space and the functions from a robot. All
    arrays are in the order of `specification`; initial and goal configurations may
    hold several, one after the other. The distance of two configurations is the length
    of their difference, multiplied by `weights`.

    What a planner has of its own are its settings (`PlannerBase.settings_type`); texts
    of files that may be meant for it are in `extra`.

    Values are checked when they are assigned, for what they are; what they mean is
    checked by planners.

    Parameters
    ----------
    specification
        Meaning of each number of a configuration.
    initial_configuration
        (n dof,) starts, one after the other.
    goal_configuration
        (n dof,) goals, one after the other; empty: `goal` or `sample_goal` say them.
    initial_velocities
        (dof,) rad/s or m/s; empty: rest.
    goal_velocities
        (dof,) rad/s or m/s; empty: rest.
    lower_limits
        (dof,) radians or metres.
    upper_limits
        (dof,) radians or metres.
    velocity_limits
        (dof,) rad/s or m/s.
    acceleration_limits
        (dof,) rad/s2 or m/s2.
    jerk_limits
        (dof,) rad/s3 or m/s3; empty: none.
    resolutions
        (dof,) steps at which motions are checked, radians or metres.
    weights
        (dof,) factors of differences in distances.
    step_length
        Longest distance of two configurations in a tree.
    max_iterations
        0: the planner's own.
    max_planning_time
        Seconds; 0: the planner's own.
    random_seed
        The same seed gives the same plan.
    post_processing
        Planners that go on with the result: (id, settings as XML).
    extra
        Texts of files that no field is for, by tag.
    set_state
        Puts the robot into a configuration; False: it cannot be.
    get_state
        Returns the present configuration (dof,).
    difference
        Returns a - b, circular joints the short way round.
    neighbour_state
        Returns a configuration moved by a difference, None: it cannot be.
    distance_metric
        Returns the distance of two configurations.
    check_path_constraints
        Returns whether the straight motion between two is allowed.
    cost
        Returns the cost of a configuration.
    goal
        Returns the distance of a configuration from the goals, 0 at one.
    sample
        Returns a random configuration, or None.
    sample_goal
        Returns a goal, or None if there are no more.
    sample_initial
        Returns a start, or None if there are no more.
    sample_neighbour
        Returns a random configuration within a distance of one, or None.

    Raises
    ------
    ArgumentError
        A value of another kind than its field's, or out of its bounds.
    """

    specification: ConfigurationSpecification = field(
        default_factory=ConfigurationSpecification
    )
    initial_configuration: Array = field(default_factory=_empty)
    goal_configuration: Array = field(default_factory=_empty)
    initial_velocities: Array = field(default_factory=_empty)
    goal_velocities: Array = field(default_factory=_empty)
    lower_limits: Array = field(default_factory=_empty)
    upper_limits: Array = field(default_factory=_empty)
    velocity_limits: Array = field(default_factory=_empty)
    acceleration_limits: Array = field(default_factory=_empty)
    jerk_limits: Array = field(default_factory=_empty)
    resolutions: Array = field(default_factory=_empty)
    weights: Array = field(default_factory=_empty)
    step_length: float = 0.04
    max_iterations: int = 0
    max_planning_time: float = 0.0
    random_seed: int = 0
    post_processing: tuple[tuple[str, str], ...] = ()
    extra: dict[str, str] = field(default_factory=dict)
    set_state: Callable[[Array], bool] | None = None
    get_state: Callable[[], Array] | None = None
    difference: Callable[[Array, Array], Array] | None = None
    neighbour_state: Callable[[Array, Array], Array | None] | None = None
    distance_metric: Callable[[Array, Array], float] | None = None
    check_path_constraints: Callable[[Array, Array], bool] | None = None
    cost: Callable[[Array], float] | None = None
    goal: Callable[[Array], float] | None = None
    sample: Callable[[], Array | None] | None = None
    sample_goal: Callable[[], Array | None] | None = None
    sample_initial: Callable[[], Array | None] | None = None
    sample_neighbour: Callable[[Array, float], Array | None] | None = None
    _of_robot: dict[str, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __setattr__(self, name: str, value: Any) -> None:
        check = _checks().get(name)
        if check is not None:
            value = check(f"parameters.{name}", value)
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            near = did_you_mean(name, offered_names(self))
            raise AttributeNameError(
                f"{type(self).__name__} has no field {name!r}{near}; parameters of one "
                "planner are keywords of plan",
                name,
            ) from None

    @property
    def is_plain(self) -> bool:
        """True for a robot's joint space without functions of the user.

        Then searches are compiled. Goals and initial configurations may be sampled.
        """
        own = self._of_robot
        return bool(own) and all(map(is_, _space_of(self), map(own.get, _SPACE)))

    @property
    def changed_functions(self) -> frozenset[str]:
        """The functions of the space that are not those of a robot's joints."""
        return frozenset(
            name
            for name in _SPACE
            if getattr(self, name) is not self._of_robot.get(name)
        ) - {"specification"}

    @property
    def dof(self) -> int:
        """Number of values of one configuration."""
        return self.specification.dof

    def to_xml(self) -> str:
        """Return the ``<PlannerParameters>`` element as OpenRAVE writes it.

        Functions and weights are no part of it.
        """
        return planner_xml.write(self)

    def read_xml(self, source: Any) -> None:
        """Take over what a ``<PlannerParameters>`` element says.

        Tags that are not known are kept in `extra`, in lower case.

        Parameters
        ----------
        source
            Text, UTF-8 bytes or an lxml element.

        Raises
        ------
        SceneError
            It is no such element, or numbers are none; nothing changes then.
        """
        planner_xml.read(self, source)

    def set_robot_active_joints(self, robot: Robot) -> None:
        """Plan for the robot's active degrees of freedom, from where it stands.

        They must stay chosen while these parameters are in use: joints, and motions of
        the base.
        """
        active, table = robot.active, robot.active_table
        known: dict[str, Any] = {n: getattr(table, n).copy() for n in _OF_TABLE}
        known["specification"] = active.configuration_specification("linear")
        known["lower_limits"] = table.lower.copy()
        known["upper_limits"] = table.upper.copy()
        known["initial_configuration"] = active.values

        def set_state(values: Array) -> bool:
            active.set_values(values)
            return True

        difference = active.subtract_values
        # weak: these functions are held by the parameters themselves
        parameters = weakref.ref(self)

        def neighbour_state(q: Array, dq: Array) -> Array:
            own = parameters()
            if own is None:
                return np.asarray(q + dq)
            return np.clip(q + dq, own.lower_limits, own.upper_limits)

        def distance_metric(a: Array, b: Array) -> float:
            own = parameters()
            weights = 1.0 if own is None else own.weights
            return float(np.linalg.norm(weights * difference(a, b)))

        known["set_state"] = set_state
        known["get_state"] = lambda: active.values
        known["difference"] = difference
        known["neighbour_state"] = neighbour_state
        known["distance_metric"] = distance_metric
        self._take(known)
        # compiled searches know joints, and turns of the base about one axis
        free = table.affine & (Affine.ROTATION_3D | Affine.ROTATION_QUAT)
        names = (*(() if free else ("specification", "set_state")), *_OF_ROBOT)
        put(self, "_of_robot", {name: known[name] for name in names})

    def _take(self, values: Mapping[str, Any]) -> None:
        """Set fields to values that are known to be of their kinds."""
        for name, value in values.items():
            put(self, name, value)


@answers_other_names
class PlannerBase(InterfaceBase):
    """Finds trajectories. Nothing is called by the environment itself.

    Life: `init_plan`, then `plan_path` any number of times. Planners check collisions:
    `check_motion` asks the environment's checker and the constraints of the parameters,
    which know of no collisions.
    """

    interface_type: ClassVar[str] = "planner"
    contract: ClassVar[int] = 2
    needs_goal: ClassVar[bool] = True
    """False: it plans without goals, for example to explore."""
    needs_path: ClassVar[bool] = False
    """True: it changes the path of a trajectory, and looks for none."""

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._progress: CallbackList[PlannerProgress] = CallbackList("progress")

    @abstractmethod
    def init_plan(
        self, robot: Robot | None, parameters: PlannerParameters
    ) -> PlannerStatus:
        """Take a problem; the status says what is wrong with it."""

    @abstractmethod
    def plan_path(self, trajectory: TrajectoryBase, options: int = 0) -> PlannerStatus:
        """Plan, and put the result into `trajectory` (initialised by the planner)."""

    def find_path(self) -> tuple[PlannerStatus, Array]:
        """Plan, and return the status and the path (n, dof) of the parameters' space.

        It is what `plan_path` puts into a trajectory; without a solution it is empty.

        Raises
        ------
        StateError
            There are no parameters yet.
        PluginError
            `plan_path` returned no status.
        """
        made = self.env.create("trajectory", "")
        status = self.plan_path(made)
        if not isinstance(status, PlannerStatus):
            raise PluginError(
                f"plan_path() of {with_origin(self)} returned {shown(status)}, "
                "expected a PlannerStatus"
            )
        if not status:
            return status, np.empty((0, 0))
        given = self.get_parameters()
        if given is None:
            raise StateError(f"{self!r} has no parameters: call init_plan first")
        return status, made.get_waypoints(spec=given.specification)

    @abstractmethod
    def get_parameters(self) -> PlannerParameters | None:
        """Return the parameters in use, None before `init_plan`."""

    def settings_for(self, parameters: PlannerParameters) -> Any:
        """Return the settings with what `parameters.extra` says of them.

        Tags of files are compared without case and underscores.

        Raises
        ------
        SettingError
            A text is no value of its setting.
        """
        known = settings_of(self.settings_type)
        named = {spelled(known, tag): text for tag, text in parameters.extra.items()}
        texts = {name: text for name, text in named.items() if name is not None}
        if not texts:
            return self.settings
        owner = self.interface_id
        return changed_settings(
            self.settings, owner, values_of_texts(known, owner, texts)
        )

    def check_motion(
        self, robot: Robot | None, first: ArrayLike, last: ArrayLike
    ) -> PlannerStatus:
        """Check the straight motion between two configurations; true if it is free.

        It is free if ``check_path_constraints`` of the parameters says so, and the
        robot hits neither itself nor anything else at steps of their `resolutions`
        (or `step_length`), ends included. Everything is where it was afterwards.

        Parameters
        ----------
        robot
            Who moves, as `init_plan` got it. None: only constraints are asked.
        first, last
            (dof,) configurations of the parameters' space; joints without limits go
            the short way round.

        Raises
        ------
        StateError
            There are no parameters yet, or they have no `set_state` and `get_state`.
        """
        given = self.get_parameters()
        if given is None or given.set_state is None or given.get_state is None:
            raise StateError(
                f"{self!r} has no configuration space: call init_plan with parameters "
                "of set_robot_active_joints() first"
            )
        start = as_vector(first, given.dof, "first")
        end = as_vector(last, given.dof, "last")
        keeps = given.check_path_constraints
        if keeps is not None and not keeps(start, end):
            text = "the motion breaks a constraint"
            return PlannerStatus(PlannerStatusCode.CUSTOM_FILTER, text)
        way = end - start if given.difference is None else given.difference(end, start)
        steps = np.asarray(given.resolutions, float)
        if steps.shape != way.shape or not (steps > 0.0).all():
            steps = np.full(way.shape, given.step_length)
        n = max(1, int(np.ceil(np.max(np.abs(way) / steps, initial=0.0))))
        before = given.get_state()
        try:
            for k in range(n + 1):
                given.set_state(start + way * (k / n))
                code, what = self._hit(robot)
                if what:
                    text = f"{what} at {k / n:.0%} of the motion"
                    return PlannerStatus(code, text, checks=k + 1)
        finally:
            given.set_state(before)
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION, "free", checks=n + 1)

    def _hit(self, robot: Robot | None) -> tuple[PlannerStatusCode, str]:
        """Return the kind of collision of a robot where it stands, with its words."""
        if robot is not None:
            if self.env.check_collision(robot):
                return PlannerStatusCode.ENV_COLLISION, "a collision"
            if self.env.collision_checker.check_self_collision(robot):
                return PlannerStatusCode.SELF_COLLISION, "a self collision"
        return PlannerStatusCode.HAS_SOLUTION, ""

    def register_progress_callback(
        self, callback: Callable[[PlannerProgress], Any]
    ) -> Handle:
        """Call back while planning; the callback may return a `PlannerAction`."""
        return self._progress.add(callback)

    def call_progress(self, progress: PlannerProgress) -> PlannerAction:
        """Ask the callbacks whether to go on; planners call this regularly.

        Parameters
        ----------
        progress
            What was reached.
        """
        for answer in self._progress(progress, self._report_problem):
            if (
                isinstance(answer, PlannerAction)
                and answer is not PlannerAction.CONTINUE
            ):
                return answer
        return PlannerAction.CONTINUE
