"""Circular joints without limits report within a period about 0."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import pyrave

SCENE = """<kinbody name="k"><body name="a"/><body name="b"/>
<joint name="j" type="hinge" circular="true"><body>a</body><body>b</body>
<axis>0 0 1</axis></joint></kinbody>"""


@pytest.mark.filterwarnings("error")
def test_circular_joints_without_limits_report_within_a_period_about_zero():
    scene = pyrave.load_string(SCENE).describe()
    (body,) = scene.bodies
    (joint,) = body.joints
    axis = replace(joint.axes[0], lower=-math.inf, upper=math.inf)
    body = replace(body, joints=(replace(joint, axes=(axis,)),))
    env = pyrave.Environment()
    env.add_scene(replace(scene, bodies=(body,)))
    env.bodies[0].dof_values = [4.0]
    np.testing.assert_allclose(env.bodies[0].dof_values, [4.0 - 2.0 * math.pi])
