"""A compiled body as a Pinocchio model, joint by joint, and its state carried over.

Pinocchio has no joints that follow others and measures balls by their angular velocity;
values, rates and forces are mapped here, by differences where our own derivatives are
what a test is about.
"""

import numpy as np
import pytest

from pyrave.kinematics import (
    center_of_mass_batch,
    center_of_mass_jacobian_batch,
    forward_dynamics_batch,
    inverse_dynamics_batch,
    joint_values,
    link_accelerations_batch,
    link_transforms,
    link_transforms_batch,
    link_velocities_batch,
    mass_matrix_batch,
)

# whoever imports this module is skipped where Pinocchio is not installed
pin = pytest.importorskip("pinocchio")

# of inertia matrices; files have links of hardly any mass, whose accelerations forces
# do not tell
WELL_CONDITIONED = 1e8
TOLERANCE = 1e-8
GRAVITY = np.array((0.4, -0.3, -9.7))

SECOND = np.array((-1.0, 16.0, -30.0, 16.0, -1.0)) / 12.0
FIRST = np.array((1.0, -8.0, 0.0, 8.0, -1.0)) / 12.0
AT = np.array((-2.0, -1.0, 0.0, 1.0, 2.0))


class Twin:
    """The Pinocchio model of a compiled body; not for trajectory joints."""

    def __init__(self, model):
        self.ours = model
        self.model = pin.Model()
        self.places = {}  # link -> (Pinocchio joint, pose of the link in it)
        self.steps = []  # (value, Pinocchio joint, sign, is a ball)
        rest = link_transforms(model, np.eye(4), model.rest_values[: model.n_dof])
        for link in self._depth_first():
            if model.parent_joint[link] < 0:
                self.places[link] = (0, pin.SE3(rest[link]))
            else:
                self._attach(int(model.parent_joint[link]), link)
            body = pin.Inertia(
                float(model.masses[link]), model.coms[link], model.inertias[link]
            )
            self.model.appendBodyToJoint(
                self.places[link][0], body, self.places[link][1]
            )
        self.data = self.model.createData()

    def _depth_first(self):
        """Links so that each is followed by all below it, as Pinocchio needs them."""
        below = {}
        for link in self.ours.link_order.tolist():
            below.setdefault(int(self.ours.parent_link[link]), []).append(link)
        stack = below[-1][::-1]
        while stack:
            link = stack.pop()
            stack += below.get(link, [])[::-1]
            yield link

    def _attach(self, j, link):
        model = self.ours
        forward = model.joint_links[j, 1] == link
        near, far = pin.SE3(model.T_parent_joint[j]), pin.SE3(model.T_child_joint[j])
        sign = 1.0
        first, count = model.joint_values[j].tolist()
        values = list(range(first, first + count))
        if not forward:
            near, far, sign = far, near, -1.0
            values.reverse()
        joint, place = self.places[int(model.parent_link[link])]
        place *= near
        ball = model.joint_types[j] == "spherical"
        if ball:
            frame = pin.SE3(model.axis_directions[values[:: int(sign)]].T, np.zeros(3))
            kind = pin.JointModelSpherical()
            joint = self.model.addJoint(joint, kind, place * frame, f"{j}")
            self.steps.append((first, joint, sign, True))
            place = frame.inverse()
        else:
            for value in values:
                slides = model.prismatic[value]
                kind = (
                    pin.JointModelPrismaticUnaligned
                    if slides
                    else pin.JointModelRevoluteUnaligned
                )(sign * model.axis_directions[value])
                joint = self.model.addJoint(joint, kind, place, f"{j}.{value}")
                self.steps.append((value, joint, 1.0, False))
                place = pin.SE3.Identity()
        self.places[link] = (joint, place * far.inverse())

    def configuration(self, values):
        """Return Pinocchio's configuration and its rates by values (nv, n_values)."""
        q = pin.neutral(self.model)
        rates = np.zeros((self.model.nv, self.ours.n_values))
        for value, joint, sign, ball in self.steps:
            at, v = self.model.joints[joint].idx_q, self.model.joints[joint].idx_v
            if ball:
                turn = sign * values[value : value + 3]
                q[at : at + 4] = pin.Quaternion(pin.exp3(turn)).coeffs()
                rates[v : v + 3, value : value + 3] = sign * pin.Jexp3(turn)
            else:
                q[at] = values[value]
                rates[v, value] = 1.0
        return q, rates

    def state(self, q, qd, qdd, step=4e-3):
        """Return Pinocchio's q, v, a and (nv, n_dof) the rates of its velocities."""
        along = step * AT
        values = np.array(
            [joint_values(self.ours, q + t * qd + 0.5 * t * t * qdd) for t in along]
        )
        middle = values[2]
        rate, bend = FIRST @ values / step, SECOND @ values / step**2
        slopes = np.array(
            [
                FIRST @ [joint_values(self.ours, q + t * way) for t in along] / step
                for way in np.eye(self.ours.n_dof)
            ]
        ).T.reshape(self.ours.n_values, self.ours.n_dof)
        theirs, rates = self.configuration(middle)
        shift = FIRST @ np.array(
            [self.configuration(middle + t * rate)[1] @ rate for t in along]
        )
        return theirs, rates @ rate, rates @ bend + shift / step, rates @ slopes

    def wrenches(self, poses, external):
        """Return Pinocchio's forces on joints for wrenches at centres of mass."""
        result = pin.StdVec_Force()
        total = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for link, (joint, place) in self.places.items():
            turn = poses[link, :3, :3].T
            force = pin.Force(turn @ external[link, :3], turn @ external[link, 3:])
            total[joint] += place.act(
                pin.SE3(np.eye(3), self.ours.coms[link]).act(force)
            )
        result.extend(total)
        return result


def close(ours, theirs):
    """Compare to 1e-8 of the largest number of each configuration."""
    theirs = np.asarray(theirs)
    scale = np.abs(theirs).reshape(len(theirs), -1).max(axis=1, initial=1.0)
    scale = scale.reshape(-1, *(1,) * (theirs.ndim - 1))
    np.testing.assert_allclose(ours / scale, theirs / scale, rtol=0, atol=TOLERANCE)


def check_dynamics(model, q, qd, qdd, wrenches):
    """Compare forces, inertia, accelerations and centres of mass; rows (n, ...)."""
    twin = Twin(model)
    twin.model.gravity.linear = GRAVITY
    eye = np.eye(4)
    poses = link_transforms_batch(model, eye, q)
    plain, forced, matrices, fallen, centers, slopes = [], [], [], [], [], []
    for i in range(len(q)):
        p, v, a, rates = twin.state(q[i], qd[i], qdd[i])
        force = twin.wrenches(poses[i], wrenches[i])
        plain.append(rates.T @ pin.rnea(twin.model, twin.data, p, v, a))
        forced.append(rates.T @ pin.rnea(twin.model, twin.data, p, v, a, force))
        inertia = np.array(pin.crba(twin.model, twin.data, p))
        inertia = np.triu(inertia) + np.triu(inertia, 1).T
        matrices.append(rates.T @ inertia @ rates)
        if rates.shape[0] == rates.shape[1]:
            torque = np.linalg.solve(rates.T, qdd[i])
            _, _, shift, _ = twin.state(q[i], qd[i], 0 * qdd[i])
            a = pin.aba(twin.model, twin.data, p, v, torque, force)
            fallen.append(np.linalg.solve(rates, a - shift))
        centers.append(np.array(pin.centerOfMass(twin.model, twin.data, p)))
        columns = np.array(pin.jacobianCenterOfMass(twin.model, twin.data, p))
        slopes.append(columns @ rates)
    # Pinocchio's centre of mass leaves out what is fixed to the world
    moving = model.masses[[twin.places[i][0] > 0 for i in range(model.n_links)]].sum()
    still = np.zeros(3)
    for link, (joint, place) in twin.places.items():
        if joint == 0:
            still += model.masses[link] * place.act(model.coms[link])
    total = model.masses.sum()
    close(inverse_dynamics_batch(model, eye, q, qd, qdd, GRAVITY), plain)
    close(inverse_dynamics_batch(model, eye, q, qd, qdd, GRAVITY, wrenches), forced)
    parts = inverse_dynamics_batch(
        model, eye, q, qd, qdd, GRAVITY, wrenches, components=True
    )
    close(parts.sum(axis=1), forced)
    close(mass_matrix_batch(model, q), matrices)
    if fallen:
        close(forward_dynamics_batch(model, eye, q, qd, qdd, GRAVITY, wrenches), fallen)
    else:
        back = forward_dynamics_batch(model, eye, q, qd, forced, GRAVITY, wrenches)
        again = inverse_dynamics_batch(model, eye, q, qd, back, GRAVITY, wrenches)
        close(again, forced)
        if np.linalg.cond(matrices).max() < WELL_CONDITIONED:
            close(back, qdd)
    expected = (moving * np.array(centers) + still) / total
    close(center_of_mass_batch(model, eye, q), expected)
    slopes = np.array(slopes) * moving / total
    close(center_of_mass_jacobian_batch(model, eye, q), slopes)


def check_motion(model, q, qd, qdd):
    """Compare velocities and accelerations of all links; rows (n, dof)."""
    twin = Twin(model)
    velocities, accelerations = [], []
    for i in range(len(q)):
        p, v, a, _ = twin.state(q[i], qd[i], qdd[i])
        pin.forwardKinematics(twin.model, twin.data, p, v, a)
        rows, bends = [], []
        for link in range(model.n_links):
            joint, place = twin.places[link]
            turn = (twin.data.oMi[joint] * place).rotation
            speed = place.actInv(twin.data.v[joint])
            bend = place.actInv(twin.data.a[joint])
            classical = bend.linear + np.cross(speed.angular, speed.linear)
            rows.append((*(turn @ speed.linear), *(turn @ speed.angular)))
            bends.append((*(turn @ classical), *(turn @ bend.angular)))
        velocities.append(rows)
        accelerations.append(bends)
    close(link_velocities_batch(model, np.eye(4), q, qd), velocities)
    close(link_accelerations_batch(model, np.eye(4), q, qd, qdd), accelerations)
