"""Joint values at which a joint that follows has no place are refused."""

import numpy as np
import pytest

import pyrave

BODY = """<kinbody name="k">
  <body name="a"/><body name="b"/><body name="c"/>
  <joint name="free"><body>a</body><body>b</body><axis>0 0 1</axis></joint>
  <joint name="after" mimic_pos="sqrt(1 - free^2)">
    <body>b</body><body>c</body><axis>0 0 1</axis><limits>-4 4</limits></joint>
</kinbody>"""


@pytest.mark.parametrize("indices", [None, [0]])
def test_values_outside_of_a_formulas_domain_change_nothing(indices):
    with pyrave.Environment() as env:
        env.load_string(BODY)
        body = env.bodies["k"]
        body.set_dof_values([0.6], indices)
        before = body.link_transforms
        with pytest.raises(pyrave.ArgumentError, match="'after' follows others"):
            body.set_dof_values([1.5], indices)
        np.testing.assert_array_equal(body.dof_values, [0.6])
        np.testing.assert_array_equal(body.link_transforms, before)
        assert body.joint_values[1] == pytest.approx(0.8)
