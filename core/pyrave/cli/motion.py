"""Motion of a run: states over time, energies and contacts, kept and plotted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotFoundError, NotSupportedError
from pyrave.files import replaced_file

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.scene import SceneDescription
    from pyrave.spatial import Array

_MAX_BYTES = 2_000_000_000
_NUMBERS = (
    "time", "kinetic_energy", "potential_energy", "contact_force", "penetration",
)  # fmt: skip


def require_endings(record: Path | None, plot: Path | None) -> None:
    """Check where results go, before anything is computed.

    Raises
    ------
    ArgumentError
        A name has another ending.
    NotSupportedError
        Nothing that plots is installed.
    """
    from pyrave.cli.output import require_folder

    if record is not None:
        if record.suffix.lower() != ".npz":
            raise ArgumentError(f"--record is {record.name!r}, expected a name in .npz")
        require_folder(record)
    if plot is not None:
        from pyrave.plots import PLOT_ENDINGS, require_matplotlib

        if plot.suffix.lower() not in PLOT_ENDINGS:
            endings = ", ".join(PLOT_ENDINGS)
            raise ArgumentError(
                f"--plot is {plot.name!r}, expected a name in {endings}"
            )
        require_folder(plot)
        require_matplotlib("--plot")


def choose_engine(env: Environment, scene: SceneDescription, wanted: str | None) -> str:
    """Install the physics engine of a run and return its id.

    Parameters
    ----------
    wanted
        Its id; None: that of the scene, or one that moves bodies for a scene that says
        something for physics engines.
    """
    from pyrave.cli.output import notice

    if wanted is None:
        now = _engine_id(env)
        if (
            now != env.registry.default_id("physicsengine")
            or not scene.asks_for_physics
        ):
            return now
        wanted = env.registry.default_id("physicsengine", "dynamics")
        try:
            env.physics_engine = wanted
        except (NotFoundError, NotSupportedError):
            notice(
                "the scene is made for a physics engine and there is none: nothing "
                "falls; pip install 'pyrave[physics]' brings one"
            )
            return now
    else:
        env.physics_engine = wanted
    return wanted.split()[0]


def _engine_id(env: Environment) -> str:
    """Return the id of the engine, not the old name that a scene calls it by."""
    name = env.physics_engine.interface_id
    return env.registry.alias_target("physicsengine", name) or name


class Motion:
    """The states of an environment after each step of a run.

    Parameters
    ----------
    steps
        How many steps there will be.
    whole
        Whether all states are kept; else energies and contacts alone.
    """

    def __init__(self, env: Environment, steps: int, *, whole: bool) -> None:
        self._env = env
        self._engine = env.physics_engine
        self._bodies = [
            body for body in env.bodies if body.dof or not body.links[0].static
        ]
        self._has_contacts = True
        self._has_physics = _engine_id(env) != env.registry.default_id("physicsengine")
        self.values: dict[str, Array] = {}
        """Arrays whose rows are states, by name: see `add`."""
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(_NUMBERS, ())
        if whole:
            for body in self._bodies:
                shapes[f"{body.name}/transform"] = (4, 4)
                shapes[f"{body.name}/velocity"] = (6,)
                if body.dof:
                    shapes[f"{body.name}/dof_values"] = (body.dof,)
                    shapes[f"{body.name}/dof_velocities"] = (body.dof,)
        size = 8 * (steps + 1) * sum(int(np.prod(one)) for one in shapes.values())
        if size > _MAX_BYTES:
            raise ArgumentError(
                f"{steps} steps of {len(self._bodies)} bodies would keep "
                f"{size / 1e9:.1f} GB, at most {_MAX_BYTES / 1e9:g} are kept; take "
                "fewer steps, a larger --dt, or no --record and no --plot"
            )
        for name, shape in shapes.items():
            self.values[name] = np.full((steps + 1, *shape), np.nan)
        self._whole = whole
        self._row = 0
        self.add()

    def add(self) -> None:
        """Keep the present state: time (s), energies (J), forces (N), depth (m).

        The force is the sum of the sizes of all contact forces, the depth that of the
        deepest contact. Of each body the pose (4, 4), the velocity of its first link
        (6,), linear first, joint values and velocities. What left is NaN.
        """
        row, values = self._row, self.values
        self._row += 1
        values["time"][row] = self._env.simulation_time
        there = set(map(id, self._env.bodies))
        present = [body for body in self._bodies if id(body) in there]
        if self._has_physics:
            self._add_contacts(row)
            if self._whole or row in (0, len(values["time"]) - 1):
                kinetic = sum(body.dynamics.kinetic_energy for body in present)
                values["kinetic_energy"][row] = kinetic
                potential = sum(body.dynamics.potential_energy for body in present)
                values["potential_energy"][row] = potential
        if self._whole:
            for body in present:
                values[f"{body.name}/transform"][row] = body.transform
                values[f"{body.name}/velocity"][row] = body.base_velocity
                if body.dof:
                    values[f"{body.name}/dof_values"][row] = body.dof_values
                    values[f"{body.name}/dof_velocities"][row] = body.dof_velocities

    def _add_contacts(self, row: int) -> None:
        if not self._has_contacts:
            return
        try:
            contacts = self._engine.contacts()
        except NotSupportedError:
            self._has_contacts = False
            return
        forces = [float(np.linalg.norm(one.force)) for one in contacts]
        self.values["contact_force"][row] = sum(forces)
        depth = max((one.depth for one in contacts), default=0.0)
        self.values["penetration"][row] = max(depth, 0.0)

    def summary(self, wall: float) -> dict[str, Any]:
        """Return a summary of the run as data; None for unknown values.

        Parameters
        ----------
        wall
            Seconds that the run took.
        """
        values = self.values
        energy = values["kinetic_energy"] + values["potential_energy"]
        passed = float(values["time"][-1] - values["time"][0])
        deepest = values["penetration"]
        return {
            "physics_engine": _engine_id(self._env),
            "real_time_factor": passed / wall if wall > 0 and passed else None,
            "energy_drift": _number(energy[-1] - energy[0]),
            "largest_penetration": _number(
                np.nanmax(deepest) if np.isfinite(deepest).any() else np.nan
            ),
        }

    def save(self, path: Path) -> None:
        """Write all arrays to an .npz file."""
        with replaced_file(path) as partial:
            np.savez_compressed(partial, allow_pickle=False, **self.values)

    def plot(self, path: Path) -> None:
        """Draw what changes over time."""
        from pyrave.plots.motion import plot_motion

        names = {body.name: body.dof_names for body in self._bodies}
        plot_motion(self.values, names, path)


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
