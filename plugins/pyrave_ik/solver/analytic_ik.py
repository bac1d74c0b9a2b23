"""The inverse kinematics solver: all solutions of any arm, with nothing generated."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.ik import IkFilterOptions, IkParameterization, IkParameterizationType
from pyrave.interfaces import settings_of
from pyrave.interfaces.settings.declarations import check_names
from pyrave.interfaces.settings.texts import values_of_texts
from pyrave.spatial import Array, Indices, as_indices
from pyrave_ik.arm.chain import ORIGIN, ArmChain, dof_names, still_axes
from pyrave_ik.methods.analytic import (
    AnalyticSolver,
    SearchNeededError,
    TooFewJointsError,
    planned_solver,
)
from pyrave_ik.methods.packed_arm import bounds_of
from pyrave_ik.solver.arm_ik import ArmIk, ignores_limits
from pyrave_ik.solver.compiled import CompiledIk
from pyrave_ik.solver.compound_method import CompoundMethod, closed_compound
from pyrave_ik.solver.default_goal_type import KINDS, reached
from pyrave_ik.solver.held_joints import HeldJoints
from pyrave_ik.solver.loop_method import LoopMethod
from pyrave_ik.solver.names import (
    AnalyticSettings,
    OldNameSettings,
    held_by,
    note_of,
    read_old_words,
)
from pyrave_ik.solver.numeric_method import (
    HeldSearch,
    NumericalSettings,
    NumericMethod,
)
from pyrave_ik.solver.plain_call import PlainCall
from pyrave_ik.solver.self_motion import SelfMotion

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies import Manipulator
    from pyrave.ik.parameterization import IkTypeLike
    from pyrave_ik.solver.goal_method import GoalMethod

    _Sort = tuple[IkParameterizationType, int]

_log = logging.getLogger("pyrave.ik")
_noted: set[str] = set()
_NONE = IkFilterOptions.NONE
_NO_LIMITS = IkFilterOptions.IGNORE_JOINT_LIMITS
_CANNOT = "cannot solve it: "
_POSE = IkParameterizationType.Transform6D
_POSES: _Sort = (_POSE, 0)
_POINT = IkParameterizationType.TranslationLocalGlobal6D
_SEARCH = NumericalSettings()
_LONG_SEARCH = NumericalSettings(starts=1000)
"""Goals that constrain more than an arm has joints are met at single points, and most
descents end beside them."""


class AnalyticIk(ArmIk):
    """Finds all joint values that meet a goal, in closed form or by elimination.

    In files words after the id are OpenRAVE's, too: ``[ikthreshold NUMBER] [free JOINT]
    ... [STEP ...]``. Joints that an arm has too many for a goal are held at values in
    steps, by default pi/8 radians or a tenth of a sliding joint's range. Every solution
    is verified.
    """

    contract: ClassVar[int] = 2
    verifies: ClassVar[bool] = True
    takes_library: ClassVar[bool] = False
    """True if the first word may name a library, as with OpenRAVE's solvers."""
    settings_type: ClassVar[type] = AnalyticSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self.note = ""
        """Meaning of the requested id in OpenRAVE, empty for our own; then why goals
        are searched for numerically."""
        self._free: tuple[str, ...] = ()
        self._solvers: dict[_Sort, AnalyticSolver | NotSupportedError] = {}
        self._methods: dict[tuple[_Sort, bool], GoalMethod] = {}

    @classmethod
    def read_words(cls, owner: str, words: tuple[str, ...]) -> dict[str, Any]:
        """Return the settings that the words behind an id say, as OpenRAVE has them."""
        texts = read_old_words(words, library=cls.takes_library)
        known = settings_of(cls.settings_type)
        check_names(owner, known, texts)
        return values_of_texts(known, owner, texts)

    def settings_changed(self, before: Any) -> None:
        """Solve with other settings: the arm is taken anew."""
        arm = self.get_manipulator()
        if arm is not None:
            self.init(arm)

    # -- the arm -----------------------------------------------------------------

    def init(self, manipulator: Manipulator) -> bool:
        """Take an arm that has joints.

        Raises
        ------
        NotSupportedError
            There is no joint between its base and its tool, or one without axes.
        """
        chain = ArmChain.from_manipulator(manipulator)
        if not len(manipulator.arm_indices):
            raise NotSupportedError(
                f"no joint moves the end effector {manipulator.end_effector.name!r} "
                f"from the base {manipulator.base.name!r}"
            )
        names = dof_names(manipulator) if chain.coupled else chain.names
        for name in self.settings.free:
            if name not in names:
                raise NotSupportedError(
                    f"free joint {name!r} is not a joint of the arm, which has "
                    + ", ".join(names)
                )
        self._free = self.settings.free or held_by(self.interface_id, names)
        super().init(manipulator)
        self.note = note_of(self.interface_id, self.settings)
        if self.note:
            level = logging.DEBUG if self.note in _noted else logging.INFO
            _noted.add(self.note)
            _log.log(level, "%s", self.note)
        return True

    def _take(self, manipulator: Manipulator, chain: ArmChain) -> None:
        super()._take(manipulator, chain)
        self._solvers = {}

    def _forget(self) -> None:
        super()._forget()
        self._methods = {}

    # -- methods -----------------------------------------------------------------

    def goal_solver(self, kind: IkTypeLike | IkParameterization) -> AnalyticSolver:
        """Return the plan for loops of a kind of goals.

        Parameters
        ----------
        kind
            The kind, or a goal of it: goals for different points of the tool may be
            solved in different ways.

        Raises
        ------
        NotSupportedError
            The arm cannot be solved for such goals, and why.
        """
        arm = self._ready()
        sort, point = self._sort_of(kind)
        if sort[0].is_velocity:
            raise NotSupportedError(
                f"{sort[0].name} is a velocity, which takes no loop; solve() has joint "
                "velocities for it"
            )
        known = self._solvers.get(sort)
        if known is None:
            chain = self.chain
            free = sorted(chain.names.index(name) for name in self._free) or None
            try:
                known = planned_solver(chain, sort[0], arm.direction, free, point)
            except NotSupportedError as error:
                known = error.with_traceback(None)
            self._solvers[sort] = known
        if isinstance(known, NotSupportedError):
            raise type(known)(f"{self!r} {_CANNOT}{known}")
        return known

    def _sort_of(self, kind: IkTypeLike | IkParameterization) -> tuple[_Sort, Array]:
        """Return the key of a kind's solvers, and the tool's point."""
        point = ORIGIN
        if isinstance(kind, IkParameterization):
            if kind.type is _POINT:
                point = kind.array[:3]
            kind = kind.type
        kind = IkParameterizationType.of(kind)
        return (kind, still_axes(self.chain, point) if kind is _POINT else 0), point

    def method(
        self,
        target: IkTypeLike | IkParameterization | Array,
        options: IkFilterOptions = _NONE,
    ) -> GoalMethod:
        """Return the method that solves a target within the limits that count.

        The ``note`` of a search says why it is one, and so does the solver's from then
        on.

        Parameters
        ----------
        target
            A goal, T_world_tool, or a kind of goals.

        Raises
        ------
        NotSupportedError
            The arm cannot be solved for such goals, and why.
        """
        arm = self._ready()
        ignored = ignores_limits(options)
        kind = _POSE if isinstance(target, np.ndarray) else target
        sort, point = (_POSES, ORIGIN) if kind is _POSE else self._sort_of(kind)
        known = self._methods.get((sort, ignored))
        if known is None:
            try:
                known = self._loop(arm, self.goal_solver(kind), ignored=ignored)
            except SearchNeededError as error:
                why = str(error).removeprefix(f"{self!r} {_CANNOT}")
                known = self._other(arm, sort[0], point, why, ignored=ignored)
            self._methods[sort, ignored] = known
        return known

    def _loop(
        self, arm: Manipulator, solver: AnalyticSolver, *, ignored: bool
    ) -> LoopMethod:
        """Return the method for goals that are loops of six joints."""
        circular = arm.robot.model.circular[self._dofs]
        lower, upper = (end[self._dofs] for end in arm.robot.limit_store.bounds)
        bounds = bounds_of(self.chain, lower, upper, circular, ignored=ignored)
        held = HeldJoints(solver, bounds, circular, self.settings.steps, repr(self))
        options = _NO_LIMITS if ignored else _NONE
        made = SelfMotion if solver.free else LoopMethod
        threshold = self.settings.threshold or 0.0
        return made(solver, bounds, held, threshold, lambda: self.numeric(options))

    def _other(
        self,
        arm: Manipulator,
        kind: IkParameterizationType,
        point: Array,
        why: str,
        *,
        ignored: bool,
    ) -> CompoundMethod | NumericMethod:
        """Return the method for goals that are no loop: a simpler arm, or a search."""
        chain, names, owner = self.chain, self._names, repr(self)
        if not self._free:
            simpler = closed_compound(chain, len(names), kind, arm.direction, point)
            if simpler is not None:
                search = NumericMethod(arm, chain, _SEARCH, owner, ignored=ignored)
                return CompoundMethod(arm, *simpler, search)
            found = NumericMethod(arm, chain, _LONG_SEARCH, owner, ignored=ignored)
        else:
            found = HeldSearch(
                arm,
                chain,
                _LONG_SEARCH,
                owner,
                ignored=ignored,
                held=[names.index(name) for name in self._free],
                steps=self.settings.steps,
            )
        found.note = (
            f"{why}; solutions are searched for numerically, and there may be more "
            "than are found"
        )
        if found.note not in self.note:
            _log.info("%s: %s", arm.name, found.note)
            self.note = f"{self.note}; {found.note}".removeprefix("; ")
        return found

    def _new_search(self, arm: Manipulator, *, ignored: bool) -> NumericMethod:
        owner = repr(self)
        return NumericMethod(arm, self.chain, _SEARCH, owner, ignored=ignored)

    def supports(self, kind: IkTypeLike) -> bool:
        """Return True if the arm has isolated solutions for goals of that kind.

        False where it has too few joints for most of them: those that it can meet are
        solved all the same.
        Also for velocities: what of them an arm can do depends on its configuration.
        """
        kind = IkParameterizationType.of(kind)
        if self._manipulator is None or kind.is_velocity:
            return True
        try:
            self.goal_solver(kind)
        except SearchNeededError as error:
            return not isinstance(error, TooFewJointsError)
        except NotSupportedError:
            return False
        return True

    # -- free joints -------------------------------------------------------------

    def main_kind(self) -> IkParameterizationType:
        """Return the kind of goals of `get_free_indices`: the most constrained one."""
        arm, chain = self._ready(), self.chain
        for kind in KINDS:
            if (
                kind.dof <= chain.n
                and reached(chain, kind, arm.direction)
                and self.supports(kind)
            ):
                return kind
        raise NotSupportedError(f"{self!r} solves no kind of goals for its arm")

    def get_num_free_parameters(self) -> int:
        """Return the number of joints that are held for goals of the `main_kind`."""
        return len(self.get_free_indices())

    def get_free_indices(self) -> Indices:
        """Return (k,) int64, the indices into the arm's joints of those held."""
        return as_indices(self.method(self.main_kind()).held_dofs, "free indices")

    def get_free_parameters(self) -> Array:
        """Return the present values of the held joints, 0..1 over their range."""
        arm = self._ready()
        method, parts = self.method(self.main_kind()), []
        for dof in method.held_dofs:
            lower, upper = method.free_range(dof)
            value = float(arm.robot.dof_values[self._dofs[dof]])
            parts.append((value - lower) / (upper - lower) if upper > lower else 0.0)
        return np.asarray(np.clip(np.array(parts, dtype=np.float64), 0.0, 1.0))

    def _keep_plain_call(self) -> None:
        """Keep what the next pose takes where only the arm's values change."""
        method = self._methods.get((_POSES, False))
        if self._plain_call is None and type(method) is LoopMethod:
            call = PlainCall.of(self._ready(), self._dofs, method.bounded())
            self._plain_call = call

    def compiled(
        self,
        *,
        limits: bool = True,
        q0: ArrayLike | None = None,
        turns: bool = False,
    ) -> CompiledIk:
        """Return a function of arrays that compiled loops can call for each pose.

        Parameters
        ----------
        limits
            Whether joint limits count, as they are now; each joint is within one turn
            otherwise.
        q0
            (n_arm,) joint values: joints are at the turns nearest to them. None: at
            those nearest to the middle of their limits.
        turns
            Whether joints come at all turns within their limits instead.

        Raises
        ------
        NotSupportedError
            If the arm has free joints or is searched, not solved.
        """
        arm = self._ready()
        self.goal_solver(_POSE)
        method = self.method(_POSE, _NONE if limits else _NO_LIMITS)
        assert isinstance(method, LoopMethod)  # noqa: S101 - there is a solver
        near = None if q0 is None else self._start(arm, q0)
        return CompiledIk.from_arm(method.bounded_near(near, turns=turns))


class OldNameIk(AnalyticIk):
    """Takes the place of OpenRAVE's generated solvers, whatever they were called."""

    contract: ClassVar[int] = 2
    takes_library: ClassVar[bool] = True
    settings_type = OldNameSettings
