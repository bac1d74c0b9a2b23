"""Contents of an environment, in order, with cached read-only views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave import interfaces
from pyrave.bodies.kinbody import KinBody
from pyrave.environment.failures import guarded
from pyrave.interfaces.collection import NamedCollection

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.interfaces.module import ModuleBase
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.interfaces.viewer import ViewerBase
    from pyrave.scene import InterfaceDescription


class Contents:
    """Objects of an environment; `changed` must be called after each change."""

    def __init__(self) -> None:
        self.body_list: dict[str, KinBody] = {}
        self.sensor_list: dict[str, SensorBase] = {}
        self.module_list: dict[str, ModuleBase] = {}
        self.owned: list[InterfaceBase] = []
        self.placeholders: list[InterfaceDescription] = []
        self._views: dict[str, NamedCollection[Any]] = {}
        self._viewers: tuple[ViewerBase, ...] | None = None

    def changed(self) -> None:
        """Forget the cached views."""
        # another thread that makes one puts it where nobody looks any longer
        self._views = {}
        self._viewers = None

    @property
    def bodies(self) -> NamedCollection[KinBody]:
        """All bodies."""
        views = self._views
        view = views.get("bodies")
        if view is None:
            view = NamedCollection(self.body_list.values(), "body")
            views["bodies"] = view
        return view

    @property
    def robots(self) -> NamedCollection[Robot]:
        """The bodies that are robots."""
        views = self._views
        view = views.get("robots")
        if view is None:
            robots = (b for b in tuple(self.body_list.values()) if b.is_robot)
            view = NamedCollection(robots, "robot")
            views["robots"] = view
        return view

    @property
    def stepping(self) -> NamedCollection[KinBody]:
        """The bodies that have something to do in each step."""
        views = self._views
        view = views.get("stepping")
        if view is None:
            idle = KinBody.simulation_step
            stepping = (
                body
                for body in tuple(self.body_list.values())
                if body.is_robot or type(body).simulation_step is not idle
            )
            view = NamedCollection(stepping, "body")
            views["stepping"] = view
        return view

    @property
    def sensors(self) -> NamedCollection[SensorBase]:
        """Stand-alone sensors, then attached ones."""
        views = self._views
        view = views.get("sensors")
        if view is None:
            attached = [
                mounted.sensor
                for robot in self.robots
                for mounted in robot.attached_sensors
                if mounted.has_sensor
            ]
            view = NamedCollection([*self.sensor_list.values(), *attached], "sensor")
            views["sensors"] = view
        return view

    @property
    def viewers(self) -> tuple[ViewerBase, ...]:
        """All viewers."""
        if self._viewers is None:
            found = (
                one for one in self.owned if isinstance(one, interfaces.ViewerBase)
            )
            self._viewers = tuple(found)
        return self._viewers

    def show(self, env: Environment) -> None:
        """Have all viewers show the present state."""
        for viewer in self.viewers:
            if not viewer.disabled:
                with guarded(env, viewer, "its environment_sync() raised"):
                    viewer.synchronise()
                    viewer.environment_sync()

    @property
    def modules(self) -> NamedCollection[ModuleBase]:
        """All modules."""
        views = self._views
        view = views.get("modules")
        if view is None:
            view = NamedCollection(self.module_list.values(), "module")
            views["modules"] = view
        return view
