"""`Planner`: finds trajectories, or changes them."""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.enums import ErrorCode, PlannerAction
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.handles import VoidHandle
from pyrave_openravepy.api.foundation.objects import as_native, register_kind
from pyrave_openravepy.api.interface import Interface
from pyrave_openravepy.api.motion.configuration_space import fill_space
from pyrave_openravepy.api.motion.planner_parameters import PlannerParameters
from pyrave_openravepy.api.motion.planner_status import PlannerProgress, PlannerStatus

__all__ = ["Planner"]


class Planner(Interface):
    """Finds trajectories for parameters, or changes those that it is given."""

    PlannerParameters = PlannerParameters

    def __init__(self, native: Any) -> None:
        super().__init__(native)
        self._given: PlannerParameters | None = None

    def InitPlan(
        self, robot: Any, params: Any = None, releasegil: bool = False, **named: Any
    ) -> PlannerStatus:
        """Take a problem: parameters, or the text of a ``<PlannerParameters>``."""
        given = named.get("xmlparams", params)
        mover = as_native(robot)
        if isinstance(given, str):
            given = _parameters_of(given, mover)
        if not isinstance(given, PlannerParameters):
            raise openrave_exception(
                f"InitPlan is given {type(given).__name__}, expected PlannerParameters "
                "or their XML as text",
                ErrorCode.InvalidArguments,
            )
        native = self._native
        searches = getattr(native, "finds_paths", False) and not native.needs_path
        problem = given._problem(finds_paths=bool(searches))
        if mover is None and given._robot is not None and searches:
            # the space is that of a robot, whose collisions count
            mover = given._robot
        self._given = given
        # the simulation runs in another thread
        with native.env.lock():
            return self._status(native.init_plan(mover, problem))

    def PlanPath(self, traj: Any, releasegil: bool = True) -> PlannerStatus:
        with self._native.env.lock():
            return self._status(self._native.plan_path(as_native(traj)))

    def GetParameters(self) -> Any:
        """Return the parameters in use, None without any."""
        native = self._native.get_parameters()
        return None if native is None else PlannerParameters._of(native)

    def RegisterPlanCallback(self, callback: Any) -> VoidHandle:
        """Ask a function while planning, until the handle is closed or dropped."""
        from pyrave.interfaces import PlannerAction as NativeAction

        actions = {
            int(PlannerAction.Interrupt): NativeAction.INTERRUPT,
            int(PlannerAction.ReturnWithAnySolution): (
                NativeAction.RETURN_WITH_ANY_SOLUTION
            ),
        }

        def decide(progress: Any) -> Any:
            answer = callback(PlannerProgress(progress.iteration))
            return actions.get(int(answer or 0), NativeAction.CONTINUE)

        return VoidHandle(self._native.register_progress_callback(decide))

    def _status(self, native: Any) -> PlannerStatus:
        return PlannerStatus._of(native, self.GetXMLId())


def _parameters_of(text: str, robot: Any) -> PlannerParameters:
    """Return the parameters of a text; what it has no space for is the robot's."""
    from pyrave.interfaces import PlannerParameters as NativeParameters

    given = NativeParameters()
    given.read_xml(text)
    made = PlannerParameters()
    if robot is not None and not given.dof:
        made._robot = robot
        made._native.set_robot_active_joints(robot)
    elif robot is not None:
        fill_space(made._native, robot.env, given.specification)
    made._native.read_xml(text)
    made._post = given.post_processing or None
    if "<_postprocessing" in text.lower():
        made._post = given.post_processing
    return made


register_kind("planner", Planner)
