"""Clones of environments."""

from __future__ import annotations

from typing import Any

import pyrave
from pyrave_openravepy.api.enums import CloningOptions
from pyrave_openravepy.api.environment.life import STEP, EnvironmentLife

__all__ = ["EnvironmentCopies"]

_KEY = "openravepy"


class EnvironmentCopies(EnvironmentLife):
    """The part of `Environment` that copies."""

    def CloneSelf(self, *args: Any) -> Any:
        # (options), or (clonedEnvName, options)
        name, options = ("", *args) if len(args) == 1 else args
        made = type(self)(_copied(self._native, int(options)), str(name))
        made._go_on(self, int(options))
        return made

    def Clone(self, reference: Any, *args: Any) -> None:
        # (reference, options), or (reference, clonedEnvName, options)
        name, options = ("", *args) if len(args) == 1 else args
        made = _copied(reference._native, int(options))
        self._native.stop()
        # objects that scripts have of bodies go on with the bodies of their names
        for body in self._native.bodies:
            known, new = body.user_data.get(_KEY), made.bodies.get(body.name)
            fits = new is not None and new.interface_type == body.interface_type
            if known is not None and new is not None and fits:
                known._native = new
                new.user_data[_KEY] = known
        self._move_locks(made)
        self._take_native(made)
        self._name = str(name) or self._name
        self._go_on(reference, int(options))

    def _move_locks(self, made: pyrave.Environment) -> None:
        """Lock a new environment as often as this thread has locked the old one."""
        for index, native in enumerate(self._held.natives):
            if native is self._native:
                made.__enter__()
                native.__exit__()
                self._held.natives[index] = made

    def _go_on(self, reference: Any, options: int) -> None:
        if options & CloningOptions.Simulation and reference._native.running:
            self._native.start(STEP)
        if options & CloningOptions.Viewer:
            for viewer in reference._native.viewers:
                self._native.show(viewer.interface_id)


def _copied(native: pyrave.Environment, options: int) -> pyrave.Environment:
    """Return a copy without what the options leave out."""
    made = native.clone()
    if not options & CloningOptions.Modules:
        for module in tuple(made.modules):
            made.remove(module)
    if not options & CloningOptions.Sensors:
        attached = {
            mount.sensor
            for robot in made.robots
            for mount in robot.attached_sensors
            if mount.has_sensor
        }
        for sensor in tuple(made.sensors):
            if sensor not in attached:
                made.remove(sensor)
    return made
