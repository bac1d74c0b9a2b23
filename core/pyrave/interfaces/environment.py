"""The environment as interfaces may rely on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Protocol,
    Self,
    SupportsIndex,
    Unpack,
    overload,
)

from numpy.typing import ArrayLike, NDArray

from pyrave.interfaces.part_creator import PartCreator

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    import numpy as np

    from pyrave.bodies.geometry import Geometry
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.link import Link
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot
    from pyrave.errors import Problem
    from pyrave.geometry import Mesh, RayHits, RayScene
    from pyrave.ik.path import IkPath
    from pyrave.interfaces.collection import NamedCollection
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase
    from pyrave.interfaces.collisionreport import CollisionReport
    from pyrave.interfaces.handles import CallbackList, Handle
    from pyrave.interfaces.module import ModuleBase
    from pyrave.interfaces.named_bodies import Bodies
    from pyrave.interfaces.physicsengine import PhysicsEngineBase
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.planning.query.options import RobotPlanOptions
    from pyrave.planning.query.result import PlanResult
    from pyrave.scene import (
        ConstraintDescription,
        ContactProperties,
        IgnoredPair,
        MeshReference,
        SimulationDescription,
    )
    from pyrave.sensing.data import LaserData
    from pyrave.spatial import Array
    from pyrave.world import PackedWorld
    from pyrave.world.body_state import BodyChange, StateParts


class RayWorldProtocol(Protocol):
    """What stands behind the instances that `EnvironmentProtocol.raycast` hit."""

    @property
    def scene(self) -> RayScene:
        """The instances, rows of the packed world; ids are those of bodies."""
        ...

    @property
    def geometries(self) -> Sequence[Geometry | None]:
        """The geometry of each instance, None for one that nothing can hit."""
        ...

    def geometry_of(self, instance: int) -> Geometry:
        """Return the geometry of an instance that a ray met."""
        ...


class EnvironmentProtocol(PartCreator, Protocol):
    """The part of `pyrave.Environment` that plugins are written against."""

    @property
    def bodies(self) -> NamedCollection[KinBody]:
        """Bodies and robots in the order they were added."""
        ...

    @property
    def robots(self) -> NamedCollection[Robot]:
        """The bodies that are robots."""
        ...

    @property
    def sensors(self) -> NamedCollection[SensorBase]:
        """Stand-alone sensors, then attached ones (``robot:sensor``)."""
        ...

    @property
    def modules(self) -> NamedCollection[ModuleBase]:
        """Modules in the order they were added."""
        ...

    @property
    def physics_engine(self) -> PhysicsEngineBase:
        """The physics engine."""
        ...

    @property
    def collision_checker(self) -> CollisionCheckerBase:
        """The collision checker."""
        ...

    @property
    def gravity(self) -> Array:
        """World gravity, (3,), m/s2."""
        ...

    @property
    def constraints(self) -> tuple[ConstraintDescription, ...]:
        """What ties links together, for physics engines."""
        ...

    @property
    def contact_properties(self) -> ContactProperties:
        """Friction and restitution of materials and types of objects."""
        ...

    @property
    def simulation(self) -> SimulationDescription:
        """Controllers, sensors and settings of physics engines."""
        ...

    @property
    def ignored_pairs(self) -> tuple[IgnoredPair, ...]:
        """Pairs of bodies or links whose collisions do not count."""
        ...

    @property
    def simulation_time(self) -> float:
        """Simulated time, seconds."""
        ...

    @overload
    def check_collision(
        self,
        first: KinBody | Link | str,
        second: KinBody | Link | str | None = None,
        *,
        excluded_bodies: Bodies = (),
        excluded_links: Bodies = (),
        report: Literal[False] = False,
    ) -> bool: ...
    @overload
    def check_collision(
        self,
        first: KinBody | Link | str,
        second: KinBody | Link | str | None = None,
        *,
        excluded_bodies: Bodies = (),
        excluded_links: Bodies = (),
        report: Literal[True],
    ) -> CollisionReport: ...
    @overload
    def check_collision(
        self,
        first: KinBody | Link | str,
        second: KinBody | Link | str | None = None,
        *,
        excluded_bodies: Bodies = (),
        excluded_links: Bodies = (),
        report: bool,
    ) -> bool | CollisionReport: ...
    def check_collision(
        self,
        first: KinBody | Link | str,
        second: KinBody | Link | str | None = None,
        *,
        excluded_bodies: Bodies = (),
        excluded_links: Bodies = (),
        report: bool = False,
    ) -> Any:
        """Ask the collision checker."""
        ...

    def raycast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        *,
        max_range: ArrayLike = ...,
        min_range: ArrayLike = 0.0,
        bodies: Bodies | None = None,
        exclude: Bodies = (),
        surfaces: str = "collision",
        any_hit: bool = False,
        fields: Iterable[str] = ...,
        threads: int | None = None,
    ) -> RayHits:
        """Cast rays, (n, 3) origins and directions, at the enabled geometries."""
        ...

    def load_mesh(self, reference: MeshReference) -> Mesh:
        """Load a mesh file by the installed mesh readers."""
        ...

    @property
    def world(self) -> PackedWorld:
        """All bodies as arrays, with what collides, as they are now."""
        ...

    def body_of_id(self, number: SupportsIndex) -> KinBody:
        """Return the body of an id; NotFoundError if it is not there any more."""
        ...

    @property
    def solid_geometries(self) -> Sequence[Geometry | None]:
        """The geometry of each row of solids of `world`, None where there is none."""
        ...

    @property
    def collision_callbacks(self) -> CallbackList[CollisionReport]:
        """Who wants to hear of each collision, and may have it ignored."""
        ...

    @property
    def ray_world(self) -> RayWorldProtocol:
        """The geometries that rays meet, as they are now."""
        ...

    @property
    def visual_scene(self) -> RayWorldProtocol:
        """What pictures show: visible geometries, enabled or not, as they are now."""
        ...

    def on_body(self, callback: Callable[[Any], object]) -> Handle:
        """Call back when a body was added, removed or changed, until closed."""
        ...

    def report_problem(self, problem: Problem) -> None:
        """Add a problem to `problems` and log it."""
        ...

    def plugin_settings(self, name: str) -> Mapping[str, Any]:
        """Return the settings of a distribution: the user's, over them the scene's."""
        ...

    def body_changed(self, body: KinBody, change: BodyChange) -> None:
        """Hear that a body changed; bodies in the environment call this."""
        ...

    def lock(self, timeout: float | None = None) -> AbstractContextManager[Any]:
        """Hold the environment's re-entrant lock for a ``with`` block."""
        ...

    def preserve_state(self, parts: StateParts = ...) -> AbstractContextManager[Any]:
        """Put bodies and the clock back at the end of a ``with`` block."""
        ...

    def clone(self) -> Self:
        """Return a copy with the same models, states and clock."""
        ...

    def step(self, dt: float = ...) -> None:
        """Advance by `dt` seconds."""
        ...

    def picture(
        self,
        path: str | PathLike[str] | None = None,
        *,
        eye: ArrayLike | None = None,
        target: ArrayLike | KinBody | Link | str | None = None,
        size: tuple[int, int] | None = None,
        zoom: float = 1.0,
        scans: LaserData | Array | Iterable[Any] | None = None,
        regions: Any = None,
        frames: Any = None,
        trajectory: PlanResult | TrajectoryBase | Iterable[Any] | None = None,
    ) -> NDArray[np.uint8]:
        """Return a picture of what is visible, and write it to a file."""
        ...

    def retime(
        self, mover: Robot | Manipulator | str, path: ArrayLike | IkPath, **options: Any
    ) -> TrajectoryBase:
        """Return the fastest trajectory along a path, see `pyrave.planning.retime`."""
        ...

    def plan(
        self,
        mover: Robot | Manipulator | str,
        goal: Any,
        **options: Unpack[RobotPlanOptions],
    ) -> PlanResult:
        """Plan a motion, see `pyrave.planning.plan`."""
        ...
