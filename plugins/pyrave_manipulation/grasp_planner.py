"""The planner Grasper: a hand that comes to a target and closes, as a trajectory."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, Error, StateError
from pyrave.grasping import Grasper
from pyrave.grasping.hands import as_target, closing_rates
from pyrave.interfaces import (
    PlannerBase,
    PlannerStatus,
    PlannerStatusCode,
    setting,
)
from pyrave.kinematics.affine import Affine
from pyrave.kinematics.limits import LimitCheck
from pyrave.manipulation import close
from pyrave.spatial import as_vector
from pyrave_manipulation.hand_grasps import (
    coming_candidate,
    judged_attempt,
    move_hand,
    present_candidate,
    refuse_ways,
)

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator, Robot
    from pyrave.grasping import Candidate, Grasp
    from pyrave.interfaces import PlannerParameters, TrajectoryBase
    from pyrave.spatial import Array
    from pyrave.trajectories import ConfigurationSpecification


@dataclass(frozen=True, slots=True)
class GraspPlannerSettings:
    """Settings of the planner `Grasper`; OpenRAVE's names mean the same."""

    target: str = setting(
        "",
        "name of the body; empty: fingers close where the hand is, on anything",
        aliases=("targetbody",),
    )
    direction: tuple[float, float, float] | None = setting(
        None,
        "in which the hand comes, in the frame of the target",
        aliases=("vtargetdirection",),
    )
    position: tuple[float, float, float] | None = setting(
        None,
        "of the ray, in the frame of the target; none: the middle of its box",
        unit="m",
        aliases=("vtargetposition",),
    )
    roll: float = setting(0.0, "about the ray", unit="rad", aliases=("ftargetroll",))
    standoff: float = setting(
        0.0,
        "by which the hand goes back from where it touched",
        unit="m",
        least=0.0,
        aliases=("fstandoff",),
    )
    manipulator_direction: tuple[float, float, float] | None = setting(
        None,
        "in the hand, which goes along the ray; none: the manipulator's",
        aliases=("vmanipulatordirection",),
    )
    intersect_plane: tuple[float, float, float, float] | None = setting(
        None,
        "a b c d in the frame of the target, at which the hand stops",
        aliases=("vintersectplane",),
    )
    transform_robot: bool = setting(
        False,
        "the hand comes along the ray, as if nothing held it; else it closes where "
        "it is",
        aliases=("btransformrobot",),
    )
    return_trajectory: bool = setting(
        False,
        "begin with where the hand comes from; else there is the end alone",
        aliases=("breturntrajectory",),
    )
    only_contact_target: bool = setting(
        True,
        "the hand touches nothing but the target",
        aliases=("bonlycontacttarget",),
    )
    avoid_contact: bool = setting(
        False,
        "the hand goes to the standoff and closes there",
        aliases=("bavoidcontact",),
    )
    avoid_links: tuple[str, ...] = setting(
        (),
        "links of the robot that must not touch the target",
        aliases=("vavoidlinkgeometry",),
    )
    grasping_noise: float = setting(
        0.0,
        "metres, and radians, by which the hand is off by chance",
        least=0.0,
        aliases=("fgraspingnoise",),
    )
    tight_grasp: bool = setting(
        False, "must be false: fingers close in one way", aliases=("btightgrasp",)
    )
    coarse_step: float = setting(
        0.1, "has no effect: contacts are exact", least=0.0, aliases=("fcoarsestep",)
    )
    fine_step: float = setting(
        0.001, "has no effect, too", least=0.0, aliases=("ffinestep",)
    )
    translation_step_mult: float = setting(
        0.1, "has no effect, too", least=0.0, aliases=("ftranslationstepmult",)
    )


class GraspPlanner(PlannerBase):
    """Brings the hand of the active manipulator to a target, and closes it.

    It begins with the present hand, as `initial_configuration` has it, and does what
    the command `Grasp` of the module of the same id does. The trajectory ends with the
    closed fingers and, with ``transform_robot``, the pose of the base that puts the
    hand there. With ``return_trajectory`` two waypoints come before: where the hand
    comes from, and where it stops.

    Active joints have to be those of the gripper; others stay where they are. Goals
    and `post_processing` have no effect.
    """

    contract = 2
    needs_goal = False
    settings_type = GraspPlannerSettings

    _robot: Robot | None = None
    _parameters: PlannerParameters | None = None
    _options: GraspPlannerSettings | None = None

    def init_plan(
        self, robot: Robot | None, parameters: PlannerParameters
    ) -> PlannerStatus:
        """Take a hand and a target; the status says what is wrong with them."""
        self._robot = self._parameters = self._options = None
        failed = PlannerStatusCode.FAILED
        if robot is None or robot.id < 0:
            return PlannerStatus(failed, "there is no robot in an environment")
        if not robot.manipulators:
            return PlannerStatus(failed, f"{robot!r} has no manipulator")
        try:
            options: GraspPlannerSettings = self.settings_for(parameters)
            _check(robot.active_manipulator, parameters, options)
        except Error as error:
            return PlannerStatus(failed, str(error))
        self._robot, self._parameters, self._options = robot, parameters, options
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION, "ready")

    def get_parameters(self) -> PlannerParameters | None:
        """Return the parameters in use, None before `init_plan`."""
        return self._parameters

    def plan_path(self, trajectory: TrajectoryBase, options: int = 0) -> PlannerStatus:
        """Grasp, and put where the hand is and its fingers into `trajectory`."""
        begin = time.perf_counter()
        failed = PlannerStatusCode.FAILED
        if self._robot is None or self._parameters is None or self._options is None:
            return PlannerStatus(failed, "call init_plan first")
        robot, given, own = self._robot, self._parameters, self._options
        try:
            with robot.env.lock(), robot.preserve_state():
                given.specification.apply(robot.env, given.initial_configuration)
                spec = _specification(robot, given, own)
                if own.target:
                    rows, said = _grasped(robot, given, own, spec)
                else:
                    rows, said = _closed_here(robot, own, spec)
        except Error as error:
            return PlannerStatus(failed, str(error), time.perf_counter() - begin)
        trajectory.init(spec)
        trajectory.insert(0, rows)
        seconds = time.perf_counter() - begin
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION, said, seconds)


def _check(
    arm: Manipulator, parameters: PlannerParameters, options: GraspPlannerSettings
) -> None:
    """Refuse what no grasp can come of."""
    robot = arm.robot
    closing_rates(arm)
    refuse_ways(arm, tightgrasp=options.tight_grasp)
    if options.target:
        as_target(arm, options.target)
    elif options.transform_robot:
        raise ArgumentError(
            "transform_robot is true and target is empty: name the body to which the "
            "hand comes"
        )
    if options.transform_robot and options.direction is None:
        raise ArgumentError(
            "direction is left out, expected 3 numbers in the frame of the target: "
            "transform_robot lets the hand come along it"
        )
    if parameters.check_path_constraints is not None:
        raise ArgumentError(
            "parameters.check_path_constraints is set, and 'Grasper' asks no function: "
            "the hand comes along its ray or not at all"
        )
    used, _ = parameters.specification.extract_used_indices(robot)
    lacking = [k for k in arm.gripper_indices.tolist() if k not in used]
    if lacking:
        names = ", ".join(repr(robot.dof_names[k]) for k in lacking)
        raise ArgumentError(
            f"parameters.specification has no values of {names}, which close {arm!r}; "
            "robot.set_active_dofs(arm.gripper_indices), then "
            "parameters.set_robot_active_joints(robot)"
        )
    as_vector(parameters.initial_configuration, parameters.dof, "initial_configuration")


def _specification(
    robot: Robot, parameters: PlannerParameters, options: GraspPlannerSettings
) -> ConfigurationSpecification:
    """Return the groups of a trajectory: active joints, and the base if it moves."""
    used, _ = parameters.specification.extract_used_indices(robot)
    base = f"affine_transform {robot.name} 39"
    has_base = parameters.specification.find_compatible_group(base) is not None
    moves = options.transform_robot or has_base
    return robot.specification_of(
        used, Affine.TRANSFORM if moves else 0, interpolation="linear"
    )


def _grasped(
    robot: Robot,
    parameters: PlannerParameters,
    options: GraspPlannerSettings,
    spec: ConfigurationSpecification,
) -> tuple[Array, str]:
    """Return rows that end with a grasp of the target, and what it touches in words."""
    arm = robot.active_manipulator
    body = as_target(arm, options.target)
    grasper = Grasper(arm, body)
    given = options.manipulator_direction
    way = arm.direction if given is None else np.array(given)
    if options.transform_robot:
        one = coming_candidate(
            arm, body, way, direction=options.direction, position=options.position,
            roll=options.roll, standoff=options.standoff,
            plane=options.intersect_plane, noise=options.grasping_noise,
            seed=parameters.random_seed, avoids=options.avoid_contact,
        )  # fmt: skip
    else:
        one = present_candidate(arm, body, way)
    grasp, cause = judged_attempt(
        arm, grasper, one, options.avoid_links, only=options.only_contact_target
    )
    if grasp is None or cause:
        raise StateError(cause)
    rows = [
        _row(robot, spec, body.transform @ hand, fingers)
        for hand, fingers in _stages(grasper, one, grasp)
    ]
    links = ", ".join(map(repr, dict.fromkeys(grasp.contacts.links)))
    said = f"{links} touch {body.name!r} at {len(grasp.contacts)} points"
    return np.array(rows if options.return_trajectory else rows[-1:]), said


def _stages(
    grasper: Grasper, one: Candidate, grasp: Grasp
) -> list[tuple[Array, Array]]:
    """Return T_target_hand and fingers from where the hand comes to where it closed."""
    stop = grasp.hand_pose(np.eye(4))
    found = [(stop, grasp.preshape), (stop, grasp.final)]
    if one.standoff >= 0.0:
        start = one.T_target_hand.copy()
        start[:3, 3] -= grasper.approach_distance * start[:3, :3] @ one.approach
        found.insert(0, (start, grasp.preshape))
    return found


def _closed_here(
    robot: Robot, options: GraspPlannerSettings, spec: ConfigurationSpecification
) -> tuple[Array, str]:
    """Return rows that end with fingers closed where the hand is."""
    arm = robot.active_manipulator
    before = arm.gripper_dof_values
    closed = close(arm)
    if not closed:
        raise StateError(closed.cause)
    hand = arm.transform
    rows = [_row(robot, spec, hand, one) for one in (before, closed.values)]
    said = f"the fingers of {arm.name!r} are closed"
    return np.array(rows if options.return_trajectory else rows[-1:]), said


def _row(
    robot: Robot, spec: ConfigurationSpecification, hand: Array, fingers: Array
) -> Array:
    """Move the robot, and return where it is then as a row of a trajectory."""
    arm = robot.active_manipulator
    move_hand(arm, hand)
    robot.set_dof_values(fingers, arm.gripper_indices, limits=LimitCheck.NONE)
    row = np.zeros(spec.dof)
    spec.insert_joint_values(row, robot.dof_values, robot, range(robot.dof))
    spec.insert_transform(row, robot.transform, robot)
    return row
