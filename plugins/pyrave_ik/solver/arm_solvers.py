"""The solvers of one arm for each type of goals, made at their first use."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import NotSupportedError, StateError
from pyrave.ik import IkFilterOptions, IkParameterization, IkParameterizationType
from pyrave.interfaces import IkSolverBase, settings_of
from pyrave.interfaces.settings.declarations import check_names, values_of_texts
from pyrave.spatial import (
    Array,
    Indices,
    as_indices,
    as_vector,
)
from pyrave_ik.arm.chain import ORIGIN, ArmChain, dof_names, still_axes
from pyrave_ik.methods.analytic import SearchNeededError, TooFewJointsError
from pyrave_ik.solver.default_goal_type import KINDS, reached
from pyrave_ik.solver.goal_solver import GoalSolver, bounds_of
from pyrave_ik.solver.names import AnalyticSettings, held_by, note_of, read_old_words
from pyrave_ik.solver.numeric_fallback import ClosedCompound, Search, fallback_solver
from pyrave_ik.solver.numerical_ik import NumericalIk
from pyrave_ik.solver.plain_call import PlainCall
from pyrave_ik.solver.redundancy import Redundancy
from pyrave_ik.solver.self_motion import SelfMotion

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies import Manipulator
    from pyrave.ik.parameterization import IkTypeLike
    from pyrave.kinematics import Model

    _Sort = tuple[IkParameterizationType, int]

_log = logging.getLogger("pyrave.ik")
_noted: set[str] = set()
_NONE = IkFilterOptions.NONE
_NO_LIMITS = IkFilterOptions.IGNORE_JOINT_LIMITS
_CANNOT = "cannot solve it: "
_SELF_MOTIONS = 8
_POSE = IkParameterizationType.Transform6D
_POINT = IkParameterizationType.TranslationLocalGlobal6D


class ArmSolvers(IkSolverBase):
    """The goal solvers and fallbacks of an arm for each kind of goals.

    They are made at their first use, and again where the arm changes.
    """

    takes_library: ClassVar[bool] = False
    """True if the first word may name a library, as with OpenRAVE's solvers."""

    settings_type: ClassVar[type] = AnalyticSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self.note = ""
        """Meaning of the requested id in OpenRAVE, empty for our own."""
        self._free: tuple[str, ...] = ()
        self._chain: ArmChain | None = None
        self._model: Model | None = None
        self._goal_solvers: dict[_Sort, GoalSolver | NotSupportedError] = {}
        self._fallbacks: dict[_Sort, ClosedCompound | Search] = {}
        self._numeric: NumericalIk | None = None
        self._poses: GoalSolver | None = None
        self._self_motions: tuple[SelfMotion, ...] = ()
        self._bounds: tuple[Any, Any, dict[bool, Array]] = (None, None, {})
        self._plain_call: PlainCall | None = None

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
        self._take(manipulator, chain)
        self.note = note_of(self.interface_id, self.settings)
        if self.note:
            level = logging.DEBUG if self.note in _noted else logging.INFO
            _noted.add(self.note)
            _log.log(level, "%s", self.note)
        return True

    def _take(self, manipulator: Manipulator, chain: ArmChain) -> None:
        self._chain = chain
        self._model = manipulator.robot.state_model
        self._base = manipulator.base.index
        self._dofs = manipulator.arm_indices
        self._names = tuple(dof_names(manipulator))
        self._held = Redundancy(
            chain, self._model.circular[self._dofs], self.settings.steps, repr(self)
        )
        self._direction = manipulator.direction
        self._goal_solvers = {}
        self._fallbacks = {}
        self._numeric = None
        self._poses = None
        self._self_motions = ()
        self._bounds = (None, None, {})
        self._plain_call = None

    @property
    def chain(self) -> ArmChain:
        """The arm's screws."""
        self._ready()
        assert self._chain is not None  # noqa: S101 - _ready saw to it
        return self._chain

    def _ready(self) -> Manipulator:
        """Return the manipulator; its derived data are brought up to date."""
        arm = self.get_manipulator()
        if arm is None:
            raise StateError(
                f"{self!r} has no manipulator; assign it: arm.ik_solver = solver"
            )
        if arm.robot.state_model is not self._model:
            self._take(arm, ArmChain.from_manipulator(arm))
        return arm

    def goal_solver(self, kind: IkTypeLike | IkParameterization) -> GoalSolver:
        """Return the solver of a kind of goals; `goal_solver(kind).solver` explains it.

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
        self._ready()
        sort, point = self._sort_of(kind)
        if sort[0].is_velocity:
            raise NotSupportedError(
                f"{sort[0].name} is a velocity, which takes no loop; solve() has joint "
                "velocities for it"
            )
        known = self._goal_solvers.get(sort)
        if known is None:
            chain, words = self.chain, self.settings
            free = sorted(chain.names.index(name) for name in self._free) or None
            try:
                known = GoalSolver(
                    chain, sort[0], self._direction, free, words.threshold, point
                )
            except NotSupportedError as error:
                known = error.with_traceback(None)
            self._goal_solvers[sort] = known
            if sort[0] is _POSE and isinstance(known, GoalSolver):
                self._poses = known
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

    def fallback(
        self, kind: IkTypeLike | IkParameterization
    ) -> ClosedCompound | Search | None:
        """Return the solver of goals without a `goal_solver`, None if they have one.

        The ``note`` of a search says why, and so does the solver's from then on.
        """
        arm = self._ready()
        sort, point = self._sort_of(kind)
        known = self._fallbacks.get(sort)
        if known is None:
            try:
                self.goal_solver(kind)
            except SearchNeededError as error:
                words = self.settings
                reason = str(error).removeprefix(f"{self!r} {_CANNOT}")
                known = fallback_solver(
                    self, arm, sort[0], reason, self._free, words.steps, point
                )
                self._fallbacks[sort] = known
                if known.note not in self.note:
                    self.note = f"{self.note}; {known.note}".removeprefix("; ")
        return known

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
        chain = self.chain
        for kind in KINDS:
            if (
                kind.dof <= chain.n
                and reached(chain, kind, self._direction)
                and self.supports(kind)
            ):
                return kind
        raise NotSupportedError(f"{self!r} solves no kind of goals for its arm")

    def get_num_free_parameters(self) -> int:
        """Return the number of joints that are held for goals of the `main_kind`."""
        return len(self.get_free_indices())

    def get_free_indices(self) -> Indices:
        """Return (k,) int64, the indices into the arm's joints of those held."""
        kind = self.main_kind()
        known = self.fallback(kind)
        if known:
            return known.get_free_indices()
        return as_indices(self.goal_solver(kind).free_dofs, "free indices")

    def get_free_parameters(self) -> Array:
        """Return the present values of the held joints, 0..1 over their range."""
        arm = self._ready()
        known = self.fallback(self.main_kind())
        if known is not None:
            return known.get_free_parameters()
        bounds = self._limits(_NONE)
        values = []
        for dof in self.get_free_indices().tolist():
            lower, upper = self._held.range(dof, bounds)
            value = float(arm.robot.dof_values[self._dofs[dof]])
            values.append((value - lower) / (upper - lower) if upper > lower else 0.0)
        return np.asarray(np.clip(np.array(values, dtype=np.float64), 0.0, 1.0))

    def self_motion(
        self, goal_solver: GoalSolver, bounds: Array, *, turns: bool = False
    ) -> SelfMotion:
        """Return the search over the values of held joints within limits.

        Parameters
        ----------
        bounds
            (d, 5), see `bounds_of`.
        turns
            Whether solutions are listed in all turns within limits.
        """
        for known in self._self_motions:
            if known.serves(goal_solver, bounds, turns=turns):
                return known
        made = SelfMotion(goal_solver, bounds, self._held, turns=turns)
        self._self_motions = (made, *self._self_motions[: _SELF_MOTIONS - 1])
        return made

    # -- limits and checks -------------------------------------------------------

    def _limits(self, options: IkFilterOptions) -> Array:
        """Return the bounds of the arm's joints as the kernels take them."""
        arm = self._ready()
        lower, upper = arm.robot.limit_store.bounds
        known = self._bounds
        if known[0] is not lower or known[1] is not upper:
            known = self._bounds = (lower, upper, {})
        ignored = options is not _NONE and bool(options & _NO_LIMITS)
        made = known[2].get(ignored)
        if made is None:
            dofs = self._dofs
            circular = arm.robot.model.circular[dofs]
            made = bounds_of(
                self.chain, lower[dofs], upper[dofs], circular, ignored=ignored
            )
            known[2][ignored] = made
        return made

    def _start(self, arm: Manipulator, q0: ArrayLike | None = None) -> Array:
        """Return joint values (d,) to begin at: `q0`, checked, or the present ones."""
        if q0 is None:
            return np.asarray(arm.robot.dof_values[self._dofs])
        return as_vector(q0, len(self._dofs), "q0")

    def _searching(self, arm: Manipulator) -> NumericalIk:
        """Return a numerical solver of the arm."""
        if self._numeric is None:
            self._numeric = NumericalIk(self.env)
            self._numeric.init(arm)
        return self._numeric
