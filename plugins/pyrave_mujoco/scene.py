"""A compiled model with its state, and where the bodies are in it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import NotFoundError, StateError
from pyrave_mujoco.bodies.dampers import Dampers
from pyrave_mujoco.bodies.drives import Drives
from pyrave_mujoco.bodies.part import Ball, Follower, StatePart
from pyrave_mujoco.builder import Builder
from pyrave_mujoco.geoms.belts import Belts, BeltSurface
from pyrave_mujoco.geoms.callback_contacts import Asking
from pyrave_mujoco.geoms.contact_pairs import masks
from pyrave_mujoco.geoms.fast_bodies import Speeding
from pyrave_mujoco.geoms.materials import FEWEST_STEPS, FIRM
from pyrave_mujoco.geoms.sliding_contacts import Sliding
from pyrave_mujoco.library import mujoco
from pyrave_mujoco.ties.suction import CupState, LiveCup, Seal
from pyrave_mujoco.ties.tie_elements import LiveTie

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.spatial import Array, Indices
    from pyrave_mujoco.bodies.built import Built
    from pyrave_mujoco.settings import MujocoSettings
    from pyrave_mujoco.ties.suction import WrittenCup
    from pyrave_mujoco.ties.tie import Key, Tie
    from pyrave_mujoco.ties.tie_elements import Held

_EMPTY_CUP = CupState(is_on=True, seal=None)
_FASTEST = 1e8
"""Velocity, m/s or rad/s, above which a simulation has blown up."""


class _Rows:
    """Addresses of MuJoCo's bodies and joints as lists: each is read once."""

    def __init__(self, model: Any) -> None:
        self.mocap: list[int] = model.body_mocapid.tolist()
        self.joint: list[int] = model.body_jntadr.tolist()
        self.place: list[int] = model.jnt_qposadr.tolist()
        self.rate: list[int] = model.jnt_dofadr.tolist()


class Scene:
    """Model and state of MuJoCo, made of the bodies of an environment as they are now.

    Parameters
    ----------
    env
        Whose bodies it has.
    settings
        How they are simulated.
    held
        What another model knew about ties.
    driven
        Bodies whose joints can be driven.
    carrying
        Names of bodies that move under what lies on them.

    Raises
    ------
    StateError
        MuJoCo refuses it.

    Attributes
    ----------
    model, data
        MuJoCo's.
    parts
        One per body, holders first.
    ties, sprung, cups
        Links that are tied to each other, those with springs, and suction cups.
    notes
        Names of bodies, and what about them is not simulated as described.
    step
        Longest step, seconds.
    belts
        Surfaces that move what touches them.
    drives
        Springs and dampers that push joints.
    dampers
        What slows joints down by itself.
    has_pairs
        Whether there are pairs that touch whatever the masks of their geoms are.
    inexact
        Names of geoms that fill hollows of meshes, or stand out of them.
    asking
        Shows contacts to the collision callbacks.
    is_pushed
        Whether there are forces of users or dampings in the data.
    is_weighed
        Whether robots that nothing holds were looked for.
    link_of_body
        Bodies with indices of links by MuJoCo's numbers.
    """

    def __init__(
        self,
        env: Environment,
        settings: MujocoSettings,
        held: Mapping[Key, Held],
        driven: Collection[KinBody] = (),
        carrying: Collection[str] = (),
    ) -> None:
        self.library = mujoco()
        try:
            built = Builder(env, settings, held, driven, carrying)
        except (ValueError, self.library.FatalError) as error:
            raise StateError(f"MuJoCo refuses the scene: {error}") from error
        self.notes, self.step = built.notes, built.step
        self.has_pairs = built.has_pairs
        self.inexact = built.inexact
        self.model = built.model
        self.data = self.library.MjData(self.model)
        self.parts: list[StatePart] = []
        self.link_of_body: dict[int, tuple[KinBody, int]] = {}
        self.asking = Asking(
            env, self.library, self.model, self.data, self.link_of_body
        )
        self._moving = {body: one.moving for body, one in built.bodies.items()}
        self._rows = _Rows(self.model)
        self._belt_of: dict[tuple[KinBody, int], int] = {}
        belts: list[tuple[KinBody, int, BeltSurface]] = []
        other_inertia = False
        drives = []
        damped: list[tuple[Indices, Array]] = []
        for one in built.bodies.values():
            part = self._part(one)
            self.parts.append(part)
            if one.belts:
                belts += self._belts_of(one)
            if one.drives:
                drives.append((part, self._tendons(one)))
            other_inertia |= self._put_moments(one, part)
            other_inertia |= self._put_joints(part, damped)
        if other_inertia:
            self.library.mj_setConst(self.model, self.library.MjData(self.model))
        self.ties = [self._tie(*one) for one in built.ties.written]
        self.sprung = [one for one in self.ties if one.bushing is not None]
        self.cups = [self._cup(one) for one in built.cups]
        self.belts = Belts(self.model, self.data, belts)
        self.drives = Drives(self.model, self.data, drives)
        self.dampers = Dampers(self.model, self.data, *_joined(damped))
        self.dampers.begin(self.step)
        self._sliding = Sliding(self.library, self.model, self.data)
        self._speeding = Speeding(
            self.library,
            self.model,
            self.data,
            [place for part in self.parts for _, place, _ in part.roots],
            [rate for part in self.parts for _, _, rate in part.roots],
            self.step,
            built.impact_depth,
            int(settings.most_parts),
        )
        self._bent = [part for part in self.parts if part.bends]
        # each access to MuJoCo's arrays makes another one
        self._qpos, self._qvel = self.data.qpos, self.data.qvel
        self._warm = self.data.qacc_warmstart
        own = self._bent or self.sprung or self.cups or self.belts
        self._has_own_steps = bool(own)
        self._is_whole = settings.integrator == "RK4"  # which parts cannot do
        self._gravity: Array | None = None
        self._length = 0.0
        self.is_pushed = False
        self.is_weighed = False

    # -- making --------------------------------------------------------------------

    def _part(self, built: Built) -> StatePart:
        numbers, body = self._rows, built.body
        ids: list[int] = [one.id for one in built.links]
        part = StatePart(body, np.array(ids, np.int64))
        rows = []
        for link in built.plan.order:
            number = ids[link]
            self.link_of_body[number] = (body, link)
            if numbers.mocap[number] >= 0:
                part.mocaps.append((link, numbers.mocap[number]))
            first = numbers.joint[number]
            if first < 0:
                continue
            if not built.plan.links[link].motions:
                part.roots.append((link, numbers.place[first], numbers.rate[first]))
            for joint, motion in enumerate(built.plan.links[link].motions, first):
                place, rate = numbers.place[joint], numbers.rate[joint]
                if motion.kind == "ball":
                    ball = Ball(motion.value, place, rate, motion.frame, motion.sign)
                    part.balls.append(ball)
                else:
                    rows.append((motion.value, place, rate))
        if rows:
            table = np.array(rows, np.int64)
            part.values, part.places, part.rates = table.T.copy()
        part.held = body.holder is not None and body.holder in self._moving
        for coupling, tie in built.couplings:
            places = [part.place_of(value) for value in coupling.sources]
            number = self._number("EQUALITY", tie)
            first = -1
            if len(places) > 1:
                first = int(self.model.tendon_adr[self.model.eq_obj1id[number]]) + 1
            row = np.array(places, np.int64)
            part.followers.append(Follower(coupling, number, row, first))
        return part

    def _belts_of(self, built: Built) -> Iterator[tuple[KinBody, int, BeltSurface]]:
        """Yield links of a body with surfaces that move, and where these are."""
        body, numbers = built.body, self._rows
        for link, belt in built.belts.items():
            number = self._number("BODY", belt.name)
            self.link_of_body[number] = body, link
            self._belt_of[body, link] = number
            joint = numbers.joint[number]
            own = body.description.links[link].dynamics.surface_velocity
            carries = int(self.model.body_jntnum[number]) > 1
            velocity = tuple(own) if carries else (float(np.linalg.norm(own)),)
            place, rate = numbers.place[joint], numbers.rate[joint]
            mocap = numbers.mocap[built.links[link].id] if carries else -1
            yield body, link, BeltSurface(place, rate, velocity, mocap)

    def surface_of(self, link: Link) -> int:
        """Return MuJoCo's number of what has the geoms of a link."""
        part = next(one for one in self.parts if one.body is link.body)
        own = int(part.ids[link.index])
        return self._belt_of.get((link.body, link.index), own)

    def _tendons(self, built: Built) -> dict[int, int]:
        """Return MuJoCo's numbers of what drives a body, by values."""
        return {
            value: self._number("TENDON", name) for value, name in built.drives.items()
        }

    def _number(self, kind: str, name: str) -> int:
        """Return MuJoCo's number of something by its name."""
        what = getattr(self.library.mjtObj, f"mjOBJ_{kind}")
        return int(self.library.mj_name2id(self.model, what, name))

    def _put_moments(self, built: Built, part: StatePart) -> bool:
        """Write inertias that MuJoCo does not compile; True if there are any."""
        odd = built.plan.odd
        if odd:
            self.model.body_inertia[part.ids[odd]] = built.plan.moments[odd]
        return bool(odd)

    def _put_joints(self, part: StatePart, damped: list[tuple[Indices, Array]]) -> bool:
        """Write friction and springs of joints, and what motors add.

        Parameters
        ----------
        damped
            Rows of `qvel` and dampers of joints, which are added to.

        Returns
        -------
        bool
            Whether motors have inertia.
        """
        if not (len(part.values) or part.balls):
            return False
        model, motors = self.model, part.body.model
        balls = [
            (ball.value + i, ball.rate + i) for ball in part.balls for i in range(3)
        ]
        extra = np.array(balls, np.int64).reshape(-1, 2)
        values = np.concatenate((part.values, extra[:, 0]))
        rates = np.concatenate((part.rates, extra[:, 1]))
        viscous = motors.viscous_frictions[values]
        some = viscous > 0.0
        if some.any():
            damped.append((rates[some], viscous[some]))
        model.dof_frictionloss[rates] = motors.coulomb_frictions[values]
        # as soft as it is by default it would not brake light links before 2 rad/s
        model.dof_solref[rates] = FEWEST_STEPS * self.step, 1.0
        model.dof_solimp[rates] = FIRM
        stiff = motors.spring_stiffnesses[part.values]
        if stiff.any():
            model.jnt_stiffness[model.dof_jntid[part.rates]] = stiff
            model.qpos_spring[part.places] = motors.spring_rests[part.values]
        model.dof_armature[rates] = motors.rotor_inertias[values]
        return bool(motors.rotor_inertias[values].any())

    def _tie(self, tie: Tie, equality: str, carrier: str) -> LiveTie:
        number = self._number("BODY", carrier) if carrier else -1
        numbers, moving = [0, 0], [False, False]
        for k, end in enumerate((tie.first, tie.second)):
            if end.body is None:
                continue
            part = next(one for one in self.parts if one.body is end.body)
            numbers[k] = int(part.ids[end.link])
            moving[k] = self._moving[end.body][end.link]
            if number >= 0:
                self.link_of_body[number] = (end.body, end.link)
        row = self._number("EQUALITY", equality)
        return LiveTie(tie, self.model, row, number, numbers, moving)

    def _cup(self, written: WrittenCup) -> LiveCup:
        tie = next(one for one in self.ties if one.tie is written.tie)
        lip = written.tie.second
        part = next(one for one in self.parts if one.body is lip.body)
        numbers = (
            self._number("EQUALITY", written.equality),
            int(part.ids[lip.link]),
            [self._number("GEOM", name) for name in written.points],
        )
        return LiveCup(written, tie, self.model, self.data, numbers)

    def cup(self, name: str) -> LiveCup:
        """Return a suction cup; `NotFoundError` if there is none of the name."""
        cups = {one.name: one for one in self.cups}
        if name not in cups:
            raise NotFoundError("suction cup", name, cups)
        return cups[name]

    def keep_cups(self) -> dict[str, CupState]:
        """Return the states of suction cups, by their names."""
        found = {}
        for cup in self.cups:
            seal = None
            if cup.held >= 0:
                body, link = self.link_of_body[cup.held]
                seal = Seal(body.name, link, cup.relative)
            found[cup.name] = CupState(cup.is_on, seal)
        return found

    def restore_cups(self, states: Mapping[str, CupState]) -> None:
        """Let suction cups hold what they held in another model, if it is there."""
        bodies = {part.body.name: part for part in self.parts}
        for cup in self.cups:
            state = states.get(cup.name, _EMPTY_CUP)
            cup.is_on = state.is_on
            if state.seal is not None and state.seal.body in bodies:
                part, link = bodies[state.seal.body], state.seal.link
                cup.hold(int(part.ids[link]), state.seal.relative)
                cup.check(part.body.transforms_view[link])

    def enable(self, body: KinBody) -> None:
        """Let the links of a body touch, or not, as they are enabled now."""
        model, enabled, moving = self.model, body.links_enabled, self._moving[body]
        part = next(one for one in self.parts if one.body is body)
        for link, number in enumerate(part.ids.tolist()):
            owner = self._belt_of.get((body, link), number)
            first = int(model.body_geomadr[owner])
            if first >= 0:
                rows = slice(first, first + int(model.body_geomnum[owner]))
                touch, touched = masks(moving[link], enabled[link])
                model.geom_contype[rows] = touch
                model.geom_conaffinity[rows] = touched

    # -- stepping ------------------------------------------------------------------

    def stop(self) -> None:
        """Let nothing push, carry or hold, as before the first step."""
        for cup in self.cups:
            cup.let_go()
        if self.is_pushed:
            self.data.xfrc_applied[:] = self.data.qfrc_applied[:] = 0.0
            self.is_pushed = False
        self.belts.carry({})

    def start_over(self) -> None:
        """Make the data as they were when the model was new."""
        self.stop()
        self.library.mj_resetData(self.model, self.data)
        self.belts.put_back()

    def put_coordinates(self, known: tuple[Array, Array, Array]) -> None:
        """Put in `qpos`, `qvel` and `qacc_warmstart`."""
        self._qpos[:], self._qvel[:], self._warm[:] = known

    def pull_down(self, gravity: Array) -> None:
        """Let an acceleration (3,) act."""
        if gravity is not self._gravity:
            self._gravity = gravity
            self.model.opt.gravity[:] = gravity

    def steps_in(self, dt: float) -> int:
        """Return the number of steps in the next `dt` seconds."""
        steps = max(1, math.ceil(dt / self.step - 1e-6))
        return steps * self._speeding.divide(dt)

    def advance(self, steps: int, length: float) -> None:
        """Take steps of a length in seconds.

        Raises
        ------
        StateError
            MuJoCo cannot go on, or the simulation blew up; names the body. The data are
            as before.
        """
        model, data, library = self.model, self.data, self.library
        if length != self._length:
            self._length = model.opt.timestep = length
            self.dampers.begin(length)
        before = self._qpos.copy(), self._qvel.copy(), self._warm.copy()
        held = [(cup.held, cup.relative) for cup in self.cups]
        try:
            if (
                self._has_own_steps
                or self.asking.is_needed
                or self.drives
                or self.dampers.are_strong
                or self._sliding.is_needed()
            ):
                self._take(steps, length)
            else:
                library.mj_step(model, data, steps)
                if self._sliding.is_needed():  # what fell has arrived: again, in parts
                    self.put_coordinates(before)
                    data.time -= steps * length
                    self._take(steps, length)
            self._check()
        except (library.FatalError, StateError) as error:
            self._qpos[:], self._qvel[:], _ = before
            self.belts.sweep(0.0)
            self._warm[:] = 0.0
            for cup, (number, relative) in zip(self.cups, held, strict=True):
                if cup.held != number:
                    cup.let_go()
                    if number >= 0:
                        cup.hold(number, relative)
            if isinstance(error, StateError):
                raise
            raise StateError(f"MuJoCo cannot go on: {error}") from error

    def _take(self, steps: int, length: float) -> None:
        """Take steps one by one, with what acts anew in each."""
        model, data = self.model, self.data
        self.asking.forget()
        whole = self._is_whole and not (
            self.asking.is_needed or self.drives or self.dampers.are_strong
        )
        for left in reversed(range(steps)):
            self.belts.sweep((left + 1) * length)
            for part in self._bent:
                part.follow(model, data)
            for tie in self.sprung:
                tie.push(data)
            if whole and not data.ncon:
                self.library.mj_step(model, data)
            else:
                self._step(left * length)
            for cup in self.cups:
                cup.step()
            self.belts.put_back()
        self.belts.sweep(0.0)

    def _step(self, left: float) -> None:
        """Take a step in parts; `RK4` is replaced by `Euler`.

        Parameters
        ----------
        left
            How long the environment's step goes on after it, seconds.
        """
        self.evaluate_motion()
        self.dampers.push()
        self.drives.push(left)
        self.library.mj_step2(self.model, self.data)
        self.drives.note()

    def evaluate_motion(self) -> None:
        """Evaluate what depends on positions and velocities, without forces."""
        if self.asking.is_needed:
            self.asking.position()
        else:
            self.library.mj_fwdPosition(self.model, self.data)
        self.library.mj_fwdVelocity(self.model, self.data)
        self._sliding.correct()

    def evaluate(self) -> None:
        """Evaluate all about the present state, as the next step would."""
        library, model, data = self.library, self.model, self.data
        for tie in self.sprung:
            tie.push(data)
        self.evaluate_motion()
        self.dampers.push()
        self.drives.push(-model.opt.timestep)
        library.mj_fwdActuation(model, data)
        library.mj_fwdAcceleration(model, data)
        library.mj_fwdConstraint(model, data)

    def _check(self) -> None:
        speeds = self._qvel
        if speeds.dot(speeds) < _FASTEST**2:  # false for what is no number
            return
        slow = np.abs(speeds) < _FASTEST
        if slow.all():
            return
        dof = int(np.flatnonzero(~slow)[0])
        body, link = self.link_of_body[int(self.model.dof_bodyid[dof])]
        raise StateError(
            f"the simulation blew up: link {body.model.link_names[link]!r} of body "
            f"{body.name!r} reached a velocity of {speeds[dof]:g}. All bodies "
            "stay as they were before the step; smaller forces, a shorter time_step in "
            "the engine's settings, or masses that differ less may help"
        )


def _joined(damped: list[tuple[Indices, Array]]) -> tuple[Indices, Array]:
    if not damped:
        return np.empty(0, np.int64), np.empty(0)
    rates, coefficients = zip(*damped, strict=True)
    return np.concatenate(rates), np.concatenate(coefficients)
