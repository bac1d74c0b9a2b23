"""The kinbody KeptKinbody keeps its contract, and works."""

from __future__ import annotations

import numpy as np

from pyrave.testing import KinBodyContract


class TestKeptKinbody(KinBodyContract):
    interface = "acme-kept:KeptKinbody"


def test_it_turns(scene):
    body = next(b for b in scene.bodies if b.interface_id == "KeptKinbody")
    before = body.transform
    for _ in range(10):
        scene.step(0.1)
    turn = (np.linalg.inv(before) @ body.transform)[:3, :3]
    np.testing.assert_allclose(np.arccos((np.trace(turn) - 1) / 2), 0.5, atol=1e-6)
