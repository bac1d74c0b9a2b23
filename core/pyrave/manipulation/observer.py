"""Cameras that look at a part of a body, and arms that bring it into view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.attached_sensor import AttachedSensor
from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.manipulator import Manipulator
from pyrave.bodies.views.link import Link
from pyrave.errors import ArgumentError, StateError, shown
from pyrave.grasping.hands import hand_links
from pyrave.ik import IkFilterOptions
from pyrave.interfaces.named_bodies import named_subject, named_subjects
from pyrave.kinematics.limits import LimitCheck
from pyrave.manipulation.view_pyramid import camera_of, view_pyramid
from pyrave.manipulation.view_target import (
    box_corners,
    target_link,
    visible_geometries,
)
from pyrave.manipulation.visibility import CameraView, Visibility
from pyrave.planning.query.arguments import as_seed
from pyrave.spatial import as_number, as_pose, as_poses, invert_pose, transform_points
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.geometry import Camera
    from pyrave.interfaces.named_bodies import Bodies
    from pyrave.scene import LinkDescription
    from pyrave.spatial import Array

_FEWEST = 5
"""Rays that a target gets along each axis of the image at least."""
_MOST_RAYS = 1 << 20
_FULL = 1.0 - 1e-12
_NO_WAY = "the arm cannot go there"


@dataclass(frozen=True, eq=False, repr=False)
class Observer:
    """A camera, what it should see, and the arm that moves one of them; frozen.

    The camera is rigid with the end of the arm (eye in hand), or stands elsewhere, be
    it on another robot, and the arm holds the target. All looks at the environment as
    it is then; the robot, and everything else, stays where it is.

    Parameters
    ----------
    arm
        The manipulator.
    camera
        A camera on a link of a robot, see `Robot.attached_sensors`.
    target
        A link, or a body of one link, or a name: ``"mug"``, ``"robot/hand"``.
    geometry
        Name of one of the target's geometries, which alone counts; empty: all that are
        visible.
    region
        (k, 2) corners of a convex part of the image, pixels, that the target has to be
        in; None: the whole image.
    spacing
        Pixels between the rays that look for what is before the target.
    nearest
        Metres in front of the camera in which rays meet nothing.
    allowed_occlusion
        Part of the target's picture, 0 to 1, that may be hidden.
    transparent
        Bodies and links, or their names, that rays pass through.

    Raises
    ------
    ArgumentError
        Something else was given, no such geometry or nothing visible, a camera that
        sees more than what is in front of it, or the arm moves neither.
    NotSupportedError
        The camera's sensor is not there or no camera, or its lens is not known.
    StateError
        Not all are in the same environment.
    """

    arm: Manipulator
    camera: AttachedSensor
    target: KinBody | Link | str
    geometry: str = ""
    region: ArrayLike | None = None
    spacing: float = 20.0
    nearest: float = 0.02
    allowed_occlusion: float = 0.1
    transparent: Bodies = ()
    _lens: Camera = field(init=False)
    _planes: Array = field(init=False)
    _box: dict[str, tuple[LinkDescription, Array]] = field(
        init=False, default_factory=dict
    )
    link: Link = field(init=False)
    """The link of the target."""
    axis: Array = field(init=False)
    """(3,) direction of the region's middle in the camera's frame, 1 along z."""

    def __post_init__(self) -> None:
        if not isinstance(self.arm, Manipulator):
            raise ArgumentError(f"arm is {shown(self.arm)}, expected a manipulator")
        if not isinstance(self.camera, AttachedSensor):
            raise ArgumentError(
                f"camera is {shown(self.camera)}, expected an attached sensor: "
                "robot.attached_sensors[...]"
            )
        robot = self.arm.robot
        if robot.id < 0:
            raise StateError(f"{robot!r} is in no environment; env.add(robot) adds it")
        target = target_link(named_subject(robot.env, self.target))
        for body in (self.camera.robot, target.body):
            if body.id < 0 or body.env is not robot.env:
                raise StateError(f"{body!r} is not in the environment of {robot!r}")
        lens = camera_of(self.camera)
        made: dict[str, Any] = {
            "link": target,
            "spacing": as_number(self.spacing, "spacing", 0.1),
            "nearest": as_number(self.nearest, "nearest", 0.0),
            "allowed_occlusion": as_number(
                self.allowed_occlusion, "allowed_occlusion", 0.0, 1.0
            ),
            "transparent": named_subjects(robot.env, self.transparent),
            "_lens": lens,
        }
        made["_planes"], made["axis"] = view_pyramid(lens, self.region)
        for name, value in made.items():
            object.__setattr__(self, name, value)
        self._corners()  # says if nothing is visible
        self.is_eye_in_hand  # noqa: B018 - says if neither is moved

    def __repr__(self) -> str:
        return f"<Observer: {self.camera!r} looks at {self.link!r}>"

    # -- what moves ----------------------------------------------------------------

    @property
    def is_eye_in_hand(self) -> bool:
        """True if the camera is rigid with the end of the arm."""
        arm, camera, body = self.arm, self.camera, self.link.body
        if camera.robot is arm.robot:
            end = arm.end_effector.index
            rigid = arm.robot.model.rigidly_attached(end).tolist()
            if camera.link.index in rigid:
                if body is arm.robot and self.link.index in rigid:
                    raise ArgumentError(
                        f"{camera!r} and {self.link!r} are rigid with each other"
                    )
                return True
        if arm.is_grabbing(body) or (
            body is arm.robot and arm.is_child_link(self.link)
        ):
            return False
        raise ArgumentError(
            f"{arm!r} moves neither {camera!r} nor {self.link!r}: expected a camera "
            "rigid with its end effector, or a target that it holds"
        )

    @property
    def pose(self) -> Array:
        """(4, 4) T_target_camera now."""
        return np.asarray(invert_pose(self.link.pose_view) @ self.camera.transform)

    @property
    def centre(self) -> Array:
        """(3,) middle of what should be seen, in the frame of the target's link."""
        corners = self._corners()
        return np.asarray(0.5 * (corners.min(axis=0) + corners.max(axis=0)))

    def tool_pose(self, pose: ArrayLike) -> Array:
        """Return T_world_tool (4, 4) of the arm at which a T_target_camera is had."""
        wanted = as_pose(pose, "pose")
        there, eye, tool = (
            self.link.pose_view, self.camera.transform, self.arm.transform,
        )  # fmt: skip
        if self.is_eye_in_hand:
            return np.asarray(there @ wanted @ invert_pose(eye) @ tool)
        return np.asarray(eye @ invert_pose(wanted) @ invert_pose(there) @ tool)

    # -- what is seen --------------------------------------------------------------

    def are_in_picture(
        self, poses: ArrayLike, margin: float = 0.0
    ) -> NDArray[np.bool_]:
        """Return the mask of poses at which all of the target is in the region.

        All of it are the corners of the boxes of its geometries.

        Parameters
        ----------
        poses
            (n, 4, 4) or (n, 7) T_target_camera.
        margin
            Metres that these are inside of the pyramid that the camera sees.

        Returns
        -------
        (n,) bool
        """
        given = as_poses(poses, "poses")
        least = as_number(margin, "margin", 0.0)
        inside = np.empty(len(given), np.bool_)
        corners = self._corners()
        for start in range(0, len(given), 4096):
            some = given[start : start + 4096]
            local = (corners - some[:, None, :3, 3]) @ some[:, :3, :3]
            heights = local @ self._planes.T
            far = (heights >= least).all(axis=(1, 2)) & (local[..., 2] > 0.0).all(
                axis=1
            )
            inside[start : start + 4096] = far
        return inside

    def visibility(
        self, pose: ArrayLike | None = None, *, occlusion: bool = True
    ) -> Visibility:
        """Return the visibility of the target now, or with the camera at another pose.

        Rays go through the picture of the target, `spacing` pixels apart. Those that
        meet it when it is alone are cast again among everything that is shown: the part
        that still meets it first is visible.

        Parameters
        ----------
        pose
            (4, 4) or (7,) T_target_camera: the camera alone is there, the target and
            all else as they are. None: that of now.
        occlusion
            False: it is enough that the target is in the picture.
        """
        wanted = self.pose if pose is None else as_pose(pose, "pose")
        if not self.are_in_picture(wanted[None])[0]:
            return Visibility(0.0, f"{self._name} is not all in the picture")
        if not occlusion:
            return Visibility(1.0)
        with self.arm.robot.env.lock():
            return self._seen(self.link.pose_view @ wanted, None)

    def _seen(self, eye: Array, among: tuple[KinBody | Link, ...] | None) -> Visibility:
        """Return the visibility from T_world_camera, among some bodies or all."""
        rays = self._rays(eye)
        env, chosen = self.arm.robot.env, visible_geometries(self.link, self.geometry)
        ids = np.array([one.id for one in chosen])
        if self.geometry:
            found = env.raycast_all(
                eye[:3, 3], rays, min_range=self.nearest, bodies=self.link,
                surfaces="visual", fields=("instance",),
            )  # fmt: skip
            rays = rays[np.unique(found.ray[np.isin(found.geometry_id, ids)])]
        else:
            alone = env.raycast(
                eye[:3, 3], rays, min_range=self.nearest, bodies=self.link,
                surfaces="visual", fields=(),
            )  # fmt: skip
            rays = rays[alone.hit]
        if not len(rays):
            return Visibility(0.0, f"no ray of the camera meets {self._name}")
        hits = env.raycast(
            eye[:3, 3], rays, min_range=self.nearest, bodies=among,
            exclude=self.transparent, surfaces="visual", fields=("instance",),
        )  # fmt: skip
        clear = np.isin(hits.geometry_id, ids)
        fraction = float(clear.mean())
        if fraction >= (1.0 - self.allowed_occlusion) * _FULL:
            return Visibility(fraction)
        links = Counter(
            f"{link.body.name}/{link.name}"
            for link in map(hits.link_of, np.flatnonzero(~clear & hits.hit).tolist())
            if link is not None
        )
        names = tuple(name for name, _ in links.most_common())
        cause = f"{100.0 * fraction:.3g} % of {self._name} is visible"
        before = f"; before it: {', '.join(names)}" if names else ""
        return Visibility(fraction, cause + before, names)

    def _rays(self, eye: Array) -> Array:
        """Return directions (n, 3) in the world through the picture of the target."""
        lens, there = self._lens.lens, invert_pose(eye) @ self.link.pose_view
        pixels = lens.project(transform_points(there, self._corners()))
        low, high = pixels.min(axis=0), pixels.max(axis=0)
        sides = []
        for a, b in zip(low.tolist(), high.tolist(), strict=True):
            count = max(int((b - a) / self.spacing) + 1, _FEWEST)
            sides.append(a + (b - a) * (np.arange(count) + 0.5) / count)
        if len(sides[0]) * len(sides[1]) > _MOST_RAYS:
            raise ArgumentError(
                f"spacing is {self.spacing:g}, which makes "
                f"{len(sides[0]) * len(sides[1]):,} rays; expected {_MOST_RAYS:,} at "
                "most"
            )
        grid = np.stack(np.meshgrid(*sides), axis=2).reshape(-1, 2)
        rays = lens.unproject(grid)
        return np.asarray(rays[np.isfinite(rays).all(axis=1)] @ eye[:3, :3].T)

    # -- what the arm can do -------------------------------------------------------

    def are_possible(self, poses: ArrayLike, margin: float = 0.0) -> NDArray[np.bool_]:
        """Return the mask of poses that nothing but the hand and the target rules out.

        The target is in the picture, and with the camera in the hand, fingers as they
        are now, the hand does not touch it, and neither the hand nor what else is rigid
        with the camera is before it. What is around does not count, nor what the arm
        can reach: the answer is the same wherever robot and target are.

        Parameters
        ----------
        poses
            (n, 4, 4) or (n, 7) T_target_camera.
        margin
            As in `are_in_picture`.

        Returns
        -------
        (n,) bool
        """
        given = as_poses(poses, "poses")
        possible = self.are_in_picture(given, margin)
        if not self.is_eye_in_hand:
            return possible
        target, body, robot = self.link, self.link.body, self.arm.robot
        if body is robot or body.holder is not None:
            raise StateError(
                f"{body!r} is {'the robot' if body is robot else 'held'}, so that it "
                "cannot be tried at other places; ask `valid`"
            )
        hand = hand_links(self.arm)
        among = (target, *hand)
        checker, eye = robot.env.collision_checker, self.camera.transform
        with robot.env.lock(), body.preserve_state(StateParts.TRANSFORMS):
            for row in np.flatnonzero(possible).tolist():
                target.transform = eye @ invert_pose(given[row])
                possible[row] = not any(
                    checker.check_collision(link, body) for link in hand
                ) and bool(self._seen(eye, among))
        return possible

    def find(
        self,
        pose: ArrayLike,
        *,
        collisions: bool = True,
        occlusion: bool = True,
    ) -> CameraView:
        """Return a configuration of the arm for a pose, or why there is none.

        Parameters
        ----------
        pose
            (4, 4) or (7,) T_target_camera.
        collisions
            The configuration must not collide with anything.
        occlusion
            Nothing but `allowed_occlusion` may be before the target.
        """
        wanted = as_pose(pose, "pose")
        found = self._view(wanted, 0, collisions=collisions, occlusion=occlusion)
        if found.cause != _NO_WAY:
            return found
        options = IkFilterOptions.NONE
        if collisions:
            options = IkFilterOptions.CHECK_ENV_COLLISIONS
        with self.arm.robot.env.lock(), self._arm_alone():
            reasons = self.arm.find_ik(self.tool_pose(wanted), options=options)
        seen = Visibility(0.0, f"{_NO_WAY}: {reasons}")
        return CameraView(wanted, found.values, seen)

    def valid(
        self,
        poses: ArrayLike,
        *,
        collisions: bool = True,
        occlusion: bool = True,
        seed: int | None = None,
    ) -> Iterator[CameraView]:
        """Yield the views that the arm can take now, one for each pose that has some.

        Each pose is looked at when it is asked for, with everything where it is then.

        Parameters
        ----------
        poses
            (n, 4, 4) or (n, 7) T_target_camera.
        collisions, occlusion
            As in `find`.
        seed
            Look at the poses in an order by chance; None: as they are given.
        """
        given = as_poses(poses, "poses")
        order = np.arange(len(given))
        if seed is not None:
            order = np.random.default_rng(as_seed(seed)).permutation(len(given))
        views = (
            self._view(given[k], k, collisions=collisions, occlusion=occlusion)
            for k in order.tolist()
        )
        return (view for view in views if view)

    def _view(
        self, pose: Array, index: int, *, collisions: bool, occlusion: bool
    ) -> CameraView:
        none = np.empty(0)
        if not self.are_in_picture(pose[None])[0]:
            seen = Visibility(0.0, f"{self._name} is not all in the picture")
            return CameraView(pose, none, seen, index)
        arm, robot = self.arm, self.arm.robot
        with robot.env.lock(), self._arm_alone():
            found = arm.solve_ik(self.tool_pose(pose), all=True)
            if collisions and len(found):
                rows = arm.compute_configurations(found)
                checker = robot.env.collision_checker
                found = found[~checker.check_configurations(robot, rows)]
            best = Visibility(0.0, _NO_WAY)
            for number, values in enumerate(found):
                robot.set_dof_values(values, arm.arm_indices, limits=LimitCheck.NONE)
                seen = self.visibility(occlusion=occlusion)
                if seen:
                    return CameraView(pose, values, seen, index)
                if number == 0 or seen.fraction > best.fraction:
                    best = seen
        return CameraView(pose, none, best, index)

    @contextmanager
    def _arm_alone(self) -> Iterator[None]:
        """Let collisions be those of what the arm moves, and keep the robot's state."""
        robot = self.arm.robot
        kept = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
        with robot.preserve_state(kept), robot.env.collision_checker.moving_links():
            robot.set_active_dofs(self.arm.arm_indices)
            yield

    # -- the target ----------------------------------------------------------------

    @property
    def _name(self) -> str:
        target = self.link
        part = f"/{self.geometry}" if self.geometry else ""
        return f"{target.body.name}/{target.name}{part}"

    def _corners(self) -> Array:
        described = self.link.description
        known = self._box.get(described.name)
        if known is None or known[0] is not described:
            corners = box_corners(visible_geometries(self.link, self.geometry))
            known = self._box[described.name] = described, corners
        return known[1]
