"""Savers of body states: restore at the end of a block, or when asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces.base import (
    InterfaceBase,
    author_code,
    read_state,
    write_state,
)
from pyrave.interfaces.kept_state import KeptState
from pyrave.world.body_state import BodyState, StateParts

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.interfaces.controller import ControllerBase


class _Equipment:
    """Controller of a robot, and the states of its sensors and solvers.

    The robot's own state has that of the controller.
    """

    def __init__(self, robot: Any) -> None:
        self._robot = robot
        self._controller = driver = robot.own_controller
        if driver is not None:
            with author_code(driver, "get_control_dof_indices"):
                self._drives = _driven_by(driver)
            self._disabled = driver.disabled
        self._kept = [KeptState(item) for item in _equipment(robot)]

    def put_back_controller(self) -> None:
        """Let the controller drive the robot that did, as it did."""
        robot, driver = self._robot, self._controller
        robot.restore_controller(driver)
        if driver is None:
            return
        with author_code(driver, "init"):
            if _driven_by(driver) != self._drives:
                driver.init(robot, np.array(self._drives[0], np.int64), self._drives[1])
        driver.disabled = self._disabled

    def restore(self) -> None:
        """Put back the states of what the robot has still."""
        there = _equipment(self._robot)
        for kept in self._kept:
            if any(kept.item is item for item in there):
                kept.restore()


def _driven_by(controller: ControllerBase) -> tuple[tuple[int, ...], bool]:
    """Return the degrees of freedom, and whether the base, that it drives."""
    indices = controller.get_control_dof_indices()
    return tuple(np.asarray(indices).tolist()), controller.is_control_transformation()


def _equipment(robot: Any) -> list[InterfaceBase]:
    """Return the sensors and solvers of a robot."""
    items: list[InterfaceBase] = [
        one.sensor for one in robot.attached_sensors if one.has_sensor
    ]
    solvers = [arm.own_ik_solver for arm in robot.manipulators]
    return items + [one for one in solvers if one is not None]


class StateSaver:
    """The state of a body as it was, put back at the end of a ``with`` block.

    Belongs to the body's thread. What it puts back is chosen by `parts`; `REST` of a
    robot is which controller drives what, and the states of the controller, the
    sensors and the IK solvers.

    Parameters
    ----------
    body
        Whose state.
    parts
        What is put back; the rest stays as it is then.
    """

    def __init__(self, body: KinBody, parts: StateParts = StateParts.ALL) -> None:
        self._body: KinBody | None = body
        self._parts = StateParts(parts)
        if int(parts) & ~int(StateParts.ALL):
            raise ArgumentError(f"the state parts {int(parts):#x} have unknown bits")
        self._mark = body.mark
        rest = self._parts & StateParts.REST
        self._equipment = _Equipment(body) if rest and body.is_robot else None
        state: Any = self._mark.state
        if state is None:
            state = self._present(body)
            if _is_plain(body, state):
                self._mark.state = state
        self._state = state

    def _present(self, body: KinBody) -> Any:
        """Return the state of a body as far as it is to be put back."""
        return read_state(body) if self._parts & StateParts.REST else body.basic_state()

    @property
    def body(self) -> KinBody | None:
        """The body, None after `release`."""
        return self._body

    @property
    def parts(self) -> StateParts:
        """The parts that are restored."""
        return self._parts

    def restore(self, body: KinBody | None = None) -> None:
        """Put the state back.

        Parameters
        ----------
        body
            Another body to take the state over, for example a clone's; it needs as
            many links and degrees of freedom, and such a controller. Its sensors stay
            as they are. None is the one it was saved from.

        Raises
        ------
        StateError
            It was released and no body is given.
        ArgumentError
            The state does not fit the body.
        PluginError
            Code of a plugin raised.
        """
        target = self._body if body is None else body
        if target is None:
            raise StateError("the saved state was released; name a body to restore it")
        state = self._state
        known = state is not None and state is self._mark.state
        is_marked = target is self._body and target.mark is self._mark
        if known and is_marked:
            return  # the mark tells of all that is in a plain state
        if is_marked and target.is_robot and not self._parts & StateParts.REST:
            robot: Any = target
            robot.take_choices(state.robot, self._parts)
            return
        if isinstance(state, BodyState) and state.dof_values.size != target.dof:
            raise ArgumentError(
                f"the saved state has {state.dof_values.size} joint values, {target!r} "
                f"has {target.dof}"
            )
        if self._parts != StateParts.ALL and isinstance(state, BodyState):
            present = self._present(target)
            if present.has_parts(state, self._parts):
                return  # and what follows from poses stays known
            state = present.with_parts(state, self._parts)
        if self._equipment is None or target is not self._body:
            write_state(target, state)
            return
        self._equipment.put_back_controller()
        write_state(target, state)
        self._equipment.restore()

    def drop_others(self) -> None:
        """Let the body forget what it holds and did not hold then, if that comes back.

        Who puts back several bodies does this of all first.
        """
        body, state = self._body, self._state
        grabs = self._parts & StateParts.GRABBED
        if body is not None and grabs and isinstance(state, BodyState):
            body.drop_others(state)

    def release(self) -> None:
        """Let go of the body: the end of the block restores nothing."""
        self._body = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._body is not None:
            self.restore()


def _is_plain(body: KinBody, state: Any) -> bool:
    """Return True if the mark of the body says if it is as it was, for any parts."""
    return (
        isinstance(state, BodyState)
        and state.robot is None
        and type(body).get_own_state is InterfaceBase.get_own_state
    )
