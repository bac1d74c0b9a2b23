"""Building of an environment's objects from a scene description."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pyrave import interfaces
from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.kinds import is_robot
from pyrave.environment.failures import failure_problem, problem_at
from pyrave.environment.files.formula_derivatives import partial_problems
from pyrave.environment.files.grabs import restore_grabs
from pyrave.environment.files.package_choice import PackageChoice
from pyrave.environment.files.part_names import faulty_part_names
from pyrave.environment.files.sensor_references import unresolved_references
from pyrave.environment.files.waypoints import other_readables, take_content
from pyrave.environment.ignored_pairs import restore_ignored_pairs
from pyrave.environment.membership import (
    add,
    free_name,
    valid_name,
)
from pyrave.environment.simulation.instruments import drop_sensors
from pyrave.environment.simulation.simulated_parts import restore_simulation
from pyrave.errors import (
    CommandError,
    Error,
    InterfaceNotFoundError,
    PluginError,
    PluginGuard,
    Problem,
    SceneError,
    SettingError,
    Severity,
    did_you_mean,
    error_text,
    error_trace,
)
from pyrave.scene import (
    InterfaceDescription,
    RobotDescription,
    SceneDescription,
    SimulationDescription,
)
from pyrave.texts import name_fault

if TYPE_CHECKING:
    from pyrave.bodies.attached_sensor import AttachedSensor
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.interfaces.controller import ControllerBase
    from pyrave.interfaces.physicsengine import PhysicsEngineBase
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.scene import BodyDescription, Location, Readable


class SceneBuilder:
    """Makes objects (`create`), then adds them (`add`); `undo` takes them out again.

    Every failure of plugin code becomes a warning with its traceback, and the object's
    description is kept as a placeholder.
    """

    def __init__(
        self, env: Environment, scene: SceneDescription, *, rename: bool
    ) -> None:
        self._env = env
        self._scene = scene
        self._rename = rename
        self._pending: list[tuple[InterfaceDescription, InterfaceBase]] = []
        self._renamed: dict[str, KinBody] = {}
        self._sensors: list[tuple[SensorBase, Location | None]] = []
        self._undo: list[Callable[[], object]] = []
        self._makers: dict[tuple[str, str], Callable[[Environment], InterfaceBase]] = {}
        self._chosen_ids: dict[tuple[str, str], str] = {}
        self._packages = PackageChoice(env.registry, scene.plugins)
        env.internals.record.pending = scene.plugins
        self.bodies: list[KinBody] = []
        self.interfaces: list[InterfaceBase] = []
        self.placeholders: list[InterfaceDescription] = []
        self.problems: list[Problem] = []

    # -- first: nothing of this touches the environment -----------------------------

    def create(self) -> None:
        """Make all objects without adding them."""
        taken = set(self._env.bodies.names)
        for where, fault in faulty_part_names(self._scene):
            self._error(where, fault, "invalid-name")
        for description in self._scene.bodies:
            name = self._checked_name(description, taken)
            taken.add(name)
            body = self._body(description)
            if body is not None:
                if name != body.name:
                    body.name = name
                self._renamed[description.name] = body
                self.bodies.append(body)
        sensors = set(self._env.internals.contents.sensor_list)
        for interface in self._scene.interfaces:
            if interface.type == "controller":
                self._robot_of(interface)
            elif interface.type == "sensor" and interface.name:
                name = self._free_sensor_name(interface, sensors)
                sensors.add(name)
                interface = dataclasses.replace(interface, name=name)  # noqa: PLW2901
            self._interface(interface)

    def _free_sensor_name(
        self, description: InterfaceDescription, taken: set[str]
    ) -> str:
        if description.name in taken and not self._rename:
            self._error(
                description.location,
                f"there is a sensor named {description.name!r} already",
                "duplicate-name",
                "rename one, or load with rename=True",
            )
        return free_name(description.name, taken)

    def _checked_name(self, description: BodyDescription, taken: set[str]) -> str:
        name = description.name
        if not valid_name(name):
            self._error(
                description.location,
                f"body name {name!r} is not valid: it {name_fault(name) or 'is empty'}",
                "invalid-name",
            )
        elif name in taken:
            if self._rename:
                return free_name(name, taken)
            self._error(
                description.location,
                f"the environment has a body named {name!r} already",
                "duplicate-name",
                "rename one, or load with rename=True",
            )
        return name

    def _body(self, description: BodyDescription) -> KinBody | None:
        kind = "robot" if isinstance(description, RobotDescription) else "kinbody"
        body = self._create(kind, description.interface, description.location)
        try:
            made = self._initialised(body, description) if body is not None else None
            if made is None:
                made = self._generic(kind, description)
        except SceneError as error:
            self.problems += error.problems
            return None
        except Error as error:
            self._error(description.location, str(error), "invalid-body")
            return None
        if description.joints:
            self.problems += partial_problems(made, description)
        if is_robot(made):
            for mounted in made.attached_sensors:
                self._attached_sensor(mounted)
            for manipulator in made.manipulators:
                self._ik_solver(manipulator)
        return made

    def _generic(self, kind: str, description: BodyDescription) -> KinBody:
        body = self._made(kind, "")
        assert isinstance(body, KinBody)  # noqa: S101 - registry checks
        body.init(description, validate=False)
        return body

    def _initialised(
        self, body: InterfaceBase, description: BodyDescription
    ) -> KinBody | None:
        assert isinstance(body, KinBody)  # noqa: S101 - registry checks
        if not description.interface:
            body.init(description, validate=False)
            return body
        handle = partial(self._failed, description.location, body, "its init() raised")
        with PluginGuard(handle, passes=Error) as guard:
            body.init(description)
        return body if guard.error is None else None

    def _attached_sensor(self, mounted: AttachedSensor) -> None:
        description = mounted.description
        if not description.interface:
            return
        sensor = self._create("sensor", description.interface, description.location)
        if sensor is None:
            return
        assert isinstance(sensor, interfaces.SensorBase)  # noqa: S101 - registry checks
        where = description.location
        if self._take_readables(sensor, description.readables, where) and self._guard(
            where,
            sensor,
            "it could not be attached",
            lambda: setattr(mounted, "sensor", sensor),
        ):
            self._sensors.append((sensor, where))

    def _ik_solver(self, manipulator: Manipulator) -> None:
        wanted = manipulator.description.ik_solver
        if not wanted:
            return
        location = manipulator.description.location
        solver = self._create("iksolver", wanted, location)
        if solver is None:
            return
        assert isinstance(solver, interfaces.IkSolverBase)  # noqa: S101 - registry checks
        handle = partial(self._failed, location, solver, "its init() raised")
        try:
            with PluginGuard(handle, passes=Error):
                manipulator.ik_solver = solver
        except Error as error:
            self._warn(location, str(error), "unfit-ik-solver")

    def _interface(self, description: InterfaceDescription) -> None:
        item = self._create(
            description.type, description.interface, description.location
        )
        said = description
        if isinstance(item, interfaces.TrajectoryBase):
            if not self._take_waypoints(item, description):
                return
            said = other_readables(description)
        if item is None or not self._take_readables(
            item, said.readables, description.location
        ):
            self.placeholders.append(description)
            return
        item.described = True
        item.scene_name = description.name
        item.scene_settings = description.settings
        if isinstance(item, interfaces.SensorBase):
            if description.name:
                item.name = description.name
            if description.pose is not None:
                pose = description.pose.matrix
                self._guard(
                    description.location,
                    item,
                    "its set_transform() raised",
                    lambda: item.set_transform(pose),
                )
        elif isinstance(item, interfaces.ModuleBase) and description.name:
            item.name = description.name
        self._pending.append((description, item))

    def _create(
        self, kind: str, interface: str, location: Location | None
    ) -> InterfaceBase | None:
        try:
            return self._made(kind, self._chosen(kind, interface, location))
        except InterfaceNotFoundError as error:
            wanted = error.interface_id
            suggestion = did_you_mean(wanted, error.available).removeprefix(", ")
            self._warn(
                location,
                f"no installed plugin offers {kind} {wanted!r}",
                "unknown-interface",
                f"{suggestion} `pyrave plugins` lists what is installed".strip(),
                "\n".join(error.failures) or None,
            )
        except SettingError as error:
            self._warn(location, str(error), "invalid-setting", "it is left out")
        except PluginError as error:
            trace = error_trace(error.__cause__ or error)
            # the rest of the text is the same traceback
            message = str(error).partition("\n")[0]
            self._warn(location, message, "plugin-failure", None, trace)
        return None

    def _chosen(self, kind: str, interface: str, location: Location | None) -> str:
        known = self._chosen_ids.get((kind, interface))
        if known is not None:
            return known
        chosen, candidates = self._packages.choose(kind, interface)
        if not candidates:
            self._chosen_ids[kind, interface] = chosen
        else:
            self._warn(
                location,
                f"{kind} {interface!r} is offered by {' and '.join(candidates)}; that "
                f"of {candidates[0]} is used",
                "ambiguous-interface",
                f'write "{candidates[0]}:{interface}", or name the package in a '
                "<plugin> tag",
            )
        return chosen

    def _made(self, kind: str, interface: str) -> InterfaceBase:
        """Create as `Environment.create` does; equal ones are looked up only once."""
        env, key = self._env, (kind, interface)
        maker = self._makers.get(key)
        if maker is None:
            maker = self._makers[key] = env.registry.maker(kind, interface)
        item = maker(env)
        if env.registry.has_hook("pyrave_interface_created"):
            env.registry.call_hook("pyrave_interface_created", env=env, interface=item)
        return item

    def _take_waypoints(
        self, item: TrajectoryBase, description: InterfaceDescription
    ) -> bool:
        """Return False if a trajectory could not be filled, which is reported."""
        with PluginGuard() as guard:
            take_content(item, description)
        if isinstance(guard.error, SceneError):
            self.problems += guard.error.problems
        elif guard.error is not None:
            where = description.location
            self._failed(where, item, "it could not take its waypoints", guard.error)
            self.placeholders.append(description)
        return guard.error is None

    def _take_readables(
        self,
        item: InterfaceBase,
        readables: tuple[tuple[str, Readable], ...],
        location: Location | None,
    ) -> bool:
        seen: set[str] = set()
        for key, readable in readables:
            put = item.add_readable if key.lower() in seen else item.set_readable
            what = f"it could not take its {key!r} data"
            if not self._guard(location, item, what, partial(put, key, readable)):
                return False
            seen.add(key.lower())
        return True

    # -- then: the environment changes ----------------------------------------------

    def add(self) -> None:
        """Add everything that was made."""
        env = self._env
        self._undo.append(env.internals.engines.saved_gravity(env))
        for body in self.bodies:
            # first: an addition that fails half-way is undone too
            self._undo.append(partial(self._take_out, body))
            add(env, body)
        if self._scene.gravity is not None:
            env.gravity = self._scene.gravity
        for body, known in zip(self.bodies, self._scene.bodies, strict=True):
            if known.commands:
                self._send(body, known.commands, known.location)
            if is_robot(body):
                for mounted in body.attached_sensors:
                    if mounted.has_sensor:
                        self._send(
                            mounted.sensor,
                            mounted.description.commands,
                            mounted.description.location,
                        )
        scene, bodies = self._scene, self._renamed
        if scene.grabs:
            self.problems += restore_grabs(scene, bodies)
        if scene.ignored_pairs:
            self.problems += restore_ignored_pairs(env, scene, bodies)
        if scene.constraints or scene.simulation != SimulationDescription():
            # the last one is undone first
            self._undo.append(partial(drop_sensors, env))
            self._undo.append(env.internals.simulated.saved())
            self.problems += restore_simulation(env, scene, bodies, rename=self._rename)
        for description, item in self._pending:
            if self._add_interface(description, item):
                self.interfaces.append(item)
                self._send(item, description.commands, description.location)
                if isinstance(item, interfaces.SensorBase):
                    self._sensors.append((item, description.location))
            else:
                self.placeholders.append(description)
        if self._sensors:
            self.problems += unresolved_references(self._sensors, self._scene)
        kept = env.internals.contents.placeholders
        before = len(kept)
        kept += self.placeholders
        self._undo.append(lambda: kept.__delitem__(slice(before, None)))

    def _add_interface(
        self, description: InterfaceDescription, item: InterfaceBase
    ) -> bool:
        env, where = self._env, description.location
        if isinstance(item, interfaces.ControllerBase):
            return self._bind(description, item)
        if isinstance(item, interfaces.PhysicsEngineBase):
            engine = env.internals.engines.physics
            state = None if engine is None else engine.get_state()
            self._undo.append(lambda: self._put_back(engine, state))
        elif isinstance(item, interfaces.CollisionCheckerBase):
            engines = env.internals.engines
            put_back = partial(engines.install, env, "checker", engines.checker)
            self._undo.append(put_back)
        else:
            self._undo.append(lambda: self._take_out(item))
        return self._guard(
            where,
            item,
            "it could not be added",
            lambda: env.add(item, rename=self._rename, args=description.args),
        )

    def _put_back(self, engine: PhysicsEngineBase | None, state: Any) -> None:
        engines = self._env.internals.engines
        if engines.physics is not engine:
            engines.install(self._env, "physics", engine)
            if engine is not None:
                engine.set_state(state)

    def _take_out(self, item: InterfaceBase) -> None:
        env = self._env
        held = (*env.bodies, *env.sensors, *env.modules, *env.interfaces)
        if any(item is other for other in held):
            env.remove(item)

    def _robot_of(self, description: InterfaceDescription) -> Robot | None:
        """Return the robot of a controller; an error if there is none."""
        wanted = description.robot
        body = self._renamed.get(wanted) or self._env.bodies.get(wanted)
        if is_robot(body):
            return body
        if any(robot.name == wanted for robot in self._scene.robots):
            return None  # it could not be made, which is reported already
        if not wanted or body is not None:
            self._warn_unused(description)
            return None
        names = dict.fromkeys(
            (*(r.name for r in self._scene.robots), *self._env.robots.names)
        )
        self._error(
            description.location,
            f"controller {description.interface!r} is for a robot, but {wanted!r} is "
            f"none{did_you_mean(wanted, names)}",
            "unknown-robot",
            f"robots: {', '.join(names) or 'none'}",
        )
        return None

    def _warn_unused(self, description: InterfaceDescription) -> None:
        """Say once that a controller has no robot; a reader may have said it."""
        where = description.location
        place = (None, None) if where is None else (where.file, where.line)
        for one in (*self._scene.problems, *self.problems):
            if one.code == "unused-controller" and place == (one.file, one.line):
                return
        robot = description.robot
        found = f"{robot!r} is no robot" if robot else "it names no robot"
        self._warn(
            where,
            f"controller {description.interface!r} is ignored: {found}",
            "unused-controller",
        )

    def _bind(self, description: InterfaceDescription, item: ControllerBase) -> bool:
        where = description.location
        robot = self._robot_of(description)
        if robot is None:
            return False
        indices: list[int] | None = None
        if description.joints:
            indices = []
            for name in description.joints:
                if name not in robot.model.joint_names:
                    self._warn(
                        where,
                        f"{robot.name!r} has no joint {name!r}"
                        f"{did_you_mean(name, robot.model.joint_names)}",
                        "unknown-joint",
                    )
                    continue
                joint = robot.all_joints[robot.model.joint_number(name)]
                if joint.dof_index >= 0:
                    first = joint.dof_index
                    indices += range(first, first + joint.dof)
        previous = robot.own_controller
        self._undo.append(lambda: robot.restore_controller(previous))
        bound = self._guard(
            where,
            item,
            "its init() raised",
            lambda: robot.set_controller(
                item, indices, control_transform=description.control_transform
            ),
        )
        if not bound:
            robot.restore_controller(previous)
        return bound

    def _send(
        self,
        item: InterfaceBase,
        commands: tuple[str, ...],
        location: Location | None,
    ) -> None:
        if not commands:
            return
        item.scene_commands = commands
        for text in commands:
            answer: str | None = None
            with PluginGuard() as guard:
                answer = item.send_command(text)
            message = f"command {text!r} of {item!r} returned False"
            if isinstance(guard.error, CommandError):
                message = str(guard.error)
            elif guard.error is not None:
                what = f"its command {text!r} raised"
                self._failed(location, item, what, guard.error)
                continue
            if answer is None:
                self._warn(location, message, "command-failed")

    def keep(self) -> None:
        """Make what was added stay; `undo` does nothing any more."""
        # the steps refer to the builder: without them it goes away by itself
        self._undo.clear()

    def undo(self) -> None:
        """Take out again what `add` added."""
        while self._undo:
            try:
                self._undo.pop()()
            except BaseException as error:  # noqa: BLE001 - the rest must be undone
                text = f"a refused scene is not taken out wholly: {error_text(error)}"
                self._env.report_problem(
                    problem_at(
                        None, text, code="plugin-failure", trace=error_trace(error)
                    )
                )

    # -- problems --------------------------------------------------------------------

    def _guard(
        self,
        location: Location | None,
        item: InterfaceBase,
        what: str,
        function: Callable[[], Any],
    ) -> bool:
        with PluginGuard(partial(self._failed, location, item, what)) as guard:
            function()
        return guard.error is None

    def _failed(
        self,
        location: Location | None,
        item: InterfaceBase,
        what: str,
        error: BaseException,
    ) -> None:
        self.problems.append(
            failure_problem(
                item,
                what,
                error,
                outcome="does not work",
                hint="fix or update the plugin",
                location=location,
            )
        )

    def _warn(
        self,
        location: Location | None,
        message: str,
        code: str,
        hint: str | None = None,
        trace: str | None = None,
    ) -> None:
        self.problems.append(
            problem_at(location, message, code=code, hint=hint, trace=trace)
        )

    def _error(
        self,
        location: Location | None,
        message: str,
        code: str,
        hint: str | None = None,
    ) -> None:
        problem = problem_at(location, message, code=code, hint=hint)
        self.problems.append(dataclasses.replace(problem, severity=Severity.ERROR))
