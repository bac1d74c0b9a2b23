"""Sets of grasps: sorted, filtered by what an arm can do now, drawn, kept in files."""

from __future__ import annotations

import json
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.cards import counted
from pyrave.errors import ArgumentError, ResourceError, StateError, shown
from pyrave.files import read_file, write_file
from pyrave.grasping.grasp import Grasp
from pyrave.grasping.grasp_columns import columns_of, grasps_of
from pyrave.grasping.hands import as_manipulator, as_target
from pyrave.spatial import invert_pose
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.pictures import Drawing

_FORMAT, _VERSION = "pyrave-grasps", 1
_MAX_BYTES = 1 << 30
_ARROW = 0.03
"""Metres of a drawn contact normal."""


class GraspSet(Sequence[Grasp]):
    """Grasps in an order, and what they are of; immutable.

    Parameters
    ----------
    grasps
        In their order.
    about
        Names and numbers that JSON can hold: robot, manipulator, target, ...
    """

    def __init__(
        self, grasps: Iterable[Grasp] = (), about: Mapping[str, Any] | None = None
    ) -> None:
        self._grasps = tuple(grasps)
        for k, one in enumerate(self._grasps):
            if not isinstance(one, Grasp):
                raise ArgumentError(
                    f"grasps[{k}] is {shown(one)}, expected a pyrave.grasping.Grasp"
                )
        self.about: dict[str, Any] = dict(about or {})
        """Robot, target and settings that the grasps were made with."""

    def __len__(self) -> int:
        return len(self._grasps)

    @overload
    def __getitem__(self, index: int) -> Grasp: ...
    @overload
    def __getitem__(self, index: slice) -> GraspSet: ...
    def __getitem__(self, index: int | slice) -> Grasp | GraspSet:
        found = self._grasps[index]
        return found if isinstance(found, Grasp) else GraspSet(found, self.about)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraspSet):
            return NotImplemented
        return self._grasps == other._grasps and self.about == other.about

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        said = [
            f"{self.about[k]!r}" for k in ("manipulator", "target") if k in self.about
        ]
        of = f" of {said[0]} on {said[1]}" if len(said) == 2 else ""
        return f"<GraspSet: {counted(len(self), 'grasp')}{of}>"

    def sorted(
        self, by: str | Callable[[Grasp], float] = "epsilon", *, ascending: bool = False
    ) -> GraspSet:
        """Return the grasps by a score, the best first; equal ones stay in their order.

        Parameters
        ----------
        by
            Name of a score, or a function that gives a number.
        ascending
            Whether the smallest is the best.

        Raises
        ------
        ArgumentError
            A grasp has no such score.
        """
        key = by if callable(by) else lambda grasp: _score(grasp, by)
        return GraspSet(
            sorted(self._grasps, key=key, reverse=not ascending), self.about
        )

    def where(self, fits: Callable[[Grasp], bool]) -> GraspSet:
        """Return the grasps for which a function is true."""
        return GraspSet(filter(fits, self._grasps), self.about)

    # -- what an arm can do now ----------------------------------------------------

    @overload
    def valid(
        self,
        arm: Manipulator,
        target: KinBody | str | None = None,
        *,
        all: Literal[False] = False,
    ) -> Iterator[Grasp]: ...
    @overload
    def valid(
        self,
        arm: Manipulator,
        target: KinBody | str | None = None,
        *,
        all: Literal[True],
    ) -> GraspSet: ...
    def valid(
        self,
        arm: Manipulator,
        target: KinBody | str | None = None,
        *,
        all: bool = False,  # noqa: A002 - as for `Manipulator.solve_ik`
    ) -> Iterator[Grasp] | GraspSet:
        """Return the grasps that an arm can take now, one after the other.

        The arm has a configuration that brings its hand there without a collision, the
        fingers as they come; and in one of these they close without touching anything
        but the target. Each grasp is looked at when it is asked for, with the bodies
        where they are then.

        Parameters
        ----------
        arm
            The manipulator, with as many gripper joints as the grasps have values.
        target
            The body or its name; None: that of `about`.
        all
            True: look at all of them, and return a set. False: an iterator.

        Raises
        ------
        ArgumentError
            No manipulator, other joints, or no such body.
        StateError
            Another body holds the target, or robot and target are in no environment,
            or not in the same.
        """
        robot = as_manipulator(arm).robot
        given = self.about.get("target") if target is None else target
        if given is None:
            raise ArgumentError("target is None and the set has no name of one")
        body = as_target(arm, given)
        if body.holder is not None and body.holder is not robot:
            raise StateError(f"{body!r} is held by {body.holder!r}; let it go first")
        count = len(arm.gripper_indices)
        for grasp in self._grasps:
            if len(grasp.preshape) != count:
                raise ArgumentError(
                    f"{arm!r} has {count} gripper joints, and the grasps have "
                    f"{len(grasp.preshape)} values: they are of another hand"
                )
        found = (one for one in self._grasps if _is_valid(one, arm, body))
        return GraspSet(found, self.about) if all else found

    # -- pictures and files --------------------------------------------------------

    def draw(
        self, target: KinBody, *, color: ArrayLike = (0.1, 0.7, 0.2)
    ) -> list[Drawing]:
        """Draw the contacts of all grasps on a body where it is; return the drawings.

        Arrows end at contacts, along the way that fingers push.
        """
        if not isinstance(target, KinBody):
            raise ArgumentError(f"target is {shown(target)}, expected a body")
        found = []
        for grasp in self._grasps:
            there = grasp.contacts.moved(target.transform)
            starts = there.points - _ARROW * there.normals
            for start, end in zip(starts, there.points, strict=True):
                found.append(target.env.draw.arrow(start, end, color=color))
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the grasps to a file, .npz with a header in JSON; whole or not at all.

        Raises
        ------
        ArgumentError
            Grasps have different numbers of joints or scores, or JSON cannot hold what
            they are about.
        StateError
            Nothing can be written there; what was there before stays.
        """
        names = sorted(self._grasps[0].scores) if self._grasps else []
        widths = {len(one.preshape) for one in self._grasps} or {0}
        if len(widths) > 1 or any(sorted(g.scores) != names for g in self._grasps):
            raise ArgumentError(
                "the grasps have different numbers of joints, or different scores; "
                "save them as several sets"
            )
        header = {
            "format": _FORMAT,
            "version": _VERSION,
            "about": self.about,
            "scores": names,
            "joints": widths.pop(),
        }
        try:
            text = json.dumps(header, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ArgumentError(
                f"JSON cannot hold what they are about: {error}"
            ) from error
        arrays = columns_of(self._grasps, names)
        stream = BytesIO()
        np.savez_compressed(stream, allow_pickle=False, header=np.array(text), **arrays)
        try:
            write_file(path, stream.getvalue())
        except OSError as error:
            why = error.strerror or error
            raise StateError(f"{path} cannot be written: {why}") from error

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> GraspSet:
        """Read grasps from a file of `save`; nothing in it is ever executed.

        Raises
        ------
        ResourceError
            There is no such file.
        StateError
            It is a folder, or nobody may read it.
        ArgumentError
            It is cut, of another kind, or of a newer version; says which.
        """
        place = str(path)
        try:
            data = read_file(path, _MAX_BYTES)
        except FileNotFoundError as error:
            raise ResourceError(place) from error
        except OSError as error:
            why = error.strerror or error
            raise StateError(f"{place} cannot be read: {why}") from error
        if len(data) > _MAX_BYTES:
            raise ArgumentError(f"{place} has more than {_MAX_BYTES} bytes")
        try:
            with np.load(BytesIO(data), allow_pickle=False) as file:
                header = json.loads(str(file["header"][()]))
                _check_header(header, place)
                columns = {name: file[name] for name in file.files if name != "header"}
            return cls(grasps_of(columns, header["scores"]), header["about"])
        except (
            ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile,
            IndexError, AttributeError, NotImplementedError, RuntimeError, MemoryError,
            zlib.error, SyntaxError, tokenize.TokenError,
        ) as error:  # fmt: skip
            if isinstance(error, ArgumentError) and place in str(error):
                raise
            raise ArgumentError(
                f"{place} is no whole file of grasps: {error}; "
                "GraspSet.save writes them"
            ) from error


def _check_header(header: Any, place: str) -> None:
    """Refuse a file of another kind or a newer version."""
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise ArgumentError(f"{place} has no grasps: its header is {shown(header)}")
    if header.get("version") != _VERSION:
        raise ArgumentError(
            f"{place} is of version {shown(header.get('version'))}, and this pyrave "
            f"reads version {_VERSION}; read it with the pyrave that wrote it"
        )


def _score(grasp: Grasp, name: str) -> float:
    """Return a score of a grasp."""
    if name not in grasp.scores:
        known = ", ".join(grasp.scores) or "none"
        raise ArgumentError(f"{grasp!r} has no score {name!r}; known: {known}")
    return grasp.scores[name]


def _is_valid(grasp: Grasp, arm: Manipulator, target: KinBody) -> bool:
    """Return True if an arm can take a grasp now."""
    robot = arm.robot
    env, gripper, joints = robot.env, arm.gripper_indices, arm.arm_indices
    checker = env.collision_checker
    kept = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
    with env.lock(), robot.preserve_state(kept), ExitStack() as stack:
        values = robot.dof_values
        values[gripper] = grasp.preshape
        robot.dof_values = values
        pose = grasp.hand_pose(target.transform)
        if not len(joints):
            robot.transform = pose @ invert_pose(arm.transform) @ robot.transform
            found = np.empty((1, 0))
        else:
            # a base that stands on something does so in all configurations
            robot.set_active_dofs([*joints, *gripper])
            stack.enter_context(checker.moving_links())
            found = arm.solve_ik(pose, all=True)
        # of each solution with the fingers as they come, and closed
        rows = np.tile(values, (len(found), 2, 1))
        rows[:, :, joints] = found[:, None]
        rows[:, 1, gripper] = grasp.final
        hits = checker.check_configurations(robot, rows.reshape(-1, robot.dof))
        return not hits.reshape(-1, 2).any(axis=1).all()
