"""A URDF file as Pinocchio reads it, moved as a body of pyrave is."""

import numpy as np
import pytest

# whoever imports this module is skipped where Pinocchio is not installed
pin = pytest.importorskip("pinocchio")


class UrdfTwin:
    """The Pinocchio model of a file; joints that follow are set as their body has them.

    Pinocchio leaves `<mimic>` out unless it is asked, and then refuses chains of it; so
    all joints are free here, and the test's own arithmetic says where followers are.
    """

    def __init__(self, path, followers=None):
        self.model = pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()
        # name -> (leader, factor, offset)
        self.followers = followers or {}

    def values_of(self, body, q):
        """Return the values of each joint by name where the body is at `q`."""
        values = {j.name: q[j.dof_index : j.dof_index + j.dof] for j in body.joints}

        def follow(name):
            if name in values:
                return values[name]
            leader, factor, offset = self.followers[name]
            return factor * follow(leader) + offset

        return values | {name: follow(name) for name in self.followers}

    def link_poses(self, body, q):
        """Return (n_links, 4, 4) T_world_link, the root at the origin."""
        values = self.values_of(body, q)
        where = pin.neutral(self.model)
        for index in range(1, self.model.njoints):
            joint, name = self.model.joints[index], self.model.names[index]
            if joint.nq:
                where[joint.idx_q : joint.idx_q + joint.nq] = _values(
                    joint, values[name]
                )
        pin.framesForwardKinematics(self.model, self.data, where)
        return np.array([self._frame(link.name).homogeneous for link in body.links])

    def _frame(self, link):
        return self.data.oMf[self.model.getFrameId(link, pin.BODY)]

    def worst_inertia(self, body):
        """Return the largest difference of mass, centre and inertia of all joints.

        Pinocchio adds up links that are joined rigidly, so ours are added up here; the
        difference is relative to the moving body's own size, if that is above 1.
        """
        sums = {}
        for link in body.links:
            frame = self.model.frames[self.model.getFrameId(link.name, pin.BODY)]
            own = pin.Inertia(link.mass, link.local_com, link.local_inertia)
            moved = frame.placement.act(own)
            before = sums.get(frame.parentJoint)
            sums[frame.parentJoint] = moved if before is None else before + moved
        worst = 0.0
        for joint, ours in sums.items():
            theirs = self.model.inertias[joint]
            size = max(1.0, np.abs(theirs.inertia).max(), theirs.mass)
            worst = max(
                worst,
                abs(ours.mass - theirs.mass) / size,
                np.abs(ours.lever - theirs.lever).max() if theirs.mass else 0.0,
                np.abs(ours.inertia - theirs.inertia).max() / size,
            )
        return worst


def _values(joint, values):
    kind = joint.shortname()
    if kind == "JointModelFreeFlyer":
        x, y, z, yaw, pitch, roll = values
        turn = pin.Quaternion(pin.rpy.rpyToMatrix(roll, pitch, yaw))
        return np.array((x, y, z, *turn.coeffs()))
    if kind == "JointModelPlanar":
        x, y, angle = values
        return np.array((x, y, np.cos(angle), np.sin(angle)))
    if (joint.nq, joint.nv) == (2, 1):  # turns without end
        return np.array((np.cos(values[0]), np.sin(values[0])))
    return np.asarray(values)


def followers_of(root):
    """Return the followers of an XML tree: name -> (leader, factor, offset)."""
    return {
        joint.get("name"): (
            mimic.get("joint"),
            float(mimic.get("multiplier", 1)),
            float(mimic.get("offset", 0)),
        )
        for joint in root.findall("joint")
        if (mimic := joint.find("mimic")) is not None
    }
