"""Several controllers for one robot, each for some of its joints."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotFoundError
from pyrave.interfaces.controller import ControllerBase
from pyrave.interfaces.settings.parts import as_part
from pyrave.interfaces.settings.words import join_words
from pyrave.spatial import Array, Indices, IndicesLike, as_indices, as_vector
from pyrave.trajectories.specification import ConfigurationSpecification

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.trajectory import TrajectoryBase

_BASE = -1


@dataclass(frozen=True, slots=True)
class _Part:
    """One attached controller."""

    controller: ControllerBase
    dofs: tuple[int, ...]
    transform: bool


class GenericMultiController(ControllerBase):
    """Split a robot's degrees of freedom between other controllers.

    Goals and trajectories are cut into one part for each attached controller. The
    robot's base belongs to one of them at most. Degrees of freedom that nobody drives
    are ignored. Controllers for whom a trajectory has nothing go on with what they were
    told.
    """

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._robot: weakref.ref[Robot] | None = None
        self._indices = as_indices((), "dof_indices")
        self._control_transform = False
        self._parts: list[_Part] = []
        # had something else to do when a path without them began
        self._busy: list[ControllerBase] = []

    # -- parts ---------------------------------------------------------------------

    @property
    def controllers(self) -> tuple[ControllerBase, ...]:
        """The attached controllers in order."""
        return tuple(part.controller for part in self._parts)

    def attach_controller(
        self,
        controller: ControllerBase | str,
        dof_indices: IndicesLike,
        control_transform: bool = False,
        **settings: Any,
    ) -> ControllerBase:
        """Give degrees of freedom to a controller, and initialise it.

        Parameters
        ----------
        controller
            An object or an id.
        dof_indices
            Indices into ``robot.dof_values``; among those of this controller.
        control_transform
            Whether it drives the base.
        **settings
            Of the controller of an id.

        Raises
        ------
        ArgumentError, SettingError
            A degree of freedom is not this controller's, or is taken already; this is
            no controller, or one that is attached.
        StateError
            This controller has no robot yet.
        """
        robot = self.require_robot()
        indices = as_indices(dof_indices, "dof_indices")
        dofs = tuple(indices.tolist())
        for dof in dofs:
            if dof not in self._indices:
                raise ArgumentError(
                    f"dof {dof} is not controlled by {self!r}, which has "
                    f"{self._indices.tolist()}"
                )
            owner = self.get_controller(dof)
            if owner is not None:
                raise ArgumentError(f"dof {dof} is driven by {owner!r} already")
        if len(set(dofs)) != len(dofs):
            raise ArgumentError(f"dof indices {list(dofs)} repeat")
        if control_transform:
            if not self._control_transform:
                raise ArgumentError(f"{self!r} does not drive the robot's base")
            owner = self.get_controller(_BASE)
            if owner is not None:
                raise ArgumentError(f"the base is driven by {owner!r} already")
        made: ControllerBase = as_part(
            self.env, ControllerBase, controller, settings, what="controller"
        )
        if made is self or made in self.controllers:
            raise ArgumentError(f"{made!r} is attached already")
        made.init(robot, indices, bool(control_transform))
        self._parts.append(_Part(made, dofs, bool(control_transform)))
        return made

    def remove_controller(self, controller: ControllerBase) -> None:
        """Take an attached controller's degrees of freedom away from it.

        Raises
        ------
        NotFoundError
            It is not attached.
        """
        kept = [part for part in self._parts if part.controller is not controller]
        if len(kept) == len(self._parts):
            raise NotFoundError(
                "attached controller", controller, map(repr, self.controllers)
            )
        self._parts = kept
        self._busy = [one for one in self._busy if one is not controller]

    def get_controller(self, dof: int) -> ControllerBase | None:
        """Return the controller of a degree of freedom (-1: the base), or None."""
        for part in self._parts:
            if dof in part.dofs or (dof == _BASE and part.transform):
                return part.controller
        return None

    # -- life ----------------------------------------------------------------------

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over a robot; controllers are attached afterwards."""
        self._robot = weakref.ref(robot)
        self._indices = as_indices(dof_indices, "dof_indices")
        self._control_transform = bool(control_transform)
        self._parts.clear()
        self._busy.clear()

    def get_control_dof_indices(self) -> Indices:
        """Return (n,) int64, the degrees of freedom given to `init`, in that order."""
        return self._indices

    def is_control_transformation(self) -> bool:
        """Return True if the controller drives the base pose."""
        return self._control_transform

    def get_robot(self) -> Robot | None:
        """Return the robot given to `init`, None before or when it is gone."""
        return None if self._robot is None else self._robot()

    def reset(self, options: int = 0) -> None:
        """Drop the commands of all parts."""
        self._busy.clear()
        for part in self._parts:
            part.controller.reset(options)

    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Command a goal, cut into one part for each controller.

        Parameters
        ----------
        values
            (n,) in the order of `get_control_dof_indices`.
        transform
            (4, 4) goal of the base, for the controller that drives it.

        Returns
        -------
        bool
            False if any part refuses.
        """
        wanted = as_vector(values, len(self._indices), "values of set_desired")
        if transform is not None and self.get_controller(_BASE) is None:
            raise ArgumentError(
                f"no controller of {self!r} drives the base; leave out the transform"
            )
        self._busy.clear()
        place = {dof: k for k, dof in enumerate(self._indices.tolist())}
        accepted = [
            part.controller.set_desired(
                wanted[[place[dof] for dof in part.dofs]],
                transform if part.transform else None,
            )
            for part in self._parts
        ]
        return all(accepted)

    def set_path(self, trajectory: TrajectoryBase | None) -> bool:
        """Give each controller its columns of a trajectory; None stops all.

        Controllers for whom the trajectory has nothing go on with what they were told.
        Grabbing is left to the controller of the base, or else to the first.

        Returns
        -------
        bool
            False if a part refuses, which stops the others that were given theirs, or
            if the trajectory has nothing for any.
        """
        if trajectory is None:
            self._busy.clear()
            stopped = [part.controller.set_path(None) for part in self._parts]
            return all(stopped)
        robot = self.require_robot()
        grabber = next((p for p in self._parts if p.transform), None)
        grabber = grabber or next(iter(self._parts), None)
        pieces = [
            (
                part.controller,
                _piece(self.env, trajectory, robot, part, part is grabber),
            )
            for part in self._parts
        ]
        busy = [one for one, piece in pieces if piece is None and not one.is_done()]
        given: list[ControllerBase] = []
        for controller, piece in pieces:
            if piece is None:
                continue
            if not controller.set_path(piece):
                for one in given:
                    one.set_path(None)
                return False
            given.append(controller)
        self._busy = busy
        return bool(given)

    def before_physics(self, dt: float) -> None:
        """Let all parts push."""
        for part in self._parts:
            part.controller.before_physics(dt)

    def simulation_step(self, dt: float) -> None:
        """Step all parts."""
        for part in self._parts:
            part.controller.simulation_step(dt)

    def is_done(self) -> bool:
        """Return True when all parts are done.

        Those do not count that a path leaves out, and that were not done when it began:
        wheels that turn, a gripper that closes.
        """
        return all(
            part.controller.is_done()
            for part in self._parts
            if part.controller not in self._busy
        )

    def get_time(self) -> float:
        """Return the latest of the parts' times, seconds."""
        return max((part.controller.get_time() for part in self._parts), default=0.0)

    def get_velocity(self) -> Array:
        """Return the parts' commanded velocities, (n,); 0 for those nobody drives."""
        return self._collect(lambda controller: controller.get_velocity())

    def get_torque(self) -> Array:
        """Return the parts' commanded efforts, (n,); 0 for those nobody drives."""
        return self._collect(lambda controller: controller.get_torque())

    def get_own_state(self) -> Any:
        """Return the parts by id, with their states."""
        return tuple(
            (
                join_words((part.controller.interface_id, *part.controller.id_words)),
                part.dofs,
                part.transform,
                part.controller.get_state(),
                part.controller.scene_name,
                part.controller in self._busy,
            )
            for part in self._parts
        )

    def set_own_state(self, state: Any) -> None:
        """Attach what a twin has, and take over the states of the parts."""
        present = [
            (
                join_words((p.controller.interface_id, *p.controller.id_words)),
                p.dofs,
                p.transform,
            )
            for p in self._parts
        ]
        if present != [item[:3] for item in state]:
            self._parts.clear()
            for interface, dofs, transform, *_ in state:
                self.attach_controller(interface, dofs, transform)
        self._busy.clear()
        for part, (*_, inner, name, busy) in zip(self._parts, state, strict=True):
            part.controller.scene_name = name
            part.controller.set_state(inner)
            if busy:
                self._busy.append(part.controller)

    # -- inside --------------------------------------------------------------------

    def _collect(self, read: Callable[[ControllerBase], Array]) -> Array:
        values = dict.fromkeys(self._indices.tolist(), 0.0)
        for part in self._parts:
            own = zip(part.dofs, read(part.controller), strict=True)
            values.update((dof, float(value)) for dof, value in own)
        return np.array(list(values.values()), dtype=np.float64)


def _piece(
    env: Environment,
    trajectory: TrajectoryBase,
    robot: Robot,
    part: _Part,
    grabs: bool,
) -> TrajectoryBase | None:
    """Return the part of a trajectory for one controller, None if it is empty."""
    source = trajectory.spec
    spec = ConfigurationSpecification()
    useful = False
    for group in source.groups:
        own = group.body_name in {"", robot.name}
        if group.kind.startswith("joint_"):
            kept = [i for i in group.joint_indices.tolist() if own and i in part.dofs]
            if kept:
                words = " ".join(map(str, kept))
                name = f"{group.kind} {robot.name} {words}"
                spec = spec.add_group(name, len(kept), group.interpolation)
                useful = True
        elif group.kind.startswith("affine_"):
            if own and part.transform:
                spec = spec.add_group(group.name, group.dof, group.interpolation)
                useful = True
        elif group.kind in {"grab", "grabbody"}:
            if grabs:
                spec = spec.add_group(group.name, group.dof, group.interpolation)
                useful = True
        else:
            spec = spec.add_group(group.name, group.dof, group.interpolation)
    if not useful:
        return None
    piece = type(trajectory)(env, *trajectory.args)
    piece.init(spec)
    piece.insert(0, trajectory.get_waypoints(), source)
    return piece
