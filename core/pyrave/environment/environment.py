"""The environment: bodies, robots, sensors, modules, engines, clock and lock."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, overload

from pyrave.argument_names import methods_suggest
from pyrave.attributes import Closed, answers_other_names
from pyrave.bodies.collision_queries import distance_between
from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.views.link import Link
from pyrave.cards import counted
from pyrave.environment.display.viewers import Viewing
from pyrave.environment.engines import check_collision, checked_pair
from pyrave.environment.events import BodyEvent
from pyrave.environment.files.options import (
    LoadKeywords,
    LoadOptions,
    ReadKeywords,
    SaveKeywords,
    path_of,
    shows_options,
    text_of,
)
from pyrave.environment.internals import Internals
from pyrave.environment.parts import EnvironmentParts
from pyrave.environment.published_states import PublishedState
from pyrave.environment.rays import RayCasts
from pyrave.environment.simulation.instruments import place_sensors
from pyrave.environment.simulation.robot_controllers import drive_robots
from pyrave.environment.state_saver import EnvironmentSaver
from pyrave.errors import ArgumentError, Problem, Problems
from pyrave.interfaces.collection import NamedCollection
from pyrave.interfaces.collision.report import (
    CollisionAction,
    CollisionReport,
    asked_report,
)
from pyrave.interfaces.named_bodies import named_subjects
from pyrave.plugins import Registry, default_registry
from pyrave.scene import ContactProperties
from pyrave.scene.checks import validated
from pyrave.spatial import Array
from pyrave.world.body_state import BodyChange, StateParts

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from numpy.typing import ArrayLike

    from pyrave.bodies.execution import ExecuteOptions, Execution
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot
    from pyrave.environment.files.loader import LoadReport
    from pyrave.geometry import Mesh, Picture
    from pyrave.ik.path import IkPath
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.interfaces.handles import CallbackList, Handle
    from pyrave.interfaces.module import ModuleBase
    from pyrave.interfaces.named_bodies import Bodies
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.interfaces.trajectory import Motion, TrajectoryBase
    from pyrave.planning.query.options import RobotPlanOptions, TogetherPlanOptions
    from pyrave.planning.query.result import PlanResult
    from pyrave.scene import (
        ConstraintDescription,
        FrameDescription,
        IgnoredPair,
        InterfaceDescription,
        MeshReference,
        SceneDescription,
        SimulationDescription,
    )
    from pyrave.sensing.data import LaserData


@methods_suggest
@answers_other_names
class Environment(Closed, RayCasts, Viewing, EnvironmentParts):
    """A world of bodies, robots and sensors; everything in it belongs to one thread.

    ``with env:`` holds its re-entrant lock. Nothing must be closed or destroyed: an
    environment that is no longer referenced goes away with everything in it. Models
    and descriptions are immutable and shared freely between environments and threads.

    Parameters
    ----------
    registry
        Where interfaces come from; None is the process's installed plugins.
    """

    _hot = "check_collision distance lock publish step"
    _unlisted = "body_changed collision_callbacks internals keep_self_checkers"

    def __init__(self, registry: Registry | None = None) -> None:
        self.registry = (registry or default_registry()).child()
        self.internals = Internals()
        """Its parts; private to the room ``pyrave.environment``."""
        self.registry.call_hook("pyrave_environment_created", env=self)
        weakref.finalize(
            self, self.registry.call_hook, "pyrave_environment_closed", env_id=id(self)
        ).atexit = False

    # -- contents ------------------------------------------------------------------

    @property
    def bodies(self) -> NamedCollection[KinBody]:
        """Bodies and robots in the order they were added."""
        return self.internals.contents.bodies

    @property
    def robots(self) -> NamedCollection[Robot]:
        """The bodies that are robots, in the order they were added."""
        return self.internals.contents.robots

    @property
    def sensors(self) -> NamedCollection[SensorBase]:
        """Stand-alone sensors, then those attached to robots (``robot:sensor``)."""
        return self.internals.contents.sensors

    @property
    def modules(self) -> NamedCollection[ModuleBase]:
        """Modules in the order they were added."""
        return self.internals.contents.modules

    @property
    def interfaces(self) -> tuple[InterfaceBase, ...]:
        """Other objects that a scene created and the environment keeps alive."""
        return tuple(self.internals.contents.owned)

    @property
    def placeholders(self) -> tuple[InterfaceDescription, ...]:
        """Descriptions of interfaces that could not be created; kept for saving."""
        return tuple(self.internals.contents.placeholders)

    @property
    def problems(self) -> Problems:
        """Warnings of the last load and every failure of a plugin since then."""
        return Problems(self.internals.record.problems)

    @property
    def user_data(self) -> dict[str, Any]:
        """Free data of scripts and plugins; neither cloned nor saved."""
        return self.internals.user_data

    def remove(self, item: InterfaceBase | str) -> None:
        """Remove a body, sensor or module, given itself or its name.

        Parameters
        ----------
        item
            The object, or its name.

        Raises
        ------
        NotFoundError
            It is not in the environment.
        """
        from pyrave.environment.membership import remove

        with self.internals.lock.hold():
            remove(self, item)

    def reset(self) -> None:
        """Remove all bodies and sensors, reset the modules and set the clock to 0."""
        from pyrave.environment.membership import reset

        with self.internals.lock.hold():
            reset(self)
            self.internals.stepper.time = 0
            self.publish()

    # -- files ---------------------------------------------------------------------

    @shows_options(LoadKeywords)
    def load(
        self,
        source: str | PathLike[str],
        **options: Unpack[LoadKeywords],
    ) -> LoadReport:
        """Read a scene file and add everything in it, or nothing if it has an error.

        Parameters
        ----------
        source
            As for `pyrave.load`.
        strict
            Warnings refuse the scene too; every mesh file is opened, for its problems.
        resource_roots
            Folder or folders that relative names are looked up in, after the file's.
        rename
            Number names that are taken instead of refusing.
        confine
            Refuse every file that is not below a resource root (argument, environment
            variables, data packages), links resolved.
        plugin_paths
            Python file or files that ``<plugin>`` tags of the scene may run by path.
        name
            Name of the body, of a file of any format that holds one.
        prefix
            What goes before the names of links, joints, frames, manipulators and
            sensors, and of bodies where the file holds several, for example ``left_``.
        attributes
            Attributes of OpenRAVE XML's root element, for example ``{"name": "left",
            "prefix": "left_", "scalegeometry": 0.5}``; they win over the file's own.
            Files of other formats take name and prefix.
        package_dirs
            Folder or folders that hold the ROS packages of ``package://`` names.
        allow_code
            Run code that the file itself holds, as xacro files do.
        arguments
            Arguments for xacro files, for example ``{"prefix": "left_"}``.
        fixed_base
            Let physics leave the bases of robots, and of other bodies with joints,
            where they are, as if the file said so.
        joint_limits
            A ``joint_limits.yaml`` of MoveIt: speeds, accelerations and jerks of
            joints go before those of the file, and the default scaling factors apply.
        srdf_file
            An SRDF for a URDF file, in place of one that lies beside it.
        acceleration_time
            Seconds in which joints reach full speed whose file gives no acceleration,
            as URDF never does.

        Returns
        -------
        LoadReport
            What was added, and the warnings.

        Raises
        ------
        ArgumentError
            An option is unknown or has another type.
        SceneError
            With every problem found; the environment is as it was.
        ResourceError
            There is no such file.
        """
        from pyrave.environment.files.loader import load

        chosen = LoadOptions.parse(options, LoadKeywords)
        return load(self, path_of(source, "source"), chosen)

    @shows_options(LoadKeywords)
    def load_string(
        self,
        text: str | bytes,
        **options: Unpack[LoadKeywords],
    ) -> LoadReport:
        """Read a scene from a text, as `load` does from a file."""
        from pyrave.environment.files.loader import load

        return load(self, text_of(text), LoadOptions.parse(options, LoadKeywords))

    @shows_options(ReadKeywords)
    def read(
        self,
        source: str | PathLike[str],
        **options: Unpack[ReadKeywords],
    ) -> SceneDescription:
        """Read a scene file and return its description; nothing is added."""
        from pyrave.environment.files.loader import read

        chosen = LoadOptions.parse(options, ReadKeywords)
        return read(self.registry, path_of(source, "source"), chosen)

    def add_scene(
        self, scene: SceneDescription, *, strict: bool = False, rename: bool = False
    ) -> LoadReport:
        """Build and add everything that a description says, or nothing."""
        from pyrave.environment.files.loader import add_scene

        return add_scene(self, scene, LoadOptions(strict=strict, rename=rename))

    def describe(self) -> SceneDescription:
        """Return the present scene as a description."""
        from pyrave.environment.files.description import describe

        with self.internals.lock.hold():
            return describe(self)

    @shows_options(SaveKeywords)
    def save(
        self,
        target: str | PathLike[str],
        **options: Unpack[SaveKeywords],
    ) -> tuple[str, ...]:
        """Write the scene; the suffix chooses the format.

        Other files are named relative to the target, so that all can be moved together.

        Parameters
        ----------
        target
            The file: ``.env.xml``, ``.robot.xml``, ``.kinbody.xml``, ``.xml``,
            ``.dae``, ``.zae``, ``.urdf``, ``.xacro``, ``.wc.xml``, ``.dwc.xml``, or a
            mesh.
        expand
            Write bodies out (True), or name the files that they came from (False)
            where these files still give them, perhaps at another place and with other
            joint values. None: as is usual in the format, OpenRAVE XML names files and
            COLLADA does not.
        embed_meshes
            Write the triangles of meshes instead of naming their files.
        body
            Write this body alone, for formats that hold one.
        srdf
            Write an SRDF next to URDF: groups, end effectors, pairs that may touch.

        Returns
        -------
        tuple of str
            What the format could not express.
        """
        from pyrave.environment.files.writer import save

        return save(self, target, options)

    def load_mesh(self, reference: MeshReference) -> Mesh:
        """Load a mesh file by the installed mesh readers, once while it is alive.

        Parameters
        ----------
        reference
            File and scale.
        """
        from pyrave.environment.files.shared_meshes import load_shared

        return load_shared(reference, self.registry, self.report_problem)

    # -- engines -------------------------------------------------------------------

    @property
    def gravity(self) -> Array:
        """World gravity, (3,), m/s2; assignable.

        `pyrave.scene.DEFAULT_GRAVITY`, 9.79793 downwards, unless a file says another.
        """
        return self.internals.engines.gravity

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self.internals.engines.set_gravity(gravity)

    @property
    def constraints(self) -> tuple[ConstraintDescription, ...]:
        """Constraints between links, for physics engines; bodies as they are named now.

        A constraint leaves with either of its bodies.
        """
        return self.internals.simulated.constraints

    def add_constraint(self, description: ConstraintDescription) -> None:
        """Tie two links together, or a link to the world, for physics engines.

        Raises
        ------
        ArgumentError, NameConflictError, NotFoundError
            The description has no meaning, its name is taken, or a body or link is
            missing.
        """
        with self.internals.lock.hold():
            bodies = self.internals.contents.body_list
            self.internals.simulated.add("constraints", description, bodies)

    def remove_constraint(self, name: str) -> None:
        """Remove a constraint; `NotFoundError` if there is none of the name."""
        with self.internals.lock.hold():
            self.internals.simulated.remove_constraint(name)

    @property
    def ignored_pairs(self) -> tuple[IgnoredPair, ...]:
        """Pairs of bodies or links that no collision query compares; assignable.

        Sorted, with the present names of the bodies. A pair leaves with either body.
        """
        return self.internals.ignored.describe()

    @ignored_pairs.setter
    def ignored_pairs(self, pairs: Iterable[IgnoredPair]) -> None:
        with self.internals.lock.hold():
            bodies = self.internals.contents.body_list
            self.internals.ignored.replace_all(pairs, bodies)

    def ignore_collisions(
        self,
        first: KinBody | Link | str,
        second: KinBody | Link | str,
        *,
        ignored: bool = True,
    ) -> None:
        """Let no collision query compare two bodies, or links of two bodies.

        Distances do not count them either; rays do not ask.

        Parameters
        ----------
        first, second
            Bodies or links, or their names: ``"mug"``, ``"robot/hand"``.
        ignored
            False: compare them again.

        Raises
        ------
        ArgumentError
            Both are of one body, see `BodyStructure.declare_adjacent`, one is not in
            this environment, or links are to be compared again of bodies that are
            ignored as a whole.
        """
        with self.internals.lock.hold():
            one, other = named_subjects(self, (first, second))
            for subject in (one, other):
                body = subject.body if isinstance(subject, Link) else subject
                if isinstance(body, KinBody) and body not in self.bodies:
                    raise ArgumentError(f"{body!r} is not in this environment")
            self.internals.ignored.set(one, other, ignored)

    @property
    def contact_properties(self) -> ContactProperties:
        """Friction and restitution of materials and types of objects; assignable."""
        return self.internals.record.scene.contact_properties

    @contact_properties.setter
    def contact_properties(self, properties: ContactProperties) -> None:
        self.internals.record.change(
            contact_properties=validated(ContactProperties, properties)
        )

    @property
    def simulation(self) -> SimulationDescription:
        """Controllers, sensors, ... of physics engines; bodies as they are named now.

        What is about a body leaves with it. Assignable; see `SimulationDescription`.
        Robots without a controller get theirs, and `sensors` has objects that measure.
        """
        return self.internals.simulated.describe()

    @simulation.setter
    def simulation(self, simulation: SimulationDescription) -> None:
        with self.internals.lock.hold():
            self.internals.simulated.replace_all(
                simulation, self.internals.contents.body_list
            )
            problems = drive_robots(self, self.simulation.controllers)
            for problem in problems + place_sensors(self):
                self.report_problem(problem)

    @property
    def frames(self) -> tuple[FrameDescription, ...]:
        """Named frames of the world; those of bodies are `KinBody.frames`."""
        return self.internals.record.scene.frames

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
    ) -> bool | CollisionReport:
        """Ask the collision checker whether something collides.

        All links count: a robot whose base stands on a table touches it. Within
        ``with env.collision_checker.moving_links():`` those that its active degrees of
        freedom move do, as in plans.

        Parameters
        ----------
        first
            A body or link, or its name: ``"mug"``, ``"robot/hand"``.
        second
            None: everything else in the environment.
        excluded_bodies, excluded_links
            One or several, or their names, that are left out.
        report
            Return a report, true if there is a collision, instead of a bool.

        Raises
        ------
        ArgumentError
            Something else than bodies and links was given, or a report.
        """
        found = asked_report(report)
        hit = check_collision(
            self, first, second, excluded_bodies, excluded_links, found
        )
        return hit if found is None else found

    def distance(
        self, first: KinBody | Link | str, second: KinBody | Link | str
    ) -> float:
        """Return the signed distance of two bodies or links, given as such or by name.

        Returns
        -------
        float
            Metres, minus the depth where they overlap; infinite if one of them has
            nothing that collides.

        Raises
        ------
        NotSupportedError
            The collision checker knows no distances.
        ArgumentError
            Something else than bodies and links was given.
        """
        checker = self.collision_checker
        checker.synchronise()
        return distance_between(checker, *checked_pair(self, first, second))

    # -- time ----------------------------------------------------------------------

    @overload
    def plan(
        self,
        mover: Robot | Manipulator | str,
        goal: Any,
        **options: Unpack[RobotPlanOptions],
    ) -> PlanResult: ...

    @overload
    def plan(
        self,
        mover: Mapping[Any, Any] | None = None,
        goal: None = None,
        **options: Unpack[TogetherPlanOptions],
    ) -> PlanResult: ...

    @overload
    def plan(
        self, mover: Any = None, goal: Any = None, *, planner: str, **options: Any
    ) -> PlanResult: ...

    def plan(self, mover: Any = None, goal: Any = None, **options: Any) -> PlanResult:
        """Return a motion of a robot or arm to a goal, or of several to theirs.

        Parameters
        ----------
        mover
            Who moves, or a mapping of several of them to their goals: robots and
            manipulators, or their names, ``"robot"`` and ``"robot/arm"``. None with a
            mapping of these as ``values=``.
        goal
            Of one, see `pyrave.planning.plan`. Several move at the same time in one
            trajectory, see `pyrave.planning.plan_together`.
        **options
            Of these functions, and settings of the planner.
        """
        from pyrave.planning.movers import plan_for

        return plan_for(self, mover, goal, options)

    def retime(
        self,
        mover: Robot | Manipulator | str,
        waypoints: ArrayLike | IkPath,
        **options: Any,
    ) -> TrajectoryBase:
        """Return the fastest trajectory along a path, see `pyrave.planning.retime`.

        Parameters
        ----------
        mover
            The robot or arm, or its name.
        **options
            As for `pyrave.planning.retime`.
        """
        from pyrave.planning.movers import named_mover
        from pyrave.planning.timing.retiming import retime

        return retime(named_mover(self, mover), waypoints, **options)

    def execute(
        self, trajectory: TrajectoryBase | Motion, **options: Unpack[ExecuteOptions]
    ) -> Execution:
        """Let the controllers of all robots of a trajectory follow it, in step.

        Options, result and errors are those of `Robot.execute`.
        """
        from pyrave.bodies.execution import execute, robots_of

        return execute(robots_of(self, trajectory), trajectory, **options)

    @property
    def simulation_time(self) -> float:
        """Simulated time, seconds: a whole number of microseconds."""
        # division, unlike a product with 1e-6, gives the float nearest to the decimals
        return self.internals.stepper.time / 1e6

    def step(self, dt: float = 0.01) -> None:
        """Advance the world by `dt` seconds (rounded up to whole microseconds).

        Plugin code that raises does not stop the step: its object is disabled and
        reported in `problems`.

        Raises
        ------
        StateError
            Code that runs in a step asks for another one.
        """
        with self.internals.lock.hold():
            self.internals.stepper.step(self, dt)

    def start(self, dt: float = 0.01, *, realtime: bool = True) -> None:
        """Step in a thread of its own until `stop`, or until the environment is gone.

        Parameters
        ----------
        realtime
            True: one simulated second takes one second; False: as fast as possible.
        """
        self.internals.stepper.start(self, dt, realtime)

    def stop(self) -> None:
        """End the simulation thread; does nothing when none runs."""
        self.internals.stepper.stop()

    @property
    def running(self) -> bool:
        """True while the simulation thread steps."""
        return self.internals.stepper.running

    # -- pictures ------------------------------------------------------------------

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
        trajectory: TrajectoryBase
        | Motion
        | Iterable[TrajectoryBase | Motion]
        | None = None,
    ) -> Picture:
        """Return a picture of what is visible; no display is needed.

        Bodies without a shape are drawn as skeletons. Sensors whose `render_data` is
        on have drawn what they met last, in their `color`.

        Parameters
        ----------
        path
            A file in ``.png``, ``.jpg`` or ``.jpeg`` (with Pillow, of the extra
            ``meshes``) that the picture is written to, too.
        eye
            (3,) where it is taken from, world, metres. None: the scene's own camera,
            if it has one and there is no `target`; else from where most is seen.
        target
            (3,) what is in its middle, or a body or link, or its name, which then
            fills it.
        size
            Width and height, pixels; 960 x 720 unless it says.
        zoom
            Above 1 shows less, larger; below 1 more.
        scans
            What scanners saw, red with its rays if it is one scan; what other sensors
            met (`SensorData.drawn_points`), or points (n, 3), blue; one or several.
        regions
            Corners (n, 3) of a polygon, or what has them as ``points``, as support
            regions do; one or several.
        frames
            Poses, or what has one as ``transform``: links, manipulators, bodies; one or
            several. x is red, y green, z blue.
        trajectory
            Trajectories, plans or joint paths, one or several: the way of the tool of
            what moves, or of its last link; green at the start, red at the end.

        Returns
        -------
        Picture
            (height, width, 3) uint8, rows from the top: an array, which notebooks show.

        Raises
        ------
        ArgumentError
            A name with another ending, a size, place or layer that is none, a
            trajectory of a body that is not here, a file that cannot be written.
        NotSupportedError
            A JPEG file without Pillow.
        ResourceError
            There is no folder for the file.
        """
        from pyrave.environment.display.pictures import picture
        from pyrave.pictures import Viewpoint

        with self.internals.lock.hold():
            return picture(
                self, path, Viewpoint(eye, target, size, zoom),
                scans=scans, regions=regions, frames=frames, trajectory=trajectory,
            )  # fmt: skip

    # -- plugins -------------------------------------------------------------------

    def plugin_settings(self, name: str) -> Mapping[str, Any]:
        """Return the settings of a plugin: its defaults, the user's file, the scene's.

        Parameters
        ----------
        name
            A distribution.
        """
        if not name:
            return {}
        given: list[tuple[str, str]] = []
        for reference in self.internals.record.plugins:
            owners = self.registry.find_plugin(reference.name).records
            if reference.settings and any(one.is_of(name) for one in owners):
                given += reference.settings
        return self.registry.settings(name, given).values

    def report_problem(self, problem: Problem) -> None:
        """Add a problem to `problems` and log it."""
        self.internals.record.report(problem)

    # -- sharing -------------------------------------------------------------------

    def lock(self, timeout: float | None = None) -> AbstractContextManager[None]:
        """Hold the re-entrant lock for a ``with`` block.

        Raises
        ------
        LockTimeoutError
            It was not free within `timeout` seconds.
        """
        return self.internals.lock.hold(timeout)

    def __enter__(self) -> Self:
        self.internals.lock.acquire()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.internals.lock.release()

    @property
    def published(self) -> PublishedState:
        """The state after the last step or `publish`, empty before; needs no lock.

        Any thread may read it; what was loaded or moved since is not in it.
        """
        return self.internals.publisher.state

    def publish(self) -> None:
        """Publish the present state and have viewers show it; every step does so."""
        self.internals.publisher.publish(self)
        self.internals.contents.show(self)

    def preserve_state(self, parts: StateParts = StateParts.ALL) -> EnvironmentSaver:
        """Restore the state of all bodies and the clock at the end of the block.

        Parameters
        ----------
        parts
            What to restore of the bodies.

        Returns
        -------
        EnvironmentSaver
            Its `restore` and `release` put the state back early, or not at all.

        Raises
        ------
        PluginError
            A body's state cannot be read.
        """
        return EnvironmentSaver(self, parts)

    def clone(self) -> Environment:
        """Return a copy with the same models, states and clock.

        Bodies share their compiled models. Simulation threads, callbacks and user data
        are not copied. What is registered in this environment is offered in the copy
        too, as long as it is registered.
        """
        from pyrave.environment.copies import clone

        with self.internals.lock.hold():
            return clone(self)

    def __getstate__(self) -> dict[str, Any]:
        from pyrave.environment.copies import pickle_state

        with self.internals.lock.hold():
            return pickle_state(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        from pyrave.environment.copies import unpickle_state

        unpickle_state(self, state)

    def body_changed(self, body: KinBody, change: BodyChange) -> None:
        """Tell the listeners of `on_body`; bodies call this."""
        if change & BodyChange.SENSORS:
            self.internals.contents.changed()
        if change & (BodyChange.GEOMETRY | BodyChange.DYNAMICS | BodyChange.ADJACENCY):
            self.internals.engines.refit_body(self, body)
        if len(self.internals.events.bodies):
            event = BodyEvent("changed", body, change)
            self.internals.events.bodies(event, self.report_problem)

    # -- events --------------------------------------------------------------------

    def on_body(self, callback: Callable[[BodyEvent], object]) -> Handle:
        """Call back when a body was added, removed or changed, until closed.

        Changes are those of `BodyEvent`: a moved body is not a changed one.
        """
        return self.internals.events.bodies.add(callback)

    @property
    def collision_callbacks(self) -> CallbackList[CollisionReport]:
        """Callbacks of `on_collision`, for collision checkers."""
        return self.internals.events.collisions

    def on_collision(
        self, callback: Callable[[CollisionReport], CollisionAction | None]
    ) -> Handle:
        """Call back for every collision found; the callback may have it ignored.

        pyrave's checkers ask about each pair of geometries that collides while they
        look for more, with a report of that pair: an ignored one hides no other.
        Physics engines ask whether links that touch shall feel each other.
        """
        return self.internals.events.collisions.add(callback)

    def __repr__(self) -> str:
        robots = counted(len(self.robots), "robot")
        parts = [f"{counted(len(self.bodies), 'body')} ({robots})"]
        for noun, found in (("sensor", self.sensors), ("module", self.modules)):
            if len(found):
                parts.append(counted(len(found), noun))
        time = self.simulation_time
        return f"<Environment: {', '.join(parts)}, t = {time:.6f} s>"

    def _repr_html_(self) -> str:
        from pyrave.environment.display.html import environment_card

        return environment_card(self)
