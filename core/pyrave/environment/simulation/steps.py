"""The simulation step, in its fixed order, and the thread that repeats it."""

from __future__ import annotations

import logging
import math
import threading
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyrave.bodies.kinds import is_robot
from pyrave.environment.failures import fail
from pyrave.errors import (
    ArgumentError,
    LockTimeoutError,
    Problem,
    Severity,
    StateError,
    error_text,
    error_trace,
)

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.interfaces.physicsengine import PhysicsEngineBase

_log = logging.getLogger("pyrave.simulation")
_PATIENCE = 0.05
"""Longest wait for the lock before the thread checks for a stop request, seconds."""


def microseconds(dt: float) -> int:
    """Return seconds as whole microseconds, rounded up; dt must be positive."""
    try:
        known = not isinstance(dt, str) and 0 < float(dt) < 1e9
    except (TypeError, ValueError):
        known = False
    if not known:
        raise ArgumentError(f"dt is {dt!r}, expected a positive number of seconds")
    # a dt meant as whole microseconds must not gain one by its rounding error
    return max(1, math.ceil(dt * 1e6 - 1e-4))


class Stepper:
    """The clock of an environment, its steps, and the thread that repeats them."""

    def __init__(self) -> None:
        self.time = 0
        """Simulated time, whole microseconds, so that steps add up exactly."""
        self._stepping = False
        """True during a step; read and written only with the lock held."""
        self._thread: SimulationThread | None = None
        self._mutex = threading.Lock()
        """Held to see or change who steps; never while waiting for the thread."""

    def set_time(self, ticks: int) -> None:
        """Set the clock, microseconds."""
        if ticks < 0:
            raise ArgumentError(f"simulation time is {ticks}, expected >= 0")
        self.time = int(ticks)

    def step(self, env: Environment, dt: float) -> None:
        """Advance the environment by one step.

        Order: what controllers push with, physics engine, each body and its controller,
        modules, clock, stand-alone sensors, attached sensors: what a sensor sees is
        stamped with the time at which it is so. An object whose step raises is disabled
        and reported.

        Raises
        ------
        StateError
            What the step calls asks for another one.
        """
        ticks = microseconds(dt)
        if self._stepping:
            raise StateError(
                "env.step() is called by code that runs in a step, which would run the "
                "clock away; do it from outside, before or after the step"
            )
        self._stepping = True
        try:
            self._advance(env, ticks)
        finally:
            self._stepping = False

    def _advance(self, env: Environment, ticks: int) -> None:
        seconds = ticks * 1e-6
        env.registry.call_hook("pyrave_step_begin", env=env, dt=seconds)
        engine = env.internals.engines.physics
        if engine is not None:
            for robot in env.robots:
                controller = robot.own_controller
                if controller is not None:
                    _run(env, controller, controller.before_physics, seconds)
            _run(env, engine, _heard(engine), seconds)
        for body in env.internals.contents.stepping:
            _run(env, body, body.simulation_step, seconds)
            controller = body.own_controller if is_robot(body) else None
            if controller is not None:
                _run(env, controller, controller.simulation_step, seconds)
        for module in env.modules:
            _run(env, module, module.simulation_step, seconds)
        self.time += ticks
        for sensor in env.sensors:
            _run(env, sensor, sensor.simulation_step, seconds)
        env.publish()
        env.registry.call_hook("pyrave_step_end", env=env, dt=seconds)

    def start(self, env: Environment, dt: float, realtime: bool) -> None:
        """Let a thread step; of several callers at once one succeeds."""
        with self._mutex:
            if self.running:
                raise StateError("the simulation is running already; stop() it first")
            self._thread = SimulationThread(env, dt, realtime)

    def stop(self) -> None:
        """End the thread if there is one, and wait for it."""
        with self._mutex:
            thread, self._thread = self._thread, None
        # outside of the mutex: who steps may be about to look at it
        if thread is not None:
            thread.stop()

    @property
    def running(self) -> bool:
        """True while a thread steps."""
        thread = self._thread
        return thread is not None and thread.running


def _heard(engine: PhysicsEngineBase) -> Callable[[float], None]:
    """Return a step function that first lets an engine take all changes."""

    def advance(dt: float) -> None:
        engine.synchronise()
        engine.simulate_step(dt)

    return advance


def _run(
    env: Environment, item: InterfaceBase, advance: Callable[[float], Any], dt: float
) -> None:
    if item.disabled:
        return
    # no `PluginGuard`: one for each object and step costs more than many a step
    try:
        advance(dt)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - plugin code may raise anything
        fail(env, item, "its simulation step raised", error)


class SimulationThread:
    """Steps an environment at a fixed rate until stopped or the environment is gone."""

    def __init__(self, env: Environment, dt: float, realtime: bool) -> None:
        period = microseconds(dt) * 1e-6
        stop = self._stop = threading.Event()
        # the end of the environment wakes the thread, however long its period is
        self._env = weakref.ref(env, lambda _: stop.set())
        # daemon: an environment that is never stopped must not keep the process alive
        self._thread = threading.Thread(
            target=_loop,
            args=(self._env, period, realtime, stop),
            name="pyrave-simulation",
            daemon=True,
        )
        self._thread.start()

    @property
    def running(self) -> bool:
        """True while the thread steps."""
        return self._thread.is_alive() and not self._stop.is_set()

    def stop(self) -> None:
        """End the thread and wait for it (unless called from it)."""
        self._stop.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()


def _ended(error: BaseException) -> Problem:
    return Problem(
        Severity.ERROR,
        f"the simulation thread ended: {error_text(error)}",
        hint="start() runs it again",
        traceback=error_trace(error),
        code="simulation-ended",
    )


def _loop(
    ref: weakref.ref[Environment], dt: float, realtime: bool, stop: threading.Event
) -> None:
    due, is_behind = time.perf_counter(), False
    while not stop.is_set():
        env = ref()
        if env is None:
            return
        try:
            with env.lock(_PATIENCE):
                if stop.is_set():
                    return
                env.step(dt)
        except LockTimeoutError:
            # who holds the lock may be waiting in stop() for this thread
            continue
        except BaseException as error:  # noqa: BLE001 - nobody else would hear of it
            env.report_problem(_ended(error))
            return
        finally:
            del env
        due += dt
        wait = due - time.perf_counter()
        if not realtime:
            stop.wait(0)
        elif wait > 0:
            stop.wait(wait)
        elif wait < -10 * dt:
            # it says so once: a simulation that is too slow is so all the time
            level = logging.DEBUG if is_behind else logging.WARNING
            _log.log(level, "simulation is %.3f s behind real time; skipping", -wait)
            due, is_behind = time.perf_counter(), True
