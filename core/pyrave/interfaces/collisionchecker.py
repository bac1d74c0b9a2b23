"""Base of collision checkers, their options and their report."""

from __future__ import annotations

import enum
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.interfaces.engine import WorldEngine
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import Array, as_array
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.bodies.geometry import Geometry
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.link import Link
    from pyrave.geometry import Mesh


class CollisionOptions(enum.IntFlag):
    """What a collision query computes, with OpenRAVE's bit values."""

    NONE = 0
    DISTANCE = 0x1
    USE_TOLERANCE = 0x2
    CONTACTS = 0x4
    RAY_ANY_HIT = 0x8
    ACTIVE_DOFS = 0x10
    ALL_LINK_COLLISIONS = 0x20
    ALL_GEOMETRY_COLLISIONS = 0x40
    ALL_GEOMETRY_CONTACTS = 0x80
    IGNORE_CALLBACKS = 0x100


@dataclass(frozen=True, slots=True)
class Contact:
    """One contact point in world axes.

    `position` (3,) metres, `normal` (3,) unit, pointing out of the first geometry,
    `depth` metres, positive when the geometries penetrate.
    """

    position: Array
    normal: Array
    depth: float


@dataclass(frozen=True, slots=True)
class CollisionSide:
    """One of two things that collide; all is empty for a ray, a mesh or a box.

    Ids say what it is, also when the body was removed since; names may be empty.

    Parameters
    ----------
    body_id, link_id, geometry_id
        `KinBody.id`, `Link.id` and `Geometry.id` at the time of the query; -1: the
        checker does not know, or there is none.
    link, geometry
        The link and its geometry, if they are known.
    """

    body_id: int = -1
    link_id: int = -1
    geometry_id: int = -1
    link: Link | None = field(default=None, compare=False)
    geometry: Geometry | None = field(default=None, compare=False)

    @classmethod
    def of_link(cls, link: Link) -> CollisionSide:
        """Return the side of a link of which the geometry is not known."""
        return cls(link.body.id, link.id, link=link)

    @classmethod
    def of_geometry(cls, geometry: Geometry) -> CollisionSide:
        """Return the side of a geometry."""
        link = geometry.link
        return cls(link.body.id, link.id, geometry.id, link, geometry)

    @property
    def body(self) -> KinBody | None:
        """The body, if it is known."""
        return None if self.link is None else self.link.body

    @property
    def body_name(self) -> str:
        """Name of the body."""
        return "" if self.link is None else self.link.body.name

    @property
    def link_name(self) -> str:
        """Name of the link."""
        return "" if self.link is None else self.link.name

    @property
    def geometry_name(self) -> str:
        """Name of the geometry; many have none."""
        return "" if self.geometry is None else self.geometry.name


@dataclass(frozen=True, slots=True)
class CollisionPair:
    """Two things that collide, and their contacts if asked for."""

    first: CollisionSide
    second: CollisionSide = CollisionSide()
    contacts: tuple[Contact, ...] = ()


@dataclass(slots=True)
class CollisionReport:
    """Result of collision queries; true if something collides.

    Parameters
    ----------
    min_distance
        Smallest distance, metres; 1e20 if it was not asked for.
    keep_previous
        Accumulate over queries instead of starting over at each.
    """

    pairs: list[CollisionPair] = field(default_factory=list)
    options: CollisionOptions = CollisionOptions.NONE
    min_distance: float = 1e20
    n_within_tolerance: int = 0
    keep_previous: bool = False

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def reset(self) -> None:
        """Forget earlier results unless `keep_previous`."""
        if not self.keep_previous:
            self.pairs.clear()
            self.min_distance = 1e20
            self.n_within_tolerance = 0


class CollisionCheckerBase(WorldEngine):
    """Answers collision queries about the bodies of its environment.

    A grabbed body moves with its holder: queries on the holder include it and do not
    check the two against each other. Disabled links never collide.
    """

    interface_type: ClassVar[str] = "collisionchecker"
    contract: ClassVar[int] = 1
    finds_collisions: ClassVar[bool] = True
    """False for a stand-in that never finds any; grabbing does not ask it."""

    @abstractmethod
    def set_collision_options(self, options: CollisionOptions) -> None:
        """Set options; NotSupportedError for those that the checker cannot do."""

    @abstractmethod
    def get_collision_options(self) -> CollisionOptions:
        """Return the options."""

    @abstractmethod
    def set_tolerance(self, tolerance: float) -> None:
        """Set the distance (metres) below which geometries count as near."""

    @abstractmethod
    def init_environment(self) -> None:
        """Set up for every body of the environment."""

    @abstractmethod
    def destroy_environment(self) -> None:
        """Forget every body."""

    @abstractmethod
    def init_kinbody(self, body: KinBody) -> None:
        """Set up for a body that was added or whose geometry changed."""

    @abstractmethod
    def remove_kinbody(self, body: KinBody) -> None:
        """Forget a body."""

    @abstractmethod
    def check_collision(
        self,
        first: KinBody | Link,
        second: KinBody | Link | None = None,
        *,
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a body or link against another, or against everything (None)."""

    @abstractmethod
    def check_ray(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        target: KinBody | Link | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a ray, (3,) and (3,) whose length is the range, metres."""

    @abstractmethod
    def check_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check a body's (or one link's) non-adjacent links against each other.

        What the body holds takes part: `KinBody.grabbed_link_pairs` names the pairs.
        """

    def check_configurations(
        self,
        robot: KinBody,
        configurations: ArrayLike,
        *,
        self_collision: bool = True,
    ) -> NDArray[np.bool_]:
        """Return which configurations of a body collide; it stays where it is.

        This checks one after the other. A checker that knows better overrides it:
        ``env.world.tables`` and `pyrave.kinematics.link_transforms_batch` of
        ``robot.state_model`` are what a kernel needs.

        Parameters
        ----------
        configurations
            (n, dof) joint values, not clamped.
        self_collision
            Whether links of the body that touch each other count, too.

        Returns
        -------
        (n,) bool
            True where something touches.
        """
        rows = as_array(configurations, (None, robot.dof), "configurations")
        hits = np.zeros(len(rows), np.bool_)
        with robot.preserve_state(StateParts.TRANSFORMS):
            for k, values in enumerate(rows):
                robot.set_dof_values(values, limits=LimitCheck.NONE)
                hits[k] = self.check_collision(robot) or (
                    self_collision and self.check_self_collision(robot)
                )
        return hits

    def check_mesh(
        self,
        mesh: Mesh,
        transform: ArrayLike,
        target: KinBody | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a triangle mesh at a pose (4, 4) against a body or everything."""
        raise NotSupportedError(f"{self!r} does not check meshes")

    def check_aabb(
        self,
        center: ArrayLike,
        half_extents: ArrayLike,
        transform: ArrayLike | None = None,
        bodies: Iterable[KinBody] | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a box (m) at a pose against bodies, all of them if None."""
        raise NotSupportedError(f"{self!r} does not check boxes")

    def set_geometry_group(self, group: str) -> None:
        """Use another group of geometries in all queries."""
        raise NotSupportedError(f"{self!r} has no geometry groups")

    def get_geometry_group(self) -> str:
        """Return the group of geometries in use."""
        return "self"
