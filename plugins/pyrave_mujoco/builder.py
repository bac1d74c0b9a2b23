"""Bodies of an environment written with MuJoCo's own model-building interface."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.spatial import invert_pose, quat_from_matrix
from pyrave_mujoco.bodies.built import Built
from pyrave_mujoco.bodies.couplings import couplings_of
from pyrave_mujoco.bodies.drives import write_drive
from pyrave_mujoco.bodies.plan import UNTURNED, plan_of
from pyrave_mujoco.geoms.belts import add_belt, add_carrier
from pyrave_mujoco.geoms.contact_pairs import Touching, full_name
from pyrave_mujoco.geoms.materials import FEWEST_STEPS, FIRM, Surfaces
from pyrave_mujoco.library import mujoco
from pyrave_mujoco.ties.springs import SHORTEST
from pyrave_mujoco.ties.suction import bellow_of, key_of, tie_of_cup, write_cup
from pyrave_mujoco.ties.tie import (
    End,
    ball_angle,
    note_of_turns,
    tie_of_constraint,
    tie_of_joint,
    value_limits,
    welded,
)
from pyrave_mujoco.ties.tie_elements import TieWriter

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.scene import SuctionCup
    from pyrave.spatial import Array
    from pyrave_mujoco.bodies.plan import BodyPlan, Motion
    from pyrave_mujoco.settings import MujocoSettings
    from pyrave_mujoco.ties.springs import Bushing
    from pyrave_mujoco.ties.tie import Key, Tie
    from pyrave_mujoco.ties.tie_elements import Held

_UNLIMITED = 1e4
_PART_OF_SWING = 0.2
_STILL = (0.0, 0.0, 0.0)
_EYE, _UNTURNED = np.eye(4), np.eye(3).tolist()


class Builder:
    """Writes the bodies of an environment as they are now.

    Parameters
    ----------
    env
        Whose bodies.
    settings
        How they are simulated.
    held
        What another model knew about ties.
    driven
        Bodies whose joints can be driven.
    carrying
        Names of bodies that move under what lies on them.

    Attributes
    ----------
    bodies
        What was written, holders first.
    notes
        Names of bodies, and what about them is not simulated as described.
    ties
        What was written about links that are tied.
    cups
        What was written about suction cups.
    step
        Longest step of the engine, seconds.
    impact_depth
        How deep what hits something comes, in steps times its speed.
    has_pairs
        Whether there are explicit pairs of geoms.
    inexact
        Names of geoms that fill hollows of meshes, or stand out of them.
    specification, model
        MuJoCo's, before and after compiling.
    """

    def __init__(
        self,
        env: Environment,
        settings: MujocoSettings,
        held: Mapping[Key, Held],
        driven: Collection[KinBody] = (),
        carrying: Collection[str] = (),
    ) -> None:
        library = self._library = mujoco()
        surfaces = Surfaces(
            env.contact_properties, settings.friction, settings.restitution
        )
        self.step = settings.time_step
        self.impact_depth = surfaces.impact_depth(settings.error_reduction)
        if surfaces.bounces:
            self.step = min(self.step, settings.restitution_time_step)
        self.bodies: dict[KinBody, Built] = {}
        self.notes: list[tuple[str, str]] = []
        self._held, self._driven, self._carrying = held, driven, carrying
        tied = list(self._ties_of_constraints(env))
        cups = [
            (one, self._tie_of_cup(env, one)) for one in env.simulation.suction_cups
        ]
        for tie in tied:
            self._shorten_steps(tie)
        for one, tie in cups:
            self._shorten_steps(tie, bellow_of(one.closed))
        for body in env.bodies:
            self._shorten_steps_of_joints(body)
        self.specification = library.MjSpec()
        self.ties = TieWriter(self.specification, self.step, self.bodies)
        # a constraint says how a body moves against its holder: no weld, as of a grab
        self._joined = {
            frozenset((one.parent.body, one.child.body)) for one in env.constraints
        } | {
            frozenset((one.base.body, one.lip.body))
            for one in env.simulation.suction_cups
        }
        self._set_options(settings)
        touching = Touching(
            env,
            self.specification,
            surfaces,
            self.step,
            settings.error_reduction,
            settings.concave_meshes,
        )
        for body in _holders_first(env):
            built = self._add(body)
            touching.add(body, built.surfaces, built.moving)
            for link, belt in built.belts.items():
                touching.rename(full_name(body, link), belt.name)
        for body in self.bodies:
            touching.keep_apart(body, settings.self_collision)
        touching.ignore(env)
        pushing = {("", one.name) for one in env.constraints if one.collide}
        for tie in (*tied, *(tie for _, tie in cups)):
            first, second = tie.first, tie.second
            if tie.key not in pushing and first.body and second.body:
                touching.part(first.body, first.link, second.body, second.link)
        self.has_pairs = touching.write_pairs()
        self.inexact = touching.inexact
        for tie in tied:
            self.ties.add(tie)
        self.cups = []
        for cup, tie in cups:
            if self.ties.moves(tie.second):
                self.cups.append(write_cup(self.specification, self.ties, cup, tie))
            else:
                self.notes.append(("", f"the suction cup {cup.name!r}: its lip stays"))
        self.model = self.specification.compile()

    def _set_options(self, settings: MujocoSettings) -> None:
        library, compiler = self._library, self.specification.compiler
        compiler.degree = False
        compiler.inertiafromgeom = library.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
        option = self.specification.option
        option.timestep = self.step
        name = f"mjINT_{settings.integrator.upper()}"
        option.integrator = getattr(library.mjtIntegrator, name)
        option.cone = library.mjtCone.mjCONE_ELLIPTIC
        option.impratio = settings.impedance_ratio
        option.iterations = int(settings.iterations)
        bits = library.mjtDisableBit
        option.disableflags |= bits.mjDSBL_FILTERPARENT | bits.mjDSBL_AUTORESET

    def _add(self, body: KinBody) -> Built:
        plan = plan_of(body)
        built = self.bodies[body] = Built(body, plan)
        if plan.fault:
            self.notes.append((body.name, f"{plan.fault}; it stays where it is"))
        self.notes += [(body.name, note) for note in plan.notes]
        carrier, offset, carried = self._carrier(body)
        world = self.specification.worldbody
        for link in plan.order:
            own = plan.links[link]
            # where what hangs on nothing is, is part of the state
            parent, place = world, None
            if own.parent >= 0:
                parent, place = built.links[own.parent], own.place
            elif carrier is not None:
                parent, poses = carrier, body.transforms_view
                place = offset @ invert_pose(poses[0]) @ poses[link]
            spec = built.links[link] = parent.add_body()
            spec.name = full_name(body, link)
            if place is not None:
                spec.pos, spec.quat = place[:3, 3], quat_from_matrix(place[:3, :3])
            if carrier is not None:
                built.moving[link] = carried or bool(own.motions)
            elif own.free:
                spec.add_freejoint()
            elif own.parent < 0:
                spec.mocap = True
            for motion in own.motions:
                self._add_joint(built, spec, motion)
            if built.moving[link]:
                _set_mass(spec, plan, link)
            self._add_belt(built, link)
        if not plan.fault:
            self._couple(built)
            self._close_loops(built)
        return built

    def _add_belt(self, built: Built, link: int) -> None:
        """Let the surface of a link move, or note that it does not."""
        body = built.body
        known = body.description.links[link]
        velocity = known.dynamics.surface_velocity
        if body.name in self._carrying and not built.moving[link]:
            name = f"{full_name(body, link)} carrier"
            built.belts[link] = add_carrier(built.links[link], name)
            return
        if velocity == _STILL or not any(velocity):
            return
        if built.moving[link]:
            note = (
                f"the surface velocity of its link {known.name!r} does nothing: only "
                "links that stay or are put somewhere are conveyors"
            )
            self.notes.append((body.name, note))
            return
        name = f"{full_name(body, link)} belt"
        built.belts[link] = add_belt(built.links[link], name, velocity)

    def _carrier(self, body: KinBody) -> tuple[Any, Array, bool]:
        """Return the holder of a body, T_holder_body, and whether that moves."""
        holder = body.holder
        link = None if holder is None else holder.grabs.link_of(body)
        if (
            holder is None
            or link is None
            or holder not in self.bodies
            or frozenset((holder.name, body.name)) in self._joined
        ):
            return None, _EYE, False
        known = self.bodies[holder]
        held = zip(holder.grabbed, holder.grabs.info, strict=True)
        info = next(info for one, info in held if one is body)
        moves = known.moving[link.index]
        return known.links[link.index], info.T_link_body, moves

    def _add_joint(self, built: Built, spec: Any, motion: Motion) -> None:
        kinds, body = self._library.mjtJoint, built.body
        joint = spec.add_joint(name=joint_name(body, motion.value))
        joint.pos = motion.point
        joint.solref_limit, joint.solimp_limit = (FEWEST_STEPS * self.step, 1.0), FIRM
        if motion.kind == "ball":
            joint.type = kinds.mjJNT_BALL
            span = range(motion.value, motion.value + 3)
            angle, said = ball_angle([value_limits(body, k) for k in span])
            joint.limited = math.isfinite(angle)
            joint.range = (0.0, angle if joint.limited else 0.0)
            if not said:
                name = body.model.joint_names[body.model.value_joint[motion.value]]
                self.notes.append((body.name, note_of_turns(name)))
            return
        slides = motion.kind == "slide"
        joint.type = kinds.mjJNT_SLIDE if slides else kinds.mjJNT_HINGE
        joint.axis = motion.axis
        low, high = value_limits(body, motion.value)
        joint.limited = low < high and (low > -_UNLIMITED or high < _UNLIMITED)
        joint.range = np.array((max(low, -_UNLIMITED), min(high, _UNLIMITED)))
        if motion.value < body.dof and body in self._driven:
            name = write_drive(self.specification, joint.name)
            built.drives[motion.value] = name

    # -- constraints ---------------------------------------------------------------

    def _couple(self, built: Built) -> None:
        """Write joints that follow others."""
        body = built.body
        if not body.model.has_mimic:
            return
        moving = {one.value for link in built.plan.links for one in link.motions}
        for one in couplings_of(body, moving):
            names = [joint_name(body, value) for value in (one.follower, *one.sources)]
            several = len(one.sources) > 1
            kind = "TENDON" if several else "JOINT"
            tie = self.ties.equality(kind, kind)
            data = np.zeros(len(tie.data))
            if several:
                # what the follower is more than the sum of its sources
                tie.name1 = f"sum of {names[0]}"
                tendon = self.specification.add_tendon(name=tie.name1)
                slopes = (
                    np.zeros(len(one.sources)) if one.plane is None else one.plane[1:]
                )
                for name, share in zip(names, (1.0, *-slopes), strict=True):
                    tendon.wrap_joint(name, share)
                data[0] = 0.0 if one.plane is None else one.plane[0]
            else:
                tie.name1, *others = names
                tie.name2 = others[0] if others else ""
                if one.polynomial is not None:
                    data[:5] = one.polynomial
            tie.data = data
            built.couplings.append((one, tie.name))

    def _close_loops(self, built: Built) -> None:
        """Write joints outside of the tree, and static links that joints move."""
        body = built.body
        for link in built.plan.tied:
            key = (body.name, full_name(body, link))
            held, end = self._held.get(key), End(body, link)
            start = end.pose.copy() if held is None else held.start
            self.ties.add(welded(key, End(), end, start))
        for number in body.model.closing_joints.tolist():
            joint = body.all_joints[number]
            held = self._held.get((body.name, joint.name))
            tie, note = tie_of_joint(body, joint, None if held is None else held.start)
            if tie is not None:
                self.ties.add(tie)
            if note:
                self.notes.append((body.name, note))

    def _shorten_steps(self, tie: Tie, *others: Bushing) -> None:
        """Let steps be short enough for the springs of a tie."""
        step = tie.longest_step(*others)
        if step < SHORTEST:
            end = tie.second if tie.second.body is not None else tie.first
            assert end.body is not None  # noqa: S101 - the world is not tied to itself
            note = (
                f"the spring of {tie.key[-1]!r} needs steps of {step:.2g} s, and gets "
                f"{SHORTEST:g} s; it may blow up: a larger compliance, less damping or "
                "more mass help"
            )
            self.notes.append((end.body.name, note))
        self.step = min(self.step, max(step, SHORTEST))

    def _shorten_steps_of_joints(self, body: KinBody) -> None:
        """Let steps be short enough for the springs of a body's joints."""
        dof = body.dof
        if not dof or not (stiff := body.model.spring_stiffnesses[:dof]).any():
            return
        mobility = np.diag(np.linalg.pinv(body.mass_matrix(), hermitian=True))
        # of a swing of rate w a step of h misses the period by (w h)^2 / 24
        rate = math.sqrt(max(float((stiff * mobility).max()), 1e-300))
        step = _PART_OF_SWING / rate
        if step < SHORTEST:
            note = (
                f"the springs of its joints swing with {rate:.3g} rad/s and need steps "
                f"of {step:.2g} s; with {SHORTEST:g} s they are less exact"
            )
            self.notes.append((body.name, note))
        self.step = min(self.step, max(step, SHORTEST))

    def _ties_of_constraints(self, env: Environment) -> Iterator[Tie]:
        for one in env.constraints:
            held = self._held.get(("", one.name))
            start = None if held is None else held.start
            tie, notes = tie_of_constraint(env, one, start)
            self.notes += [("", note) for note in notes]
            if tie is not None:
                yield tie

    def _tie_of_cup(self, env: Environment, cup: SuctionCup) -> Tie:
        held = self._held.get(key_of(cup))
        return tie_of_cup(env, cup, None if held is None else held.start)


def joint_name(body: KinBody, value: int) -> str:
    """Return the model's name of a joint's axis."""
    return f"{body.name}/{body.model.value_names[value]}#{body.id}.{value}"


def _set_mass(spec: Any, plan: BodyPlan, link: int) -> None:
    moments = plan.moments[link]
    spec.mass, spec.ipos = plan.masses[link], plan.coms[link]
    if plan.axes is not UNTURNED and plan.axes[link].tolist() != _UNTURNED:
        spec.iquat = quat_from_matrix(plan.axes[link])
    # what MuJoCo refuses is written into the compiled model
    spec.inertia = np.full(3, moments.mean()) if link in plan.odd else moments
    spec.explicitinertial = True


def _holders_first(env: Environment) -> Iterator[KinBody]:
    known = set(env.bodies)
    done: set[KinBody] = set()

    def visit(body: KinBody) -> Iterator[KinBody]:
        if body in done:
            return
        done.add(body)
        if body.holder is not None and body.holder in known:
            yield from visit(body.holder)
        yield body

    for body in env.bodies:
        yield from visit(body)
