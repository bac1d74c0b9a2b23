"""Reports of elements that do not act as described, once each."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pyrave.errors import Problem, Severity
from pyrave_mujoco.overlaps import false_overlaps
from pyrave_mujoco.unsupported_robots import unheld

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.spatial import Array
    from pyrave_mujoco.scene import Scene
    from pyrave_mujoco.settings import MujocoSettings


class Reports:
    """Adds warnings to the problems of an environment, each once.

    Parameters
    ----------
    env
        The environment.
    """

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._reported: set[tuple[str, ...]] = set()
        self._weighed: set[str] = set()

    def on_making(self, scene: Scene, settings: MujocoSettings) -> None:
        """Report parts of a new scene that are not simulated, or not as described."""
        self._other_settings()
        self._overlaps(scene, settings)
        for body, note in [*scene.notes, *self._idle_controllers()]:
            if self._is_new(body, note):
                text = (
                    f"body {body!r}: {note}" if body else f"{note}: not simulated yet"
                )
                self._warn(text, "not-simulated")

    def on_stepping(self, scene: Scene, gravity: Array) -> None:
        """Name robots that start to fall, when they are first simulated."""
        if scene.is_weighed:
            return
        scene.is_weighed = True
        names = {part.body.name for part in scene.parts}
        if names <= self._weighed:
            return
        for body in unheld(scene, gravity):
            if body.name not in self._weighed:
                self._falls(body)
        self._weighed |= names

    def _is_new(self, *note: str) -> bool:
        """Return True if something was not said before; it is said then."""
        known = note in self._reported
        self._reported.add(note)
        return not known

    def _warn(self, text: str, code: str, hint: str = "") -> None:
        problem = Problem(Severity.WARNING, f"mujoco: {text}", hint=hint, code=code)
        self._env.report_problem(problem)

    def _idle_controllers(self) -> Iterator[tuple[str, str]]:
        """Yield controllers of the scene that drive nothing."""
        driving = set()
        for robot in self._env.robots:
            own = robot.own_controller
            if own is not None:
                parts = getattr(own, "controllers", ())
                driving |= {one.scene_name for one in (own, *parts)}
        for one in self._env.simulation.controllers:
            if one.name not in driving:
                note = f"the controller {one.name!r} of the scene does not drive it"
                yield one.body, note

    def _other_settings(self) -> None:
        """Report settings of the scene that are those of other engines."""
        given = self._env.simulation.settings
        names = ", ".join(dict.fromkeys(name for name, _ in given))
        if names and self._is_new("", names):
            self._warn(
                f"the settings {names} of the scene are those of another engine and "
                "mean nothing here",
                "not-simulated",
                "engine.settings has those of this one",
            )

    def _overlaps(self, scene: Scene, settings: MujocoSettings) -> None:
        """Name links that push each other although their meshes are apart."""
        other_way, brings = "faces", ""
        if settings.concave_meshes == "faces":
            other_way = "pieces"
            if find_spec("coacd") is None:
                brings = ", after pip install 'pyrave[convex]',"
        for one, other, depth in false_overlaps(self._env, scene, scene.inexact):
            pair = f"{one.body.name}/{one.name}", f"{other.body.name}/{other.name}"
            if self._is_new(*pair):
                self._warn(
                    f"the links {pair[0]!r} and {pair[1]!r} push each other apart: "
                    "their meshes do not touch, and what stands for these in the "
                    f"engine overlaps by {1e3 * depth:.3g} mm",
                    "hulls-overlap",
                    f"concave_meshes={other_way!r} in the engine's settings{brings} or "
                    "a mesh of fewer faces fits better; env.ignored_pairs lets the two "
                    "pass",
                )

    def _falls(self, body: KinBody) -> None:
        self._warn(
            f"nothing holds the robot {body.name!r}: its base {body.links[0].name!r} "
            "is free to fall or tip over",
            "free-base",
            f"load(..., fixed_base=True) or env.bodies[{body.name!r}].links[0].static "
            "= True holds it; files say it by a root link 'world', <static>, a fixed "
            'virtual_joint or <body type="static">',
        )
