"""Manipulators: a chain of a robot with a tool frame and a gripper."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, overload

import numpy as np

from pyrave import kinematics
from pyrave.argument_names import methods_suggest
from pyrave.attributes import ClosedView, answers_other_names
from pyrave.batches import pieces
from pyrave.bodies.arm_hash import arm_hash
from pyrave.bodies.leaving_contact import leaving_contact
from pyrave.bodies.state.random_configurations import sample_values
from pyrave.errors import (
    ArgumentError,
    NameConflictError,
    NotSupportedError,
    shown,
)
from pyrave.ik.parameterization import IkParameterization
from pyrave.ik.path import straight_targets
from pyrave.ik.results import IkBatch, IkFilterOptions, IkResult
from pyrave.interfaces.base import author_code
from pyrave.interfaces.collision.touching_links import TOUCHING
from pyrave.interfaces.iksolver import IkFilter, IkSolverBase
from pyrave.interfaces.settings.parts import as_part
from pyrave.scene import Pose
from pyrave.spatial import (
    Array,
    Indices,
    as_array,
    as_direction,
    as_pose,
    as_vector,
    quat_from_matrix,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.bodies.views.joint import Joint
    from pyrave.bodies.views.link import Link
    from pyrave.ik.parameterization import IkTypeLike
    from pyrave.ik.path import IkPath
    from pyrave.planning.query.options import PlanOptions
    from pyrave.planning.query.result import PlanResult
    from pyrave.scene import ManipulatorDescription
    from pyrave.trajectories.specification import ConfigurationSpecification

Solver = TypeVar("Solver", bound=IkSolverBase)

_POINT = "TranslationLocalGlobal6D"
_AT_ONCE = 4096
"""Configurations of which the poses of all links are there at once."""


@methods_suggest
@answers_other_names
class Manipulator(ClosedView):
    """One manipulator of a robot."""

    _hot = "compute_configurations is_child_link is_grabbing jacobian"

    __slots__ = (
        "__weakref__",
        "_arm",
        "_ik_solver",
        "_place",
        "_robot",
        "_tool",
        "description",
    )

    def __init__(self, robot: Robot, description: ManipulatorDescription) -> None:
        self._robot = robot
        self._ik_solver: IkSolverBase | None = None
        self._arm: Indices | None = None
        self._tool: kinematics.Tool | None = None
        self._place: tuple[ManipulatorDescription, int, Array] | None = None
        self.description = description
        """The description it was made from, with later edits; frozen."""

    @property
    def robot(self) -> Robot:
        """The robot it belongs to."""
        return self._robot

    @property
    def name(self) -> str:
        """Name, unique in the robot; assignable."""
        return self.description.name

    @name.setter
    def name(self, name: str) -> None:
        robot = self.robot
        if name != self.name and name in robot.manipulators:
            raise NameConflictError(f"{robot!r} has a manipulator {name!r} already")
        active = robot.active_manipulator is self
        self._edit(name=name)
        if active:
            robot.active_manipulator = self

    @property
    def base(self) -> Link:
        """The link where the chain begins."""
        return self.robot.links[self.description.base]

    @property
    def end_effector(self) -> Link:
        """The link where the chain ends."""
        return self.robot.links[self.description.end_effector]

    @property
    def local_tool_transform(self) -> Array:
        """(4, 4) T_end_effector_tool; assignable; the solver is updated."""
        return self.description.tool.matrix

    @local_tool_transform.setter
    def local_tool_transform(self, transform: ArrayLike | Pose) -> None:
        tool = as_pose(transform, f"local_tool_transform of {self!r}")
        self._edit(tool=Pose.from_matrix(tool))

    @property
    def direction(self) -> Array:
        """(3,) unit approach direction in the tool frame; assignable."""
        return np.array(self.description.direction)

    @direction.setter
    def direction(self, direction: ArrayLike) -> None:
        given = as_direction(direction, f"the direction of {self!r}")
        self._edit(direction=tuple(given.tolist()))

    def _edit(self, **changes: Any) -> None:
        self.description = replace(self.description, **changes)
        self._tool = None
        self.robot.manipulator_edited()
        solver = self._ik_solver
        if solver is not None and not self._fits(solver):
            self._ik_solver = None
            raise NotSupportedError(f"{solver!r} does not fit {self!r} any more")

    @property
    def arm_indices(self) -> Indices:
        """(n_arm,) int64, degrees of freedom from base to end effector, in that order.

        Read-only; ``robot.dof_values[arm.arm_indices]`` are the arm's values.

        A mimic joint in the chain counts as the joint that it follows; one whose limits
        leave it no way to move does not count.
        """
        if self._arm is None:
            chain = self.robot.model.chain(
                self.description.base, self.description.end_effector
            )
            self._arm = chain.dof_indices
        return self._arm

    @property
    def arm_joints(self) -> tuple[Joint, ...]:
        """The joints of `arm_indices`, each once."""
        robot = self.robot
        joints = (robot.structure.joint_of_dof(i) for i in self.arm_indices.tolist())
        return tuple(dict.fromkeys(joints))

    @property
    def arm_dof_values(self) -> Array:
        """(n_arm,) present values, radians or metres; assignable."""
        return self.robot.dof_values[self.arm_indices]

    @arm_dof_values.setter
    def arm_dof_values(self, values: ArrayLike) -> None:
        self.robot.set_dof_values(values, self.arm_indices)

    @property
    def gripper_dof_values(self) -> Array:
        """(n_gripper,) present values, radians or metres; assignable."""
        return self.robot.dof_values[self.gripper_indices]

    @gripper_dof_values.setter
    def gripper_dof_values(self, values: ArrayLike) -> None:
        self.robot.set_dof_values(values, self.gripper_indices)

    def arm_configuration_specification(
        self, interpolation: str = ""
    ) -> ConfigurationSpecification:
        """Return the group of `arm_dof_values`."""
        return self.robot.specification_of(
            self.arm_indices, interpolation=interpolation
        )

    @property
    def gripper_indices(self) -> Indices:
        """(n_gripper,) int64, degrees of freedom of the gripper joints."""
        indices: list[int] = []
        model = self.robot.model
        for name in self.description.gripper_joints:
            first, count = model.joint_values[model.joint_number(name)].tolist()
            indices += [i for i in range(first, first + count) if i < model.n_dof]
        return np.array(indices, dtype=np.int64)

    @property
    def gripper_joints(self) -> tuple[Joint, ...]:
        """The gripper joints."""
        robot = self.robot
        return tuple(
            robot.all_joints[robot.model.joint_number(name)]
            for name in self.description.gripper_joints
        )

    @property
    def chucking_direction(self) -> Array:
        """Sign that closes each gripper degree of freedom, -1, 0 or 1; assignable."""
        given = np.sign(np.array(self.description.chucking_direction, dtype=np.float64))
        n = len(self.gripper_indices)
        return given if given.size == n else np.zeros(n)

    @chucking_direction.setter
    def chucking_direction(self, signs: ArrayLike) -> None:
        n = len(self.gripper_indices)
        given = as_vector(signs, n, f"the chucking_direction of {self!r}")
        self._edit(chucking_direction=tuple(np.sign(given).tolist()))

    # -- what it moves -------------------------------------------------------------

    def is_child_link(self, link: Link | str | int) -> bool:
        """Return True if a link moves with the end effector and the whole arm.

        It is the end effector, hangs on it rigidly, or every arm joint moves it.
        """
        robot = self.robot
        number = link if isinstance(link, (str, int)) else link.index
        index = robot.model.link_number(number)
        if index in robot.model.rigidly_attached(self.end_effector.index).tolist():
            return True
        return bool(robot.model.dof_affects[self.arm_indices, index].all())

    @property
    def child_links(self) -> tuple[Link, ...]:
        """Links that the whole arm moves.

        The end effector and what is fixed to it, the nearest first; then by index.
        """
        links = self.robot.links
        rigid = self.robot.model.rigidly_attached(self.end_effector.index).tolist()
        rest = (link for link in links if link.index not in rigid)
        moved = (link for link in rest if self.is_child_link(link))
        return (*(links[i] for i in rigid), *moved)

    @property
    def child_joints(self) -> tuple[Joint, ...]:
        """Joints with degrees of freedom behind the arm: those of the hand."""
        children = set(self.child_links)
        affects, end = self.robot.model.affects, self.end_effector.index
        return tuple(
            joint
            for joint in self.robot.joints
            if not joint.static
            and not affects(joint.dof_index, end)
            and joint.parent_link in children
            and joint.child_link in children
        )

    @property
    def child_dof_indices(self) -> Indices:
        """(k,) int64, degrees of freedom of `child_joints`."""
        none = np.empty(0, dtype=np.int64)
        return np.concatenate([none, *(one.dof_indices for one in self.child_joints)])

    @property
    def independent_links(self) -> tuple[Link, ...]:
        """Links that neither the arm nor the gripper moves."""
        moving = np.concatenate((self.arm_indices, self.gripper_indices))
        moved = np.any(self.robot.model.dof_affects[moving], axis=0)
        return tuple(link for link in self.robot.links if not moved[link.index])

    def is_grabbing(self, body: KinBody | str) -> bool:
        """Return True if the robot holds a body, or one of that name, with this arm."""
        link = self.robot.grabs.link_of(body)
        return link is not None and link in self.child_links

    @property
    def kinematics_hash(self) -> str:
        """Hexadecimal digest of the way from base to tool: it fits equal arms."""
        known = self.description
        tool = self.local_tool_transform
        return arm_hash(self.robot.model, known.base, known.end_effector, tool)

    # -- the tool ------------------------------------------------------------------

    @property
    def transform(self) -> Array:
        """(4, 4) T_world_tool."""
        known, place = self.description, self._place
        if place is None or place[0] is not known:
            index = self._robot.model.link_number(known.end_effector)
            place = self._place = known, index, known.tool.matrix
        poses = self._robot.transforms_view
        return kinematics.multiply_poses(poses[place[1]], place[2])

    def jacobian(self) -> Array:
        """Return the (6, n_arm) Jacobian of the tool, linear rows first, world axes."""
        robot = self._robot
        tool, model = self._tool, robot.state_model
        if tool is None or tool.model is not model:
            tool = self._tool = kinematics.compile_tool(
                model,
                self.description.end_effector,
                self.local_tool_transform,
                self.arm_indices,
            )
        return robot.tool_jacobian(tool)

    # -- of many configurations of the arm -----------------------------------------

    def compute_configurations(self, configurations: ArrayLike) -> Array:
        """Return (n, dof) values of the robot for (n, n_arm) of the arm.

        The other joints are where they are now. Queries of collision checkers and the
        robot's batches take them.
        """
        indices, robot = self.arm_indices, self.robot
        rows = as_array(configurations, (None, len(indices)), "configurations")
        whole = np.tile(robot.dof_values, (len(rows), 1))
        whole[:, indices] = rows
        return whole

    def compute_transforms(self, configurations: ArrayLike) -> Array:
        """Return (n, 4, 4) T_world_tool for (n, n_arm) values of the arm."""
        rows, link = self.compute_configurations(configurations), self.end_effector
        poses, tool = np.empty((len(rows), 4, 4)), self.local_tool_transform
        for some in pieces(len(rows), _AT_ONCE, "compute_transforms"):
            links = self.robot.compute_link_transforms(rows[some])
            poses[some] = links[:, link.index] @ tool
        return poses

    def compute_jacobians(self, configurations: ArrayLike) -> Array:
        """Return (n, 6, n_arm) Jacobians of the tool for (n, n_arm) values of the arm.

        Linear rows first, world axes, as `jacobian`.
        """
        rows, indices = self.compute_configurations(configurations), self.arm_indices
        link, point = self.end_effector, self.local_tool_transform[:3, 3]
        found = np.empty((len(rows), 6, len(indices)))
        for some in pieces(len(rows), _AT_ONCE, "compute_jacobians"):
            whole = self.robot.compute_jacobians(rows[some], link, point)
            found[some] = whole[:, :, indices]
        return found

    def sample_configurations(self, n: int, *, seed: int = 0) -> Array:
        """Return (n, n_arm) random values of the arm, see `KinBody`."""
        return sample_values(self.robot, self.arm_indices, n, seed)

    def quaternion_jacobian(self) -> Array:
        """Return the (4, n_arm) derivative of the tool's quaternion w x y z."""
        full = self.robot.quaternion_jacobian(self.end_effector)
        w, x, y, z = quat_from_matrix(self.local_tool_transform[:3, :3])
        # multiplication by the tool's quaternion from the right
        by_tool = np.array(
            ((w, -x, -y, -z), (x, w, z, -y), (y, -z, w, x), (z, y, -x, w))
        )
        return np.asarray(by_tool @ full[:, self.arm_indices])

    @property
    def velocity(self) -> Array:
        """(6,) velocity of the tool: linear m/s, angular rad/s, world axes."""
        link = self.end_effector
        twist = link.velocity.copy()
        arm = self.transform[:3, 3] - link.pose_view[:3, 3]
        twist[:3] += np.cross(twist[3:], arm)
        return twist

    def ik_parameterization(self, kind: IkTypeLike) -> IkParameterization:
        """Return the target of a type that the tool meets now, in the world.

        Parameters
        ----------
        kind
            The type, its name in any case (``"Transform6D"``), or its code.
        """
        return IkParameterization.from_pose(kind, self.transform, self.direction)

    @property
    def ik_solver(self) -> IkSolverBase:
        """The inverse kinematics solver; the default one is made when first asked for.

        Assignable: a solver, an id, or None for the default; `set_ik_solver` takes
        settings, too.

        Raises
        ------
        NotSupportedError
            The file asks for a solver that is not there, or the default one does not
            fit.
        """
        solver = self._ik_solver
        if solver is not None:
            return solver
        wanted = self.description.ik_solver
        if wanted:
            raise NotSupportedError(
                f"{self!r} has no inverse kinematics solver (its file asks for "
                f"{wanted!r}); assign one: arm.ik_solver = 'Id'"
            )
        return self.set_ik_solver("")

    @ik_solver.setter
    def ik_solver(self, solver: IkSolverBase | str | None) -> None:
        if solver is None:
            self._ik_solver = None
        else:
            self.set_ik_solver(solver)

    @property
    def own_ik_solver(self) -> IkSolverBase | None:
        """The solver if one was set or used yet."""
        return self._ik_solver

    @overload
    def set_ik_solver(self, solver: str, /, **settings: Any) -> IkSolverBase: ...
    @overload
    def set_ik_solver(self, solver: Solver, /) -> Solver: ...
    def set_ik_solver(
        self, solver: IkSolverBase | str, /, **settings: Any
    ) -> IkSolverBase:
        """Let a solver answer for the arm, and return it.

        Parameters
        ----------
        solver
            An object or an id.
        **settings
            Of the solver of an id, for example ``tolerance=1e-6``.

        Raises
        ------
        NotSupportedError
            It does not fit the arm; the solver before stays.
        ArgumentError, SettingError, InterfaceNotFoundError, InterfaceCreationError
            As for `Environment.create`; the solver before stays.
        """
        made = as_part(self.robot.env, IkSolverBase, solver, settings, what="ik_solver")
        if not self._fits(made):
            raise NotSupportedError(f"{made!r} does not fit {self!r}")
        self._ik_solver = made
        return made

    def _fits(self, solver: IkSolverBase) -> bool:
        with author_code(solver, "init"):
            return bool(solver.init(self))

    @overload
    def solve_ik(
        self,
        target: Any,
        *,
        all: Literal[False] = False,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        timeout: float | None = None,
    ) -> Array | None: ...
    @overload
    def solve_ik(
        self,
        target: Any,
        *,
        all: Literal[True],
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        timeout: float | None = None,
        turns: bool = False,
    ) -> Array: ...
    def solve_ik(
        self,
        target: Any,
        *,
        all: bool = False,  # noqa: A002 - a promised name
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        timeout: float | None = None,
        turns: bool = False,
    ) -> Array | None:
        """Return joint values that bring the tool to a pose or meet a goal.

        Parameters
        ----------
        target
            (4, 4) or 7-vector T_world_tool, or an `IkParameterization` in the world.
        all
            True: (k, n_arm) all solutions, k may be 0. False: (n_arm,) the one nearest
            to the present values, or None.
        free
            Values of the solver's free parameters, each 0..1 over the joint's range;
            None searches over them.
        turns
            With `all`, True: joints come at all turns within their limits. False: each
            solution comes once, at the turns nearest to the present values.
        timeout
            Seconds that a search may take, after which the best so far is returned, and
            for which it goes on while nothing is found. Without it a search ends with
            what its solver does for every goal.

        Raises
        ------
        ArgumentError
            The target is not a pose, `timeout` not a positive number, or `turns` given
            without `all`.
        NotSupportedError
            The manipulator has no solver, or it cannot solve such goals.
        """
        solver = self._ik_solver or self.ik_solver
        if all:
            if timeout is None and turns is False:
                return solver.solutions(target, options, free)
            keywords = solver.call_keywords(solver.solutions, timeout, turns)
            return solver.solutions(target, options, free, **keywords)
        if turns:
            raise ArgumentError(
                "turns lists all turns, and the nearest solution is one of them; "
                "expected all=True with it"
            )
        if timeout is None:
            return solver.solution(target, None, options, free)
        keywords = solver.call_keywords(solver.solution, timeout)
        return solver.solution(target, None, options, free, **keywords)

    def find_ik(
        self,
        target: Any,
        *,
        q0: ArrayLike | None = None,
        free: ArrayLike | None = None,
        filters: Sequence[IkFilter] = (),
        options: IkFilterOptions = IkFilterOptions.NONE,
        nearest: bool = False,
        timeout: float | None = None,
        turns: bool = False,
    ) -> IkResult:
        """Return all solutions with their branches, and why candidates are none.

        Parameters
        ----------
        target, options, free, timeout
            As for `solve_ik`; where time ran out the result's reasons say so.
        q0
            (n_arm,) the solutions are sorted by their distance to it, and at the turns
            nearest to it unless `turns` lists all; None: the present values.
        filters
            More filters for this call, asked in this order before the solver's own.
        nearest
            Where there is no solution, also find how near the arm comes.
        """
        solver = self.ik_solver
        if q0 is not None:
            q0 = as_vector(q0, len(self.arm_indices), "q0")
        keywords = solver.call_keywords(solver.find, timeout, turns)
        with _filtered(solver, filters):
            return solver.find(target, q0, options, free, nearest=nearest, **keywords)

    def solve_ik_batch(
        self,
        targets: ArrayLike,
        *,
        all: bool = False,  # noqa: A002 - as in `solve_ik`
        q0: ArrayLike | None = None,
        options: IkFilterOptions = IkFilterOptions.NONE,
        free: ArrayLike | None = None,
        timeout: float | None = None,
        turns: bool = False,
    ) -> IkBatch:
        """Return joint values for many poses, the nearest of each or all.

        Parameters
        ----------
        targets
            (n, 4, 4) or (n, 7) T_world_tool.
        all
            False: the solution nearest to `q0` of each pose that has one. True: all
            solutions of each, in no order.
        q0
            (n_arm,) for all poses; None: the present values. Not with `all`.
        options, free, turns
            As for `solve_ik`, the same for all poses.
        timeout
            Seconds for each pose.

        Returns
        -------
        IkBatch
            `values` has a row for each pose, `found` says which poses have solutions.
        """
        solver = self.ik_solver
        if all:
            if q0 is not None:
                raise ArgumentError(
                    "q0 chooses the nearest solution, and all=True wants them all"
                )
            keywords = solver.call_keywords(solver.solve_batch, timeout, turns)
            return solver.solve_batch(targets, options, free, **keywords)
        if turns:
            raise ArgumentError(
                "turns lists all turns, and the nearest solution is one of them; "
                "expected all=True with it"
            )
        if q0 is not None:
            q0 = as_vector(q0, len(self.arm_indices), "q0")
        keywords = solver.call_keywords(solver.nearest_batch, timeout)
        rows = solver.nearest_batch(targets, q0, options, free, **keywords)
        found = ~np.isnan(rows).any(axis=1)
        return IkBatch(rows[found], np.asarray(found, dtype=np.int64))

    # -- joint paths ---------------------------------------------------------------

    def follow(
        self,
        targets: ArrayLike | Sequence[IkParameterization],
        *,
        q0: ArrayLike | None = None,
        filters: Sequence[IkFilter] = (),
        options: IkFilterOptions = IkFilterOptions.NONE,
        touching: float | None = TOUCHING,
    ) -> IkPath:
        """Return a continuous joint path that brings the tool through goals in order.

        Between two poses the tool moves on a straight line and turns at a constant
        angular velocity. Joints follow it without a jump; what the goals leave free is
        used to stay away from joint limits and near the start. The path starts at `q0`
        if that meets the first goal, else at its solutions in order of their distance:
        the first path that is complete is returned, else the one that gets farthest.

        Parameters
        ----------
        targets
            (n, 4, 4) or (n, 7) T_world_tool, or goals of one kind in the world.
        q0
            (n_arm,) where to start; None: at the present values.
        filters, options
            As for `find_ik`. Every configuration that is returned passes these checks,
            and so do those between the goals at which the path was computed.
        touching
            Metres: with options that check collisions, pairs of links that are no
            deeper in each other at the start may part, or slide, and what the robot
            holds may come to lie so deep at the end. None: whatever touches collides.

        Raises
        ------
        ArgumentError
            There are no goals, goals of several kinds, or something that is not a pose.
        NotSupportedError
            The manipulator has no solver, or it cannot solve such goals.
        """
        solver = self.ik_solver
        if q0 is not None:
            q0 = as_vector(q0, len(self.arm_indices), "q0")
        start = self.arm_dof_values if q0 is None else q0
        with _filtered(solver, filters):
            follow = partial(solver.follow, targets, q0, options)
            path = leaving_contact(self, start, options, touching, follow)
        return replace(path, arm=self)

    def straight_line(
        self,
        goal: Any,
        steps: int = 100,
        *,
        filters: Sequence[IkFilter] = (),
        options: IkFilterOptions = IkFilterOptions.NONE,
        touching: float | None = TOUCHING,
    ) -> IkPath:
        """Return the joint path that moves the tool from where it is along a line.

        The orientation turns at a constant angular velocity. `follow` has the rest.

        Parameters
        ----------
        goal
            (4, 4) or 7-vector T_world_tool, or an `IkParameterization` in the world:
            what such a goal leaves free is free on the whole path.
        steps
            Number of steps; the path has one goal more.
        filters, options, touching
            As for `follow`.
        """
        if not isinstance(steps, Integral) or isinstance(steps, bool) or steps < 1:
            raise ArgumentError(
                f"steps are {shown(steps)}, expected a positive whole number"
            )
        first: IkParameterization | Array = self.transform
        if isinstance(goal, IkParameterization):
            kind = goal.type
            local = goal.array[:3] if kind.name == _POINT else np.zeros(3)
            first = IkParameterization.from_pose(kind, first, self.direction, local)
        else:
            goal = as_pose(goal, "goal")
        targets = straight_targets(first, goal, int(steps))
        return self.follow(targets, filters=filters, options=options, touching=touching)

    @overload
    def plan(self, goal: Any = None, **options: Unpack[PlanOptions]) -> PlanResult: ...

    @overload
    def plan(self, goal: Any = None, *, planner: str, **options: Any) -> PlanResult: ...

    def plan(self, goal: Any = None, **options: Any) -> PlanResult:
        """Return a verified motion of the arm to a goal, or why there is none.

        Parameters
        ----------
        goal
            A pose T_world_tool, (4, 4) or qw qx qy qz x y z; (n_arm,) values, a mapping
            of joint names to values, the name of one of `Robot.configurations`, an
            `IkParameterization` in the world, a function of values, or several of
            these. Seven numbers for seven joints are refused: they may be both.
        **options
            `pyrave.planning.PlanOptions`, which `pyrave.planning.plan` explains, with
            (n_arm,) or (k, n_arm) ``values``; others are settings of the planner:
            ``range=0.2``.

        Returns
        -------
        PlanResult
            True if a motion was found: its `trajectory` is for `Robot.execute`. Else
            its `cause` says what is in the way.
        """
        return self.robot.env.plan(self, goal, **options)

    def _repr_html_(self) -> str:
        from pyrave.bodies.html import arm_card

        return arm_card(self)

    def __repr__(self) -> str:
        return f"<manipulator {self._robot.name}/{self.name}>"


def _filtered(solver: IkSolverBase, filters: Sequence[IkFilter]) -> ExitStack:
    """Return a context in which a solver asks more filters, in order and first."""
    stack = ExitStack()
    if not filters:
        return stack
    if not isinstance(filters, Sequence):
        raise ArgumentError(f"filters are {shown(filters)}, expected a list of them")
    with stack:  # until all are registered
        for ik_filter in reversed(filters):
            priority = solver.first_priority + 1
            stack.enter_context(solver.register_custom_filter(priority, ik_filter))
        return stack.pop_all()
