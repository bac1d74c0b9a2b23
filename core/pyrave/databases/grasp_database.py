"""Grasps of a body by a hand: approach rays, rolls, standoffs, preshapes, noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.manipulator import Manipulator
from pyrave.databases.database import Database
from pyrave.databases.keys import body_digest, hand_digest
from pyrave.errors import ArgumentError
from pyrave.grasping import (
    Candidate,
    Grasp,
    Grasper,
    GraspSet,
    box_rays,
    noisy,
    sphere_rays,
)
from pyrave.grasping.grasp_columns import columns_of, grasps_of
from pyrave.grasping.hands import closing_rates, open_values
from pyrave.interfaces.settings.declarations import setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.pictures import Drawing

_EACH = 100
"""Candidates of a task."""
_MOST = 2_000_000
"""Candidates of a database at most."""
_QUARTERS = tuple(0.5 * np.pi * k for k in range(4))
_NO_LINK = -1


@dataclass(frozen=True, slots=True)
class GraspParameters:
    """Grasps that are tried, and those of them that count."""

    friction: float = setting(0.5, "Coulomb's coefficient of contacts", least=0.0)
    rays: Literal["box", "sphere"] = setting("box", "from where hands come")
    box_spacing: float = setting(0.02, "between rays of a box", unit="m", above=0.0)
    sphere_spacing: float = setting(
        0.1, "between rays of a sphere", unit="rad", least=1e-3, most=np.pi
    )
    tilt: float = setting(
        0.0, "of further directions to a ray", unit="rad", least=0.0, most=0.5 * np.pi
    )
    tilt_step: float = setting(0.4, "between these", unit="rad", least=1e-3)
    rolls: tuple[float, ...] = setting(_QUARTERS, "about rays", unit="rad")
    standoffs: tuple[float, ...] = setting(
        (0.0, 0.025), "back from where the hand touched", unit="m", least=0.0
    )
    preshapes: tuple[float, ...] = setting(
        (),
        "values of the gripper's joints at first, one row after the other; empty: open",
    )
    directions: tuple[float, ...] = setting(
        (), "in the hand that go along rays, three numbers each; empty: the arm's"
    )
    noise: float = setting(
        0.0, "by which hands may be off in each of the tries", unit="m", least=0.0
    )
    noise_angle: float = setting(0.0, "the same", unit="rad", least=0.0)
    tries: int = setting(20, "of each grasp with noise, all of which hold", least=1)
    force_closure: bool = setting(True, "False: all grasps that touch count")
    threshold: float = setting(1e-9, "epsilon that force closure takes", least=0.0)
    length: float | None = setting(
        None, "that divides torques; none: half the box's diagonal", unit="m", above=0.0
    )
    edges: int = setting(8, "of friction cones", least=3)
    exact: bool = setting(False, "round friction cones in place of edges")

    def check(self) -> None:
        """Refuse directions that are not three numbers each."""
        if len(self.directions) % 3:
            raise ArgumentError(
                f"directions has {len(self.directions)} numbers, expected three for "
                "each direction"
            )
        if not self.rolls or not self.standoffs:
            raise ArgumentError("rolls or standoffs are empty, expected one at least")


class GraspDatabase(Database):
    """Grasps of a body by the hand of an arm.

    The arm does not count, only its hand: `GraspSet.valid` asks for what an arm can do.

    Parameters
    ----------
    arm
        A manipulator with gripper joints that close.
    target
        The body.
    **parameters
        As `GraspParameters` declares them.

    Raises
    ------
    ArgumentError
        A parameter is wrong, the arm has no gripper joints, or the target no geometry.
    StateError
        Arm or target are in no environment.
    """

    kind = "grasping"
    settings_type = GraspParameters
    takes: ClassVar[Mapping[str, type]] = {
        "manipulator": Manipulator,
        "target": KinBody,
    }

    def __init__(self, arm: Manipulator, target: KinBody, **parameters: Any) -> None:
        super().__init__(arm, target, **parameters)
        self.arm: Manipulator = self.subjects[0]
        self.target: KinBody = self.subjects[1]
        if self.target is self.arm.robot:
            raise ArgumentError(f"target is {target!r}, which is the hand's own robot")
        count = len(closing_rates(self.arm))
        if len(self.settings.preshapes) % count:
            raise ArgumentError(
                f"preshapes has {len(self.settings.preshapes)} numbers, expected "
                f"{count} for each: the hand has as many joints"
            )
        if self.target.local_aabb is None:
            raise ArgumentError(f"{self.target!r} has no geometry to touch")

    @property
    def grasps(self) -> GraspSet:
        """The grasps, the best first; `build` or `load` comes before.

        Raises
        ------
        StateError
            There are no results yet.
        """
        links = self.arm.robot.links
        columns = dict(self.arrays)
        names = ["" if k == _NO_LINK else links[k].name for k in columns.pop("links")]
        columns["links"] = np.array(names, np.str_)
        about = {
            "robot": self.arm.robot.name,
            "manipulator": self.arm.name,
            "target": self.target.name,
            "joints": [self.arm.robot.dof_names[k] for k in self.arm.gripper_indices],
            "parameters": self.parameters,
        }
        return GraspSet(grasps_of(columns, self._score_names), about).sorted("epsilon")

    @property
    def _score_names(self) -> tuple[str, ...]:
        return ("epsilon", "worst") if self._is_noisy else ("epsilon",)

    @property
    def _is_noisy(self) -> bool:
        given: GraspParameters = self.settings
        return given.noise > 0.0 or given.noise_angle > 0.0

    # -- the computation -----------------------------------------------------------

    def _identity(self) -> Mapping[str, object]:
        return {"hand": hand_digest(self.arm), "target": body_digest(self.target)}

    @cached_property
    def _grasper(self) -> Grasper:
        given = self.settings
        return Grasper(
            self.arm,
            self.target,
            friction=given.friction,
            length=given.length,
            edges=given.edges,
            exact=given.exact,
        )

    @cached_property
    def _candidates(self) -> list[Candidate]:
        given = self.settings
        tilts = {"tilt": given.tilt, "tilt_step": given.tilt_step}
        if given.rays == "box":
            rays = box_rays(self.target, given.box_spacing, **tilts)
        else:
            rays = sphere_rays(self.target, given.sphere_spacing, **tilts)
        rates = closing_rates(self.arm)
        shapes = np.reshape(given.preshapes, (-1, len(rates)))
        if not len(shapes):
            shapes = open_values(self.arm)[None]
        ways = np.reshape(given.directions, (-1, 3))
        count = len(rays) * len(shapes) * max(len(ways), 1)
        count *= len(given.rolls) * len(given.standoffs)
        if count > _MOST:
            raise ArgumentError(
                f"these would be {count:,} grasps to try, expected {_MOST:,} at most; "
                "take a larger spacing, or fewer rolls, standoffs and preshapes"
            )
        return list(
            self._grasper.candidates(
                rays,
                rolls=given.rolls,
                standoffs=given.standoffs,
                preshapes=shapes,
                directions=ways if len(ways) else None,
            )
        )

    def _task_count(self) -> int:
        # without any, one task gives empty columns
        return max(-(-len(self._candidates) // _EACH), 1)

    def _compute(self, index: int) -> dict[str, NDArray[Any]]:
        found = []
        some = islice(self._candidates, index * _EACH, (index + 1) * _EACH)
        for number, candidate in enumerate(some):
            grasp = self._grasper.attempt(candidate)
            if grasp is None or not self._holds(grasp):
                continue
            if self._is_noisy:
                seed = self._seed(index * _EACH + number)
                worst = self._worst(candidate, seed)
                if worst is None:
                    continue
                grasp = replace(grasp, scores={**grasp.scores, "worst": worst})
            found.append(grasp)
        return self._columns(found)

    def _holds(self, grasp: Grasp) -> bool:
        least: float = (
            self.settings.threshold if self.settings.force_closure else -np.inf
        )
        return bool(grasp.scores["epsilon"] > least)

    def _worst(self, candidate: Candidate, seed: int) -> float | None:
        """Return the least epsilon of tries with noise, None if one does not hold."""
        given, worst = self.settings, np.inf
        poses = np.tile(candidate.T_target_hand, (given.tries, 1, 1))
        for pose in noisy(poses, given.noise, given.noise_angle, seed=seed):
            grasp = self._grasper.attempt(replace(candidate, T_target_hand=pose))
            if grasp is None or not self._holds(grasp):
                return None
            worst = min(worst, grasp.scores["epsilon"])
        return worst

    def _columns(self, grasps: list[Grasp]) -> dict[str, NDArray[Any]]:
        """Return columns of grasps, with numbers of links for names."""
        columns = columns_of(grasps, self._score_names)
        numbers = {link.name: link.index for link in self.arm.robot.links}
        links = [numbers.get(name, _NO_LINK) for name in columns["links"].tolist()]
        columns["links"] = np.array(links, np.int32)
        k = len(self.arm.gripper_indices)
        for name in ("preshapes", "finals"):
            columns[name] = columns[name].reshape(len(grasps), k)
        return columns

    # -- what was found ------------------------------------------------------------

    def summary(self) -> dict[str, Any]:
        """Return the number of grasps, and their scores."""
        epsilon = self.arrays["scores"][:, 0]
        return {
            "grasps": len(epsilon),
            "epsilon_best": float(epsilon.max()) if len(epsilon) else None,
            "epsilon_median": float(np.median(epsilon)) if len(epsilon) else None,
        }

    def show(self) -> list[Drawing]:
        """Draw the contacts of all grasps on the target where it is."""
        return self.grasps.draw(self.target)
