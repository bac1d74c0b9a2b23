"""Commands that try one grasp, and say what fingers touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.grasping import Grasper
from pyrave.grasping.hands import closing_rates, hand_links
from pyrave.interfaces import command, setting
from pyrave.manipulation import close
from pyrave.manipulation.closing_motion import near_pairs
from pyrave.spatial import as_number, as_vector, invert_pose
from pyrave_manipulation.arguments import Numbers, Target, Words, body_of
from pyrave_manipulation.finger_commands import check_steps
from pyrave_manipulation.hand_grasps import (
    GraspContacts,
    closure_of,
    coming_candidate,
    in_world,
    judged_attempt,
    place_hand,
    present_candidate,
    refuse_ways,
    stable_contacts,
    touched_by,
)
from pyrave_manipulation.robot_module import RobotModule, RobotModuleSettings

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator
    from pyrave.grasping import Grasp
    from pyrave.spatial import Array

_NEAR = 1e-4
"""Metres at which links count as touching, of hands that stand somewhere."""


@dataclass(frozen=True)
class GrasperModuleSettings(RobotModuleSettings):
    """Settings of the module Grasper."""

    friction: float = setting(0.3, "Coulomb's coefficient of contacts", least=0.0)
    avoidlinks: tuple[str, ...] = setting(
        (), "links of the robot that must not touch the target"
    )
    plannername: str = setting(
        "Grasper", "the planner of grasps, the only one", choices=("Grasper",)
    )


class SingleGrasps(RobotModule):
    """Commands for one grasp.

    Positions and directions are in the frame of the target, contacts in the world.
    """

    contract = 1
    settings_type = GrasperModuleSettings

    @command(name="Grasp", words={"avoidlink": "avoidlinks"})
    def grasp(
        self,
        direction: Numbers = None,
        roll: float = 0.0,
        position: Numbers = None,
        standoff: float = 0.0,
        target: Target = None,
        stablecontacts: bool = False,
        forceclosure: bool = False,
        transformrobot: bool = True,
        onlycontacttarget: bool = True,
        tightgrasp: bool = False,
        graspingnoise: float = 0.0,
        execute: bool = False,
        translationstepmult: float | None = None,
        outputfinal: bool = False,
        manipulatordirection: Numbers = None,
        coarsestep: float | None = None,
        finestep: float | None = None,
        vintersectplane: Numbers = None,
        chuckingdirection: Numbers = None,
        ordereddofindices: list[int] | None = None,
        avoidcontact: bool = False,
        friction: float | None = None,
        avoidlinks: Words = None,
    ) -> GraspContacts:
        """Bring the hand to a target, close it, and say what it touches.

        Parameters
        ----------
        direction, position
            (3,) of the ray along which the hand comes, in the frame of the target; the
            middle of its box if the position is left out.
        roll
            Radians about the ray.
        standoff
            Metres that the hand goes back from where it touched.
        target
            The body, or its name. Left out: the fingers close where the hand is, on
            whatever is there, and of what follows only stablecontacts, execute,
            outputfinal, chuckingdirection and friction count.
        stablecontacts
            Only contacts at which fingers push into the target.
        forceclosure
            Say epsilon and volume; a grasp without force closure is none.
        transformrobot
            The hand comes along the ray, as if nothing held it. 0: it closes where it
            is.
        onlycontacttarget
            Refuse grasps in which the hand touches anything else.
        tightgrasp
            Must be 0: fingers close in one way.
        graspingnoise
            Metres, and radians, by which the hand is off by chance.
        execute
            Move the robot: its base, as if nothing held it, and the fingers. Without
            transformrobot the controller closes the fingers.
        translationstepmult, coarsestep, finestep
            Have no effect: hands and fingers stop within a micrometre.
        outputfinal
            Answer texts with the pose of the robot and all joint values, too.
        manipulatordirection
            (3,) in the hand, which goes along the ray; the manipulator's if left out.
        vintersectplane
            (4,) plane in the frame of the target at which the hand stops.
        chuckingdirection
            (n_gripper,) rates with which fingers close.
        ordereddofindices
            Must be those of the gripper in their order: they close together.
        avoidcontact
            The hand goes to the position and must not touch on its way.
        friction
            Coulomb's coefficient; the setting if left out.
        avoidlinks
            Links that must not touch the target; the setting if left out.
        """
        check_steps(translationstepmult, coarsestep, finestep)
        arm = self.arm
        refuse_ways(arm, ordereddofindices, tightgrasp=tightgrasp)
        rates = closing_rates(
            arm,
            chuckingdirection,
            "chuckingdirection",
        )
        rub = as_number(
            self.settings.friction if friction is None else friction, "friction", 0.0
        )
        if target is None:
            if forceclosure or avoidcontact or avoidlinks is not None:
                raise ArgumentError(
                    "forceclosure, avoidcontact and avoidlinks are about a target, and "
                    "there is none: name one"
                )
            return self._closed_here(
                arm, rates, rub, stable=stablecontacts, final=outputfinal, go=execute
            )
        body = body_of(self.env, target)
        grasper = Grasper(arm, body, friction=rub, closing=rates)
        way = (
            arm.direction
            if manipulatordirection is None
            else as_vector(manipulatordirection, 3, "manipulatordirection")
        )
        if transformrobot:
            one = coming_candidate(
                arm, body, way, direction=direction, position=position, roll=roll,
                standoff=standoff, plane=vintersectplane, noise=graspingnoise,
                seed=self.settings.seed, avoids=avoidcontact,
            )  # fmt: skip
        else:
            one = present_candidate(arm, body, way)
        avoided = self.settings.avoidlinks if avoidlinks is None else avoidlinks
        found, cause = judged_attempt(
            arm, grasper, one, avoided, only=onlycontacttarget
        )
        if found is None:
            return GraspContacts(np.zeros((0, 6)), cause)
        return self._judged(
            grasper,
            found,
            cause,
            rates,
            stable=stablecontacts,
            closure=forceclosure,
            final=outputfinal,
            go=execute,
            moves=transformrobot,
        )

    def _judged(
        self,
        grasper: Grasper,
        found: Grasp,
        cause: str,
        rates: Array,
        *,
        stable: bool,
        closure: bool,
        final: bool,
        go: bool,
        moves: bool,
    ) -> GraspContacts:
        """Return the contacts of a grasp, with what was asked for."""
        arm, body, robot = self.arm, grasper.target, self.robot
        contacts = found.contacts
        with robot.env.lock(), robot.preserve_state():
            place_hand(arm, found, body)
            end = robot.dof_values, robot.transform
            if stable:
                there = stable_contacts(arm, contacts.moved(body.transform), rates)
                contacts = there.moved(invert_pose(body.transform))
        mindist = volume = -1.0
        if closure and not cause:
            mindist, volume = closure_of(contacts, grasper)
            if mindist <= 0.0:
                cause = f"the grasp of {body.name!r} has no force closure"
        if go and not cause:
            if moves:
                place_hand(arm, found, body)
            else:
                closed = close(arm, direction=rates)
                execution = robot.execute(closed) if closed else None
                cause = closed.cause if execution is None else execution.cause
        return GraspContacts(
            in_world(contacts, body), cause, end, mindist, volume, found, final
        )

    def _closed_here(
        self,
        arm: Manipulator,
        rates: Array,
        friction: float,
        *,
        stable: bool,
        final: bool,
        go: bool,
    ) -> GraspContacts:
        """Return the contacts of fingers that close at the present place."""
        robot = arm.robot
        closed = close(arm, direction=rates)
        if not closed:
            return GraspContacts(np.zeros((0, 6)), closed.cause)
        with robot.env.lock(), robot.preserve_state():
            arm.gripper_dof_values = closed.values
            end = robot.dof_values, robot.transform
            touched = touched_by(friction, closed.contacts)
            if stable:
                touched = stable_contacts(arm, touched, rates)
        cause = robot.execute(closed).cause if go else ""
        rows = np.hstack((touched.points, touched.normals))
        return GraspContacts(rows, cause, end, outputs_final=final)

    @command(name="GetStableContacts")
    def get_stable_contacts(
        self, friction: float | None = None, direction: Numbers = None
    ) -> GraspContacts:
        """Return the present contacts at which fingers push as they close.

        Parameters
        ----------
        friction
            Coulomb's coefficient; the setting if left out.
        direction
            (n_gripper,) rates with which fingers close; the manipulator's if left out.
        """
        arm = self.arm
        rates = closing_rates(arm, direction, "direction")
        rub = self.settings.friction if friction is None else friction
        with self.env.lock():
            touched = touched_by(
                as_number(rub, "friction", 0.0), near_pairs(hand_links(arm), _NEAR)
            )
            kept = stable_contacts(arm, touched, rates)
        return GraspContacts(np.hstack((kept.points, kept.normals)))
