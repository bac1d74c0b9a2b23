"""Base of the modules: a robot, how it plans, and how motions are handed on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, SettingError, StateError
from pyrave.interfaces import ModuleBase, command, setting
from pyrave.spatial import as_number
from pyrave_manipulation.answers import MotionAnswer, number_text
from pyrave_manipulation.arguments import Words, joined_words

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies import Manipulator, Robot
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array


@dataclass(frozen=True)
class RobotModuleSettings:
    """Settings of all modules of a robot."""

    robot: str = setting("", "name of the robot; the only one there is if left out")
    planner: str = setting("", "id of the planner; the default one if left out")
    maxvelmult: float = setting(
        1.0, "part of the velocity and acceleration limits", above=0.0, most=1.0
    )
    timeout: float = setting(10.0, "for each try of a plan", unit="s", above=0.0)
    seed: int = setting(0, "of everything random; later tries have the next ones")


class RobotModule(ModuleBase):
    """Base of modules with commands for one robot and its active manipulator.

    Words behind the id, and the ``args`` of a scene, are OpenRAVE's: the robot's name,
    then settings with their values.
    """

    contract = 1
    settings_type = RobotModuleSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._goal_paths = 1
        self._post_processing: tuple[tuple[str, str], ...] = ()

    # -- the robot -----------------------------------------------------------------

    @classmethod
    def read_words(cls, owner: str, words: tuple[str, ...]) -> dict[str, Any]:
        """Return the settings of ``ROBOT planner ID maxvelmult NUMBER ...``."""
        named = super().read_words
        if not words or "=" in words[0]:
            return named(owner, words)
        pairs, rest = [f"robot={words[0]}"], list(words[1:])
        while rest:
            name = rest.pop(0)
            if name.lower() == "nograsper":  # as OpenRAVE's modules have it
                pairs.append("graspername=none")
            elif "=" in name:
                pairs.append(name)
            elif rest:
                pairs.append(f"{name.lower()}={rest.pop(0)}")
            else:
                raise SettingError(
                    f"{owner} has the setting {name!r} without a value; expected the "
                    "robot's name, then settings with their values"
                )
        return named(owner, tuple(pairs))

    def main(self, args: str) -> int:
        """Take settings as a scene gives them: ``ROBOT planner ID ...``."""
        if args.strip():
            said = self.read_words(self.interface_id, tuple(args.split()))
            if said.get("robot"):
                said["robot"] = self.env.robots[said["robot"]].name
            self.change_settings(**said)
        return 0

    @property
    def robot(self) -> Robot:
        """The robot that commands are for.

        Raises
        ------
        NotFoundError
            There is none of that name.
        StateError
            No name was given, and the environment has not one robot.
        """
        return self._named_robot()

    def _named_robot(self) -> Robot:
        name, robots = self.settings.robot, self.env.robots
        if name or len(robots) == 1:
            found: Robot = robots[name or 0]
            return found
        raise StateError(
            f"{self!r} is for no robot, and the environment has {len(robots)}: name "
            f"it, env.create('module', {self.interface_id!r}, robot='name')"
        )

    @property
    def arm(self) -> Manipulator:
        """The robot's active manipulator."""
        robot = self.robot
        if not robot.manipulators:
            raise StateError(
                f"{robot!r} has no manipulator; robot.add_manipulator adds one"
            )
        return robot.active_manipulator

    @command(name="SetRobot")
    def set_robot(self, robot: str) -> bool:
        """Take another robot, by name.

        Parameters
        ----------
        robot
            Its name.
        """
        self.change_settings(robot=self.env.robots[robot].name)
        return True

    @command(name="SetMinimumGoalPaths")
    def set_minimum_goal_paths(self, count: int) -> bool:
        """Let plans look for ways to several goals, and take the shortest.

        Parameters
        ----------
        count
            Ways that are looked for, 1 for the first one.
        """
        self._goal_paths = as_whole(count, "count", 1)
        return True

    @command(name="SetPostProcessing")
    def set_post_processing(self, planner: str = "", parameters: Words = None) -> bool:
        """Let planners change the paths of all plans that come.

        Parameters
        ----------
        planner
            Id of a smoother or retimer; empty: pyrave's own timing again.
        parameters
            XML, as inside of a ``<PlannerParameters>`` element.
        """
        text = joined_words(parameters)
        self._post_processing = self._checked_chain(planner, text, "parameters")
        return True

    # -- state ---------------------------------------------------------------------

    def get_own_state(self) -> Any:
        """Return the values that commands have set."""
        return self._goal_paths, self._post_processing

    def set_own_state(self, state: Any) -> None:
        """Go on as another module does."""
        self._goal_paths, self._post_processing = state

    def reset(self) -> None:
        """Forget what commands have set."""
        self._goal_paths, self._post_processing = 1, ()

    # -- plans ---------------------------------------------------------------------

    def plan_options(
        self,
        steplength: float | None = None,
        maxiter: int | None = None,
        planner: str = "",
    ) -> dict[str, Any]:
        """Return the options of a plan that the module's settings and a call say."""
        settings = self.settings
        found: dict[str, Any] = {
            "planner": planner or settings.planner or None,
            "seed": settings.seed,
            "timeout": settings.timeout,
            "speed": settings.maxvelmult,
            "step_length": steplength,
            "max_iterations": maxiter,
        }
        if self._goal_paths > 1:
            found["minimum_goal_paths"] = self._goal_paths
        if found["planner"] is None and self._goal_paths > 1:
            found["planner"] = self.env.registry.default_id("planner")
        return found

    def processing_chain(
        self, planner: str, parameters: Words, both: Any = None
    ) -> tuple[tuple[str, str], ...]:
        """Return the planners that change a path, of a call or of the module."""
        text = joined_words(parameters)
        if both is not None:
            words = both.split(maxsplit=1) if isinstance(both, str) else list(both)
            if not words:
                raise ArgumentError(
                    "postprocessing is empty, expected a planner and its parameters"
                )
            planner, text = words[0], " ".join(words[1:])
        chain = self._checked_chain(planner, text, "postprocessingparameters")
        return chain or self._post_processing

    def _checked_chain(
        self, planner: str, text: str, name: str
    ) -> tuple[tuple[str, str], ...]:
        """Return a planner with its parameters, nothing without one."""
        if not planner:
            if text:
                raise ArgumentError(f"{name} are of no planner: give its id, too")
            return ()
        self.env.create("planner", planner)  # so that a wrong id is told now
        return ((planner, text),)

    # -- motions -------------------------------------------------------------------

    def answer(
        self,
        timed: TrajectoryBase | None,
        cause: str,
        *,
        execute: bool,
        outputtraj: bool,
        values: Array | None = None,
        goal: int = -1,
        words: str = "",
    ) -> MotionAnswer:
        """Execute a motion if that is wanted, and return what a command answers.

        Parameters
        ----------
        words
            Of the answer by text, before the trajectory.
        """
        end = np.zeros(0) if values is None else values
        if timed is None:
            return MotionAnswer(None, cause, end, goal)
        execution = None
        if execute:
            execution = self.robot.execute(timed)
            cause = execution.cause
        said = [words] if words else []
        if outputtraj:
            said.append(timed.to_xml(17))
        return MotionAnswer(timed, cause, end, goal, execution, " ".join(said))

    def final_words(self, values: Array, *, outputfinal: bool) -> str:
        """Return the words of values at the end, if they are wanted."""
        return number_text([values]) if outputfinal else ""


def as_whole(value: Any, name: str, least: int, most: int = 1_000_000) -> int:
    """Return a whole number; ArgumentError for others, and beyond `least` or `most`."""
    number = as_number(value, name)
    if number != int(number) or not least <= number <= most:
        raise ArgumentError(
            f"{name} is {value!r}, expected a whole number from {least} to {most}"
        )
    return int(number)
