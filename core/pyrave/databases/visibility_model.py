"""Poses from which a camera sees a part of a body, with the hand that carries it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave import kinematics
from pyrave.bodies.attached_sensor import AttachedSensor
from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.manipulator import Manipulator
from pyrave.databases.database import Database
from pyrave.databases.keys import geometry_digest, kinematics_digest
from pyrave.errors import ArgumentError
from pyrave.grasping import sphere_points
from pyrave.grasping.hands import hand_links, open_values
from pyrave.interfaces.settings.declarations import setting
from pyrave.kinematics.limits import LimitCheck
from pyrave.manipulation import (
    CameraView,
    Observer,
    are_in_cones,
    camera_poses,
    prune_poses,
)
from pyrave.manipulation.view_pyramid import camera_of
from pyrave.spatial import as_vector, invert_pose, transform_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.pictures import Drawing
    from pyrave.spatial import Array

_EACH = 400
"""Poses of a task."""
_DIGITS = 9
_FRAMES = 50
"""Poses of which the frames are drawn, besides the places of all."""


@dataclass(frozen=True, slots=True)
class VisibilityParameters:
    """Poses that are tried, and those of them that count."""

    link: str = setting("", "of the target; empty: its only one")
    geometry: str = setting("", "of the link that alone counts; empty: all visible")
    directions: int = setting(162, "around the target", least=1, most=1_000_000)
    distances: tuple[float, ...] = setting(
        (0.1, 0.15, 0.2, 0.25, 0.3), "of the camera", unit="m", above=0.0
    )
    rolls: int = setting(8, "about each line of sight", least=1, most=3600)
    cones: tuple[float, ...] = setting(
        (),
        "axes from the target, three numbers each, as long as half of the opening; "
        "empty: all sides",
        unit="rad",
    )
    region: tuple[float, ...] = setting(
        (), "corners of a convex part of the image, two numbers each; empty: all of it"
    )
    margin: float = setting(0.0, "from the border of what is seen", unit="m", least=0.0)
    preshape: tuple[float, ...] = setting(
        (), "values of the gripper's joints; empty: open"
    )
    spacing: float = setting(20.0, "pixels between rays", least=0.1)
    nearest: float = setting(
        0.02, "in front of the camera, where rays meet nothing", unit="m", least=0.0
    )
    allowed_occlusion: float = setting(
        0.1, "part of the target that may be hidden", least=0.0, most=1.0
    )
    apart: float = setting(0.0, "between poses that are kept", unit="m", least=0.0)
    apart_angle: float = setting(
        0.3, "or between their directions", unit="rad", least=0.0, most=np.pi
    )

    def check(self) -> None:
        """Refuse vectors with numbers missing, and no distance."""
        for name, size in (("cones", 3), ("region", 2)):
            count = len(getattr(self, name))
            if count % size:
                raise ArgumentError(
                    f"{name} has {count} numbers, expected {size} for each"
                )
        if not self.distances:
            raise ArgumentError("distances are empty, expected one at least")


class VisibilityModel(Database):
    """Poses of a camera from which it sees a target, whatever is around.

    The target is all in the picture; with the camera in the hand, the hand does not
    touch it and neither the hand nor the camera's housing is before it. `valid` asks
    which of them the arm can take now, with all that is in the way.

    Parameters
    ----------
    arm
        The manipulator that moves the camera, or holds the target before it.
    sensor
        A camera on a link of a robot.
    target
        The body.
    **parameters
        As `VisibilityParameters` declares them.

    Raises
    ------
    ArgumentError
        A parameter is wrong, the arm moves neither camera nor target, or the target
        has nothing that is visible.
    NotSupportedError
        The sensor is no camera.
    StateError
        Something is in no environment.
    """

    kind = "visibilitymodel"
    settings_type = VisibilityParameters
    takes: ClassVar[Mapping[str, type]] = {
        "manipulator": Manipulator,
        "sensor": AttachedSensor,
        "target": KinBody,
    }

    def __init__(
        self,
        arm: Manipulator,
        sensor: AttachedSensor,
        target: KinBody,
        **parameters: Any,
    ) -> None:
        super().__init__(arm, sensor, target, **parameters)
        self.arm: Manipulator = self.subjects[0]
        self.sensor: AttachedSensor = self.subjects[1]
        self.target: KinBody = self.subjects[2]
        if self.target is self.arm.robot:
            raise ArgumentError(f"target is {target!r}, which is the arm's own robot")
        self.observer: Observer = self._observer()
        """The camera, the target and the arm, as `pyrave.manipulation` has them."""
        self.preshape  # noqa: B018 - says if numbers are missing

    def _observer(self) -> Observer:
        given: VisibilityParameters = self.settings
        return Observer(
            self.arm,
            self.sensor,
            self.target.links[given.link] if given.link else self.target,
            given.geometry,
            region=np.reshape(given.region, (-1, 2)) if given.region else None,
            spacing=given.spacing,
            nearest=given.nearest,
            allowed_occlusion=given.allowed_occlusion,
        )

    @property
    def preshape(self) -> Array:
        """(n_gripper,) values of the gripper with which poses were tried."""
        given = self.settings.preshape
        if not given:
            return open_values(self.arm)
        return as_vector(given, len(self.arm.gripper_indices), "preshape")

    @property
    def poses(self) -> Array:
        """(n, 4, 4) T_target_camera, of the target's link; read-only.

        Raises
        ------
        StateError
            There are no results yet: `build` or `load` comes before.
        """
        return self.arrays["poses"]

    def valid(
        self,
        *,
        collisions: bool = True,
        occlusion: bool = True,
        seed: int | None = None,
    ) -> Iterator[CameraView]:
        """Yield the views that the arm can take now, one for each pose that has some.

        Fingers are as they are now: `preshape` is what poses were tried with.

        Parameters
        ----------
        collisions, occlusion, seed
            As in `Observer.valid`.
        """
        return self.observer.valid(
            self.poses, collisions=collisions, occlusion=occlusion, seed=seed
        )

    # -- the computation -----------------------------------------------------------

    def _identity(self) -> Mapping[str, object]:
        observer, target = self.observer, self.target
        camera = camera_of(self.sensor)
        lens = camera.lens
        numbers = [getattr(lens, one.name) for one in fields(lens) if one.init]
        link = observer.link
        known: dict[str, object] = {
            "camera": [type(lens).__name__, numbers, camera.width, camera.height],
            "joints": kinematics_digest(target),
            "target": geometry_digest(target),
            "link": link.index,
            "visible": [[g.visible for g in one.geometries] for one in target.links],
            "names": [g.name == observer.geometry for g in link.geometries],
        }
        if observer.is_eye_in_hand:
            hand = hand_links(self.arm)
            known["hand"] = geometry_digest(hand)
            known["hand_visible"] = [[g.visible for g in x.geometries] for x in hand]
            known["poses"] = self._places([link.index for link in hand])
        return known

    def _places(self, links: Sequence[int]) -> list[float]:
        """Return poses of links in the camera, with the fingers as they are tried."""
        model = self.arm.robot.model
        values = np.zeros(model.n_dof)
        values[self.arm.gripper_indices] = self.preshape
        poses = kinematics.link_transforms(model, np.eye(4), values, passive=None)
        eye = poses[self.sensor.link.index] @ self.sensor.local_transform
        local = invert_pose(eye) @ poses[list(links)]
        return (np.round(local, _DIGITS) + 0.0).ravel().tolist()

    @cached_property
    def _candidates(self) -> Array:
        given: VisibilityParameters = self.settings
        observer = self.observer
        poses = camera_poses(
            sphere_points(given.directions),
            given.distances,
            given.rolls,
            centre=observer.centre,
            axis=observer.axis,
        )
        if given.cones:
            cones = np.reshape(given.cones, (-1, 3))
            poses = poses[are_in_cones(poses, cones, observer.centre)]
        return poses

    def _task_count(self) -> int:
        return -(-len(self._candidates) // _EACH)

    def _compute(self, index: int) -> dict[str, NDArray[Any]]:
        robot = self.arm.robot
        robot.set_dof_values(
            self.preshape, self.arm.gripper_indices, limits=LimitCheck.NONE
        )
        some = self._candidates[index * _EACH : (index + 1) * _EACH]
        return {"poses": some[self.observer.are_possible(some, self.settings.margin)]}

    def _merge(
        self, parts: Sequence[dict[str, NDArray[Any]]]
    ) -> dict[str, NDArray[Any]]:
        poses = np.concatenate([np.empty((0, 4, 4)), *(one["poses"] for one in parts)])
        given: VisibilityParameters = self.settings
        if given.apart > 0.0:
            poses = poses[prune_poses(poses, given.apart, given.apart_angle)]
        return {"poses": poses}

    def summary(self) -> dict[str, Any]:
        """Return the number of poses, and the least and largest distance."""
        poses = self.arrays["poses"]
        away = np.linalg.norm(poses[:, :3, 3] - self.observer.centre, axis=1)
        given: VisibilityParameters = self.settings
        return {
            "poses": len(poses),
            "tried": given.directions * len(given.distances) * given.rolls,
            "nearest": float(away.min()) if len(away) else None,
            "farthest": float(away.max()) if len(away) else None,
        }

    def show(self) -> list[Drawing]:
        """Draw places of the camera around the target, and some frames."""
        poses, there = self.poses, self.observer.link.transform
        draw = self.env.draw
        if not len(poses):
            return []
        points = transform_points(there, poses[:, :3, 3])
        step = -(-len(poses) // _FRAMES)
        return [
            draw.points(points, color="blue"),
            *(draw.frame(there @ one, length=0.03) for one in poses[::step]),
        ]
