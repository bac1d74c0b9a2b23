"""VisualFeedback: arms that bring a camera to where it sees its target."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.views.link import Link
from pyrave.errors import ArgumentError, NotSupportedError, StateError
from pyrave.geometry import geodesic_sphere
from pyrave.interfaces import command, setting
from pyrave.manipulation import (
    Observer,
    Step,
    are_in_cones,
    camera_poses,
    prune_poses,
)
from pyrave.manipulation.joined_steps import joined
from pyrave.spatial import as_number, wxyz_xyz_from_pose
from pyrave.world.body_state import StateParts
from pyrave_manipulation.answers import MotionAnswer
from pyrave_manipulation.arguments import Numbers, Target, poses_of, rows_of
from pyrave_manipulation.camera_task import CameraTask, sensor_index, target_names
from pyrave_manipulation.camera_views import (
    Sight,
    ViewValues,
    free_rows,
    sphere_of,
    views_between,
)
from pyrave_manipulation.free_ends import FreeMotion, JointQuery
from pyrave_manipulation.robot_module import RobotModule, RobotModuleSettings, as_whole

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator
    from pyrave.manipulation import CameraView
    from pyrave.spatial import Array

_MOST_VIEWS = 40
"""Views that a plan may end in."""
_LEVEL = 2
"""Level of the geodesic sphere of places of a camera that is used if none is given."""
_RADII = (0.2, 0.3, 0.4)
_MOST_ROLLS = 360


@dataclass(frozen=True)
class VisualModuleSettings(RobotModuleSettings):
    """Settings of `VisualFeedback`."""

    ignoresensorcollision: bool = setting(
        False, "whether another robot that carries the camera counts for no collision"
    )


class VisualFeedback(RobotModule):
    """Commands for a camera in the hand, or one that looks at what the hand holds.

    SetCameraAndTarget comes first. Poses of the camera are T_target_camera, +z forward.
    """

    contract = 1
    settings_type = VisualModuleSettings

    _task = CameraTask()
    _poses: tuple[tuple[float, ...], ...] = ()

    # -- what is looked at ---------------------------------------------------------

    @command(name="SetCameraAndTarget", words={"target": "targetlink"})
    def set_camera_and_target(
        self,
        sensorindex: int | None = None,
        sensorname: str = "",
        manipname: str = "",
        convexdata: Numbers = None,
        sensorrobot: str = "",
        targetlink: Target | Link = None,
        targetgeomname: str = "",
        raydensity: float | None = None,
    ) -> bool:
        """Choose the camera, the arm, and what should be seen.

        Parameters
        ----------
        sensorindex, sensorname
            Of the camera on its robot; the first camera if both are left out.
        manipname
            Of the manipulator that moves camera or target; the active one if left out.
        convexdata
            (k, 2) corners of a convex part of the image in which the target has to be,
            pixels; in a text how many, then each. The whole image if left out.
        sensorrobot
            Robot that carries the camera, if it is another one.
        targetlink
            A link of a body, or a body of one link, or their names: ``mug``, ``robot
            hand``.
        targetgeomname
            Name of the one geometry that counts.
        raydensity
            As of SetParameter.
        """
        robot = self.robot
        arm = robot.manipulators[manipname] if manipname else self.arm
        carrier = self.env.robots[sensorrobot] if sensorrobot else robot
        index = sensor_index(carrier, sensorindex, sensorname)
        body, link = target_names(self.env, targetlink)
        region: tuple[float, ...] = ()
        if convexdata is not None:
            region = tuple(rows_of(convexdata, 2, "convexdata").ravel().tolist())
        made = replace(
            self._task,
            sensorrobot=carrier.name,
            sensor=index,
            manipulator=arm.name,
            target=body,
            link=link,
            geometry=targetgeomname,
            region=region,
        )
        if raydensity is not None:
            made = replace(made, raydensity=as_number(raydensity, "raydensity", 1e-6))
        made.observer(robot)  # says what is wrong
        self._task = made
        return True

    @command(name="SetParameter")
    def set_parameter(
        self,
        raydensity: float | None = None,
        raymindist: float | None = None,
        allowableocclusion: float | None = None,
    ) -> bool:
        """Choose how rays look for what hides the target.

        Parameters
        ----------
        raydensity
            Distance of rays in a plane one metre before the camera, metres.
        raymindist
            Metres in front of the camera in which rays meet nothing.
        allowableocclusion
            Part of the target that may be hidden, 0 to 1.
        """
        made = self._task
        if raydensity is not None:
            made = replace(made, raydensity=as_number(raydensity, "raydensity", 1e-6))
        if raymindist is not None:
            made = replace(made, raymindist=as_number(raymindist, "raymindist", 0.0))
        if allowableocclusion is not None:
            part = as_number(allowableocclusion, "allowableocclusion", 0.0, 1.0)
            made = replace(made, allowableocclusion=part)
        self._task = made
        return True

    # -- places of the camera ------------------------------------------------------

    @command(name="ProcessVisibilityExtents", words={"conedirangle": "conedirangles"})
    def process_visibility_extents(
        self,
        numrolls: int = 8,
        transforms: Numbers = None,
        extents: Numbers = None,
        sphere: Numbers = None,
        conedirangles: Numbers = None,
    ) -> ViewValues:
        """Return the poses of the camera that hand, camera and target allow; keep them.

        The target is in the picture, the hand does not touch it, and is not before it.

        Parameters
        ----------
        numrolls
            Poses about each line of sight.
        transforms
            (n, 7) poses that are looked at, too; in a text how many, then each.
        extents
            (n, 3) places of the camera about the target's middle; in a text how many,
            then each.
        sphere
            Level of a sphere of directions, then distances from the target's middle: 2
            0.2 0.3 0.4 if nothing is given at all. A level of k has 10 4^k + 2
            directions. In a text the number of distances stands behind the level.
        conedirangles
            (k, 3) cones from whose sides poses count: axes as long as half of the
            opening, radians. A text names each.

        Returns
        -------
        ViewValues
            (n, 7) poses.
        """
        observer = self._task.observer(self.robot)
        rolls, found = as_whole(numrolls, "numrolls", 1, _MOST_ROLLS), []
        if transforms is not None:
            found.append(poses_of(transforms, "transforms"))
        if extents is not None:
            for place in rows_of(extents, 3, "extents"):
                away = float(np.linalg.norm(place))
                found.append(
                    camera_poses([place], [away], rolls, centre=observer.centre)
                )
        if sphere is not None or not found:
            level, radii = sphere_of((_LEVEL, *_RADII) if sphere is None else sphere)
            ways = geodesic_sphere(2**level)
            found.append(camera_poses(ways, radii, rolls, centre=observer.centre))
        poses = np.concatenate(found)
        if conedirangles is not None:
            cones = rows_of(conedirangles, 3, "conedirangles")
            poses = poses[are_in_cones(poses, cones, observer.centre)]
        count = len(poses)
        if count:
            poses = poses[observer.are_possible(poses)]
        self._keep(poses)
        return ViewValues(
            np.array(self._poses).reshape(-1, 7),
            f"the hand, the camera and {observer.link.body.name!r} allow none of "
            f"{count} poses",
        )

    @command(name="SetCameraTransforms")
    def set_camera_transforms(
        self, transforms: Numbers = None, mindist: float = 0.0
    ) -> bool:
        """Choose the poses of the camera for the commands that come.

        Parameters
        ----------
        transforms
            (n, 7) T_target_camera; in a text how many, then each.
        mindist
            Metres: of poses that are nearer to each other, and turned by less than 0.3
            rad, one counts.
        """
        if transforms is None:
            raise ArgumentError("there are no transforms, expected poses (n, 7)")
        poses = poses_of(transforms, "transforms")
        near = as_number(mindist, "mindist", 0.0)
        self._keep(poses[prune_poses(poses, near)] if near else poses)
        return True

    # -- what is seen --------------------------------------------------------------

    @command(name="ComputeVisibility")
    def compute_visibility(self, checkocclusion: bool = True) -> Sight:
        """Say if the camera sees the target now.

        Parameters
        ----------
        checkocclusion
            Look for what is before it; 0: it is enough that it is in the picture.
        """
        return Sight(
            self._task.observer(self.robot).visibility(occlusion=checkocclusion)
        )

    @command(name="ComputeVisibleConfiguration")
    def compute_visible_configuration(self, pose: Numbers) -> ViewValues:
        """Return a free configuration of the arm with the camera at a pose.

        Parameters
        ----------
        pose
            (7,) T_target_camera.
        """
        (wanted,) = poses_of(pose, "pose")
        with self._without_carrier():
            found = self._task.observer(self.robot).find(wanted)
        values = found.values[None] if found else np.zeros((0, len(found.values)))
        return ViewValues(values, found.cause)

    @command(name="SampleVisibilityGoal")
    def sample_visibility_goal(self, numsamples: int = 1) -> ViewValues:
        """Return configurations of the arm in which the camera sees the target.

        Parameters
        ----------
        numsamples
            How many at most.

        Returns
        -------
        ViewValues
            (n, n_arm); in a text their number comes first.
        """
        with self._without_carrier():
            views = self._views(
                self._task.observer(self.robot), as_whole(numsamples, "numsamples", 1)
            )
        rows = np.array([one.values for one in views])
        return ViewValues(rows, self._no_view(), with_count=True)

    # -- motions -------------------------------------------------------------------

    @command(name="MoveToObserveTarget")
    def move_to_observe_target(
        self,
        affinedofs: int = 0,
        smoothpath: bool = True,
        planner: str = "",
        sampleprob: float | None = None,
        maxiter: int | None = None,
        execute: bool = True,
        outputtraj: bool = False,
    ) -> MotionAnswer:
        """Move the arm to where the camera sees the target.

        Parameters
        ----------
        affinedofs
            Must be 0: the base stays.
        smoothpath
            Has no effect: paths are always made short.
        planner
            Id of the planner; the module's if left out.
        sampleprob
            From 0 to 1; has no effect: views are known before the search.
        maxiter, execute, outputtraj
            As of MoveManipulator.
        """
        if affinedofs:
            raise NotSupportedError(
                f"affinedofs is {affinedofs}: the base stays where it is; "
                "MoveToHandPosition of BaseManipulation moves it for a pose of the hand"
            )
        if sampleprob is not None:
            as_number(sampleprob, "sampleprob", 0.0, 1.0)
        observer = self._task.observer(self.robot)
        options = self.plan_options(maxiter=maxiter, planner=planner)
        with self._without_carrier():
            views = self._views(observer, _MOST_VIEWS)
            if not views:
                return MotionAnswer(cause=self._no_view())
            motion = self._to_views(observer.arm, views, options)
        index = views[motion.goal].index if motion else -1
        return self.answer(
            motion.timed,
            motion.cause,
            execute=execute,
            outputtraj=outputtraj,
            values=views[motion.goal].values if motion else None,
            goal=index,
        )

    @command(name="VisualFeedbackGrasping")
    def visual_feedback_grasping(
        self,
        graspset: Numbers = None,
        usevisibility: bool = True,
        planner: str = "",
        graspdistthresh: float = 0.5,
        visgraspthresh: float = 0.05,
        numgradientsamples: int = 5,
        maxiter: int | None = None,
        execute: bool = True,
        outputtraj: bool = False,
    ) -> MotionAnswer:
        """Move the hand to a grasp, by a place from which the camera sees the target.

        Parameters
        ----------
        graspset
            (n, 7) poses of the hand in the frame of the target, the best first; in a
            text how many, then each.
        usevisibility
            Go by such a place; 0: straight to the grasp.
        planner
            Id of the planner; the module's if left out.
        graspdistthresh, visgraspthresh
            Metres between the hand at that place and at the grasp, at most and at
            least.
        numgradientsamples
            Such places that are tried for each grasp.
        maxiter, execute, outputtraj
            As of MoveManipulator.
        """
        if graspset is None:
            raise ArgumentError("there is no graspset, expected poses (n, 7)")
        hands = poses_of(graspset, "graspset")
        near = as_number(visgraspthresh, "visgraspthresh", 0.0)
        far = as_number(graspdistthresh, "graspdistthresh", near)
        tries = as_whole(numgradientsamples, "numgradientsamples", 1)
        options = self.plan_options(maxiter=maxiter, planner=planner)
        observer = self._task.observer(self.robot)
        arm, cause, motion = observer.arm, "", FreeMotion(None)
        target = observer.link.transform
        with self._without_carrier(), self.env.lock():
            views = self._views(observer, _MOST_VIEWS) if usevisibility else []
            if usevisibility and not views:
                return MotionAnswer(cause=self._no_view())
            for k, hand in enumerate(hands):
                rows = free_rows(arm, target @ hand)
                if not len(rows):
                    cause = f"grasp {k} has no free IK solution"
                    continue
                chosen = views_between(arm, views, target @ hand, near, far)[:tries]
                if usevisibility and not chosen:
                    cause = f"no view is {near:g} to {far:g} m from grasp {k}"
                    continue
                motion = self._by_views(arm, chosen, rows, options)
                if motion:
                    break
                cause = motion.cause
        if not motion:
            return MotionAnswer(cause=cause)
        # the carrier counts again as the robot moves
        return self.answer(
            motion.timed, "", execute=execute, outputtraj=outputtraj, goal=k
        )

    def _by_views(
        self,
        arm: Manipulator,
        views: list[CameraView],
        rows: Array,
        options: dict[str, Any],
    ) -> FreeMotion:
        """Return a motion by one of some views to one of some arm values."""
        query = JointQuery(arm.robot, arm.arm_indices, options=options)
        if not views:
            return query.to_values(rows)
        found = FreeMotion(None)
        for view in views:
            found = query.to_values(view.values[None])
            if found.timed is None:
                continue
            first = found.timed
            with arm.robot.preserve_state(StateParts.TRANSFORMS):
                arm.arm_dof_values = view.values
                found = query.to_values(rows)
            if found.timed is not None:
                steps = [Step("look", first), Step("grasp", found.timed)]
                return replace(found, timed=joined(arm.robot, steps))
        return found

    @staticmethod
    def _to_views(
        arm: Manipulator, views: list[CameraView], options: dict[str, Any]
    ) -> FreeMotion:
        rows = np.array([one.values for one in views])
        query = JointQuery(arm.robot, arm.arm_indices, options=options)
        return query.to_values(rows)

    # -- parts ---------------------------------------------------------------------

    def _keep(self, poses: Array) -> None:
        """Keep poses of the camera."""
        rows = [wxyz_xyz_from_pose(one) for one in poses]
        self._poses = tuple(tuple(float(x) for x in row) for row in rows)

    def _views(self, observer: Observer, most: int) -> list[CameraView]:
        """Return views that the arm can take, at most so many."""
        if not self._poses:
            raise StateError(
                "there are no poses of the camera; ProcessVisibilityExtents makes "
                "some, and SetCameraTransforms takes yours"
            )
        views = observer.valid(np.array(self._poses), seed=self.settings.seed)
        return list(itertools.islice(views, most))

    def _no_view(self) -> str:
        return (
            f"from none of {len(self._poses)} poses of the camera that the arm can "
            f"take is {self._task.target!r} seen"
        )

    @contextmanager
    def _without_carrier(self) -> Iterator[None]:
        """Let another robot that carries the camera be in nobody's way for a block."""
        name = self._task.sensorrobot
        if (
            not self.settings.ignoresensorcollision
            or name == self.robot.name
            or (not name)
        ):
            yield
            return
        carrier = self.env.robots[name]
        with carrier.preserve_state():
            carrier.enabled = False
            yield

    # -- state ---------------------------------------------------------------------

    def get_own_state(self) -> Any:
        """Return the values that commands have set."""
        return super().get_own_state(), self._task, self._poses

    def set_own_state(self, state: Any) -> None:
        """Go on as another module does."""
        inner, self._task, self._poses = state
        super().set_own_state(inner)

    def reset(self) -> None:
        """Forget the values that commands have set."""
        super().reset()
        self._task, self._poses = CameraTask(), ()
