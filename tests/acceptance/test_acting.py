"""Some chains of `benchmarks/acting.py`, with robots of example-robot-data."""

import pytest

pytest.importorskip("mujoco")
acting = pytest.importorskip("acting")


def arm(name):
    made = acting.ARMS[name]
    if name != "demo" and acting.found(made.file) == made.file:
        pytest.skip("example-robot-data is not installed (extra `robots`)")
    return made


@pytest.mark.parametrize(
    ("name", "controller"),
    [
        ("ur5", "ComputedTorqueController"),
        ("panda", "JointPIDController gravity=1"),
        ("pr2", "OperationalSpaceController"),
        ("tiago", "ComputedTorqueController"),
    ],
)
def test_it_arrives(name, controller):
    found = acting.arrive(arm(name), controller)
    assert found["holds"], found


@pytest.mark.parametrize("chain", ["grip", "grip split"])
def test_it_grips(chain):
    found = acting.CHAINS[chain](arm("panda"), "IdealController")
    assert found["holds"], found


def test_a_base_is_held_or_its_fall_is_told():
    found = acting.base(arm("ur5"), "PDDeviceController")
    assert found["holds"], found
